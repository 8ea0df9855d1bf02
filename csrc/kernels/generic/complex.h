// Complex functions. Elementary ones are computed in the next wider real type, double for float and
// long double for double, which keeps them from overflow on the way, and by the C library, which
// follows Annex G. These loops call functions and don't vectorise.

// The compiler's complex types, whose products and quotients recover infinities from NaN (Annex
// G.5.1), for the widths that values are computed in.
using WideComplex = __complex__ double;
using WidestComplex = __complex__ long double;

template <class T>
using wider_t = std::conditional_t<sizeof(T) == 4, double, long double>;

template <class T>
CEPH_INLINE T real(Complex<T> z) {
  return z.re;
}
template <class T>
CEPH_INLINE T imag(Complex<T> z) {
  return z.im;
}
template <class T>
CEPH_INLINE Complex<T> add(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
CEPH_INLINE Complex<T> sub(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
CEPH_INLINE Complex<T> neg(Complex<T> a) {
  return {-a.re, -a.im};
}
template <class T>
CEPH_INLINE bool eq(Complex<T> a, Complex<T> b) {
  return a.re == b.re && a.im == b.im;
}
template <class T>
CEPH_INLINE bool ne(Complex<T> a, Complex<T> b) {
  return a.re != b.re || a.im != b.im;
}

CEPH_INLINE WideComplex wide(Complex<float> z) {
  WideComplex result;
  __real__ result = z.re;
  __imag__ result = z.im;
  return result;
}
CEPH_INLINE WidestComplex wide(Complex<double> z) {
  WidestComplex result;
  __real__ result = z.re;
  __imag__ result = z.im;
  return result;
}
CEPH_INLINE Complex<float> narrow(WideComplex z) {
  return {static_cast<float>(__real__ z), static_cast<float>(__imag__ z)};
}
CEPH_INLINE Complex<double> narrow(WidestComplex z) {
  return {static_cast<double>(__real__ z), static_cast<double>(__imag__ z)};
}

template <class T>
CEPH_INLINE Complex<T> mul(Complex<T> a, Complex<T> b) {
  Complex<T> plain{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  if (plain.re != plain.re && plain.im != plain.im) [[unlikely]]
    return narrow(wide(a) * wide(b));
  return plain;
}
// A real number scales both parts: as a complex one its zero imaginary part would make NaN of an
// infinity and lose the sign of a zero.
template <class T>
CEPH_INLINE Complex<T> mul_scalar(Complex<T> number, Complex<T> z) {
  if (number.im == 0) return {number.re * z.re, number.re * z.im};
  return mul(number, z);
}
template <class T>
CEPH_INLINE Complex<T> div(Complex<T> a, Complex<T> b) {
  return narrow(wide(a) / wide(b));
}

CEPH_INLINE WideComplex exp_wide(WideComplex z) { return __builtin_cexp(z); }
CEPH_INLINE WidestComplex exp_wide(WidestComplex z) { return __builtin_cexpl(z); }
CEPH_INLINE WideComplex log_wide(WideComplex z) { return __builtin_clog(z); }
CEPH_INLINE WidestComplex log_wide(WidestComplex z) { return __builtin_clogl(z); }

template <class T>
CEPH_INLINE Complex<T> exp(Complex<T> z) {
  return narrow(exp_wide(wide(z)));
}
template <class T>
CEPH_INLINE Complex<T> log(Complex<T> z) {
  return narrow(log_wide(wide(z)));
}
CEPH_INLINE Complex<float> sqrt(Complex<float> z) { return narrow(__builtin_csqrt(wide(z))); }
CEPH_INLINE Complex<double> sqrt(Complex<double> z) { return narrow(__builtin_csqrtl(wide(z))); }
CEPH_INLINE Complex<float> tanh(Complex<float> z) { return narrow(__builtin_ctanh(wide(z))); }
CEPH_INLINE Complex<double> tanh(Complex<double> z) { return narrow(__builtin_ctanhl(wide(z))); }
template <class T>
CEPH_INLINE Complex<T> sigmoid(Complex<T> z) {
  auto e = exp_wide(-wide(z));
  decltype(e) one = 1;
  return narrow(one / (one + e));
}

// The functions of the C library by name, in the wider type.
#define CEPH_COMPLEX_FUNCTION(NAME)                                                                \
  CEPH_INLINE Complex<float> NAME(Complex<float> z) { return narrow(__builtin_c##NAME(wide(z))); } \
  CEPH_INLINE Complex<double> NAME(Complex<double> z) {                                            \
    return narrow(__builtin_c##NAME##l(wide(z)));                                                  \
  }
CEPH_COMPLEX_FUNCTION(sin)
CEPH_COMPLEX_FUNCTION(cos)
CEPH_COMPLEX_FUNCTION(tan)
CEPH_COMPLEX_FUNCTION(asin)
CEPH_COMPLEX_FUNCTION(acos)
CEPH_COMPLEX_FUNCTION(atan)
CEPH_COMPLEX_FUNCTION(sinh)
CEPH_COMPLEX_FUNCTION(cosh)
CEPH_COMPLEX_FUNCTION(asinh)
CEPH_COMPLEX_FUNCTION(acosh)
CEPH_COMPLEX_FUNCTION(atanh)
#undef CEPH_COMPLEX_FUNCTION

CEPH_INLINE double modulus(WideComplex z) { return __builtin_cabs(z); }
CEPH_INLINE long double modulus(WidestComplex z) { return __builtin_cabsl(z); }
// z / |z|; of zero, zero.
template <class T>
CEPH_INLINE Complex<T> unit(Complex<T> z) {
  if (z.re == 0 && z.im == 0) return {T(0), T(0)};
  return narrow(wide(z) / modulus(wide(z)));
}

template <class T>
CEPH_INLINE Complex<T> conj(Complex<T> z) {
  return {z.re, -z.im};
}

template <class T>
CEPH_INLINE bool is_infinite(Complex<T> z) {
  return is_infinite(z.re) || is_infinite(z.im);
}
template <class T>
CEPH_INLINE bool is_finite(Complex<T> z) {
  return is_finite(z.re) && is_finite(z.im);
}

// From the nearer end, so that a weight of 1 gives `b`.
template <class T>
CEPH_INLINE Complex<T> lerp(Complex<T> a, Complex<T> b, Complex<T> weight) {
  Complex<T> way = sub(b, a);
  bool near = hypot(weight.re, weight.im) < T(0.5);
  return near ? add(a, mul(weight, way)) : sub(b, mul(way, sub(Complex<T>(1), weight)));
}

inline constexpr long double kLog2Wide = 0x1.62e42fefa39ef35793c7673007e6p-1L;
inline constexpr long double kLog10Wide = 0x1.26bb1bbb5551582dd4adac5705a6p+1L;
template <class T>
CEPH_INLINE Complex<T> exp2(Complex<T> z) {
  auto w = wide(z);
  return narrow(exp_wide(w * static_cast<wider_t<T>>(kLog2Wide)));
}
template <class T>
CEPH_INLINE Complex<T> log2(Complex<T> z) {
  auto w = log_wide(wide(z));
  return narrow(w / static_cast<wider_t<T>>(kLog2Wide));
}
template <class T>
CEPH_INLINE Complex<T> log10(Complex<T> z) {
  auto w = log_wide(wide(z));
  return narrow(w / static_cast<wider_t<T>>(kLog10Wide));
}
// exp(x) cos(y) - 1 = (exp(x) - 1) cos(y) - 2 sin(y/2)^2: nothing cancels near zero.
template <class T>
CEPH_INLINE Complex<T> expm1(Complex<T> z) {
  auto x = real(z), y = imag(z);
  long double cosine = __builtin_cosl(y), sine = __builtin_sinl(y);
  long double half = __builtin_sinl(static_cast<long double>(y) / 2);
  long double below = __builtin_expm1l(x);
  return {static_cast<T>(below * cosine - 2 * half * half),
          static_cast<T>(y == 0 ? static_cast<long double>(y) : (below + 1) * sine)};
}
// |1 + z|^2 = 1 + x (2 + x) + y^2.
template <class T>
CEPH_INLINE Complex<T> log1p(Complex<T> z) {
  long double x = z.re, y = z.im;
  bool far = modulus(wide(z)) > T(4);
  auto shifted = wide(z);
  __real__ shifted += 1;  // not the imaginary part, whose zero has a sign
  auto direct = narrow(log_wide(shifted));
  long double near = __builtin_log1pl(x * (2 + x) + y * y) / 2;
  return {far ? direct.re : static_cast<T>(near),
          far ? direct.im : static_cast<T>(__builtin_atan2l(y, 1 + x))};
}

// exp(y log x), with x^0 = 1 and 0^y = 0 where the real part of y is positive.
template <class T>
CEPH_INLINE Complex<T> pow(Complex<T> x, Complex<T> y) {
  if (y.re == 0 && y.im == 0) return {T(1), T(0)};
  if (x.re == 0 && x.im == 0 && y.re > 0) return {T(0), T(0)};
  return narrow(exp_wide(wide(y) * log_wide(wide(x))));
}
