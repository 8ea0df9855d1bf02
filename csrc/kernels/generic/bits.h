// Bit-level helpers of a target region: reinterpretation, fused multiply-add, exact products.

// memcpy is how C++ says reinterpret; the compiler makes a register move of it.
template <class To, class From>
CEPH_INLINE To bit_cast(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  __builtin_memcpy(&result, &x, sizeof(To));
  return result;
}

template <class T>
struct FloatBits;
template <>
struct FloatBits<float> {
  using Int = int32_t;
  using UInt = uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr int kBias = 127;
  // 1.5 * 2^23: adding it rounds to an integer, found in the low bits of the sum.
  static constexpr float kRound = 0x1.8p23f;
};
template <>
struct FloatBits<double> {
  using Int = int64_t;
  using UInt = uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr int kBias = 1023;
  static constexpr double kRound = 0x1.8p52;
};
template <class T>
using uint_of = typename FloatBits<T>::UInt;

// Fused where the ISA has it, else two roundings: results differ between ISAs, within the bounds.
CEPH_INLINE float fma(float a, float b, float c) {
#if CEPH_REGION_FMA
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
CEPH_INLINE double fma(double a, double b, double c) {
#if CEPH_REGION_FMA
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

template <class T>
CEPH_INLINE T sign_bit_of(T x) {  // +-0 with the sign of x
  return bit_cast<T>(bit_cast<uint_of<T>>(x) & ~(~uint_of<T>(0) >> 1));
}
template <class T>
CEPH_INLINE T absolute_bits(T x) {
  return bit_cast<T>(bit_cast<uint_of<T>>(x) & (~uint_of<T>(0) >> 1));
}
template <class T>
CEPH_INLINE T copy_sign(T magnitude, T sign) {
  return bit_cast<T>(bit_cast<uint_of<T>>(absolute_bits(magnitude)) |
                     bit_cast<uint_of<T>>(sign_bit_of(sign)));
}

// 2^n for n in the normal range.
template <class T>
CEPH_INLINE T power_of_two(uint_of<T> n) {
  using B = FloatBits<T>;
  return bit_cast<T>(static_cast<uint_of<T>>(n + B::kBias) << B::kMantissa);
}

// A whole number that a double holds, below 2^51 in size.
CEPH_INLINE uint64_t whole_bits(double n) {
  constexpr double kRound = FloatBits<double>::kRound;
  return bit_cast<uint64_t>(n + kRound) - bit_cast<uint64_t>(kRound);
}

template <class T>
CEPH_INLINE T bound(T x, T low, T high) {
  x = x > high ? high : x;
  return x < low ? low : x;
}

// y * 2^n for |n| up to twice the exponent range: two factors, so that a result that is subnormal
// is rounded once and one that overflows becomes infinite.
template <class T>
CEPH_INLINE T scale(T y, uint_of<T> n) {
  constexpr uint_of<T> kOffset = 4096;  // keeps the shift one of a non-negative number
  uint_of<T> half = ((n + kOffset) >> 1) - kOffset / 2;
  return y * power_of_two<T>(half) * power_of_two<T>(n - half);
}

// Horner's rule over the terms of generic/coefficients.h, from term I up.
template <size_t I = 0, class T, size_t N>
CEPH_INLINE T polynomial(const T (&c)[N], T x) {
  if constexpr (I + 1 == N)
    return c[I];
  else
    return fma(polynomial<I + 1>(c, x), x, c[I]);
}

// hi + lo, |lo| <= ulp(hi) / 2: about twice the precision of double.
struct DoubleDouble {
  double hi, lo;
};

CEPH_INLINE DoubleDouble two_sum(double a, double b) {
  double sum = a + b;
  double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
// |a| >= |b| or a == 0.
CEPH_INLINE DoubleDouble quick_two_sum(double a, double b) {
  double sum = a + b;
  return {sum, b - (sum - a)};
}
CEPH_INLINE DoubleDouble two_product(double a, double b) {
  double product = a * b;
#if CEPH_REGION_FMA
  return {product, __builtin_fma(a, b, -product)};
#else
  // Dekker: both factors split into halves of 26 bits, whose products are exact.
  constexpr double kSplit = 134217729.0;
  double a_big = kSplit * a, b_big = kSplit * b;
  double a_hi = a_big - (a_big - a), b_hi = b_big - (b_big - b);
  double a_lo = a - a_hi, b_lo = b - b_hi;
  return {product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
#endif
}
// Products whose low word may be as large as the last place of the high one.
CEPH_INLINE DoubleDouble product(double a, double b) { return two_product(a, b); }
CEPH_INLINE DoubleDouble product(double a, DoubleDouble b) {
  DoubleDouble p = two_product(a, b.hi);
  return {p.hi, fma(a, b.lo, p.lo)};
}
CEPH_INLINE DoubleDouble product(DoubleDouble a, double b) { return product(b, a); }
CEPH_INLINE DoubleDouble product(DoubleDouble a, DoubleDouble b) {
  DoubleDouble p = two_product(a.hi, b.hi);
  return {p.hi, p.lo + fma(a.hi, b.lo, a.lo * b.hi)};
}
CEPH_INLINE DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  DoubleDouble p = product(a, b);
  return quick_two_sum(p.hi, p.lo);
}
CEPH_INLINE DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  double inverse = 1.0 / b.hi, near = a.hi * inverse;
  DoubleDouble back = two_product(near, b.hi);
  double rest = ((a.hi - back.hi) - back.lo) + fma(-near, b.lo, a.lo);
  return quick_two_sum(near, rest * inverse);
}
CEPH_INLINE DoubleDouble square_root(DoubleDouble a) {
  double near = __builtin_sqrt(a.hi);
  DoubleDouble back = two_product(near, near);
  double rest = ((a.hi - back.hi) - back.lo) + a.lo;
  return {near, near > 0 ? rest * (0.5 / near) : 0.0};
}
CEPH_INLINE DoubleDouble add_dd(DoubleDouble a, DoubleDouble b) {
  DoubleDouble s = two_sum(a.hi, b.hi);
  return quick_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

CEPH_INLINE double high_word(double x) { return x; }
CEPH_INLINE double high_word(DoubleDouble x) { return x.hi; }
// Horner's rule with the first terms in two words. Each must be larger than all that follow it.
template <size_t I = 0, class X, size_t N, size_t M>
CEPH_INLINE DoubleDouble polynomial_in_two(const DoubleDouble (&lead)[N], const double (&tail)[M],
                                           X x) {
  DoubleDouble rest;
  if constexpr (I + 1 == N)
    rest = product(x, polynomial(tail, high_word(x)));
  else
    rest = product(x, polynomial_in_two<I + 1>(lead, tail, x));
  DoubleDouble sum = quick_two_sum(lead[I].hi, rest.hi);
  return {sum.hi, sum.lo + (lead[I].lo + rest.lo)};
}

// y * 2^n for y from 1/2 to 2, rounded once, subnormal results too: for those a number is added
// whose last place is theirs, and taken away again.
CEPH_INLINE double scale_in_two(DoubleDouble y, double n) {
  uint64_t power = whole_bits(n);
  double smallest = power_of_two<double>(uint64_t(0) - 1022 - power);  // normal, times 2^-n
  double lift = y.hi < smallest ? smallest : 0.0;
  lift = n < -1021.5 ? lift : 0.0;
  DoubleDouble sum = quick_two_sum(lift, y.hi);
  return scale((sum.hi + (sum.lo + y.lo)) - lift, power);
}
