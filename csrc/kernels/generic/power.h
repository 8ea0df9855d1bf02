// pow for integers, float and double.

// Wraps; a negative exponent, which callers refuse beforehand, gives the truncated quotient.
template <class T>
  requires kIsInteger<T>
CEPH_INLINE T pow(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      T sign = (exponent & 1) != 0 ? base : T(1);
      return base == 1 || base == -1 ? sign : T(0);
    }
  }
  T result = 1;
  for (; exponent != 0; exponent = static_cast<T>(exponent >> 1)) {
    result = (exponent & 1) != 0 ? mul(result, base) : result;
    base = mul(base, base);
  }
  return result;
}

// From |x|^y to x^y: signs, exact cases and NaN as C99 Annex F says.
template <class T>
CEPH_INLINE T pow_of_sign(T x, T y, T magnitude) {
  constexpr T kInf = __builtin_inf();
  T half = T(0.5) * y;
  bool whole = truncate(y) == y;
  bool odd = whole && truncate(half) != half;
  T result = odd ? copy_sign(magnitude, x) : magnitude;
  bool undefined = x < 0 && x != -kInf && !whole;
  result = undefined || x != x || y != y ? x + y + T(__builtin_nan("")) : result;
  return x == 1 || y == 0 ? T(1) : result;
}

// An exponent beyond this gives 0, 1 or infinity; bounding it keeps 0 * log(1) a number.
template <class T>
CEPH_INLINE T bound_exponent(T y) {
  constexpr T kBound = 0x1p70;
  y = y > kBound ? kBound : y;
  return y < -kBound ? -kBound : y;
}

// In double: the product with the logarithm keeps 29 bits more than the result has.
CEPH_INLINE float pow(float x, float y) {
  double logarithm = log(static_cast<double>(absolute_bits(x)));
  double magnitude = exp(static_cast<double>(bound_exponent(y)) * logarithm);
  return pow_of_sign(x, y, static_cast<float>(magnitude));
}

// log(x) for x > 0 to about 2^-65: 2 s (1 + u (1/3 + u Q(u))), u = s^2, with all but Q in two
// words.
CEPH_INLINE DoubleDouble log_in_two(double x) {
  using C = ExpConstants<double>;
  constexpr double kThird = 0x1.5555555555555p-2, kThirdLow = 0x1.5555555555555p-56;
  Split<double> parts = split(x);
  double f = parts.fraction;
  double t = 2.0 + f, t_low = f - (t - 2.0);
  double s = f / t;
  DoubleDouble back = two_product(s, t);
  double s_low = (((f - back.hi) - back.lo) - s * t_low) / t;
  DoubleDouble u = two_product(s, s);
  u = quick_two_sum(u.hi, fma(2.0 * s, s_low, u.lo));
  DoubleDouble v = quick_two_sum(kThird, u.hi * polynomial(kPowLog64, u.hi));
  v.lo += kThirdLow;
  DoubleDouble w = multiply(u, v);
  DoubleDouble factor = quick_two_sum(1.0, w.hi);
  factor.lo += w.lo;
  DoubleDouble fraction = multiply({2.0 * s, 2.0 * s_low}, factor);
  DoubleDouble sum = two_sum(parts.exponent * C::kLog2High, fraction.hi);
  return quick_two_sum(sum.hi, sum.lo + fma(parts.exponent, C::kLog2Low, fraction.lo));
}

CEPH_INLINE double pow(double x, double y) {
  constexpr double kInf = __builtin_inf();
  constexpr double kBeyond = 800.0;  // exp of more overflows, of less than minus it underflows
  double size = absolute_bits(x), exponent = bound_exponent(y);
  DoubleDouble logarithm = log_in_two(size);
  logarithm.hi = size == kInf ? kInf : logarithm.hi;
  logarithm.hi = size == 0 ? -kInf : logarithm.hi;
  DoubleDouble product = two_product(exponent, logarithm.hi);
  double low = fma(exponent, logarithm.lo, product.lo);
  low = absolute_bits(product.hi) < kBeyond ? low : 0.0;
  return pow_of_sign(x, y, exp_of_sum(product.hi, low));
}
