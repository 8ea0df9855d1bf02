// Exponentials and logarithms beside exp and log, hyperbolic functions and their inverses, rough in
// double: float is rounded from them.

CEPH_INLINE double rough_exp2(double x) {
  constexpr double kLog2 = 0x1.62e42fefa39efp-1, kRound = FloatBits<double>::kRound;
  x = bound(x, -1076.0, 1025.0);
  double rounded = x + kRound;
  double r = (x - (rounded - kRound)) * kLog2;
  double part = fma(r * r, exp_polynomial(r), r);
  return scale(part + 1.0, bit_cast<uint64_t>(rounded) - bit_cast<uint64_t>(kRound));
}

// exp(x) - 1 = (2^n - 1) + 2^n (exp(r) - 1). Halved on the way, since 2^1024 is no double.
CEPH_INLINE double rough_expm1(double x) {
  using C = ExpConstants<double>;
  constexpr double kRound = FloatBits<double>::kRound;
  double bounded = x > C::kHigh ? C::kHigh : x;
  bounded = bounded < -50.0 ? -50.0 : bounded;  // -1 to the last digit
  double rounded = fma(bounded, C::kLog2e, kRound);
  double n = rounded - kRound;
  double high = fma(n, -C::kLog2High, bounded);
  double r = fma(n, -C::kLog2Low, high);
  double r_low = (high - r) - n * C::kLog2Low;
  double part = r + fma(r * r, exp_polynomial(r), r_low);
  uint64_t power = bit_cast<uint64_t>(rounded) - bit_cast<uint64_t>(kRound);
  double half = power_of_two<double>(power - 1);
  return copy_sign(2.0 * fma(half, part, half - 0.5), x);
}

CEPH_INLINE double rough_log2(double x) {
  constexpr double kInverse = 0x1.71547652b82fep+0, kInverseLow = 0x1.777d0ffda0d24p-56;
  Split<double> parts = split(x);
  double y = log_of_fraction(parts.fraction, 0.0);
  return log_edges(x, fma(y, kInverse, fma(y, kInverseLow, parts.exponent)));
}
CEPH_INLINE double rough_log10(double x) {
  constexpr double kInverse = 0x1.bcb7b1526e50ep-2, kInverseLow = 0x1.95355baaafad3p-57;
  constexpr double kTwo = 0x1.34413509f6p-2, kTwoLow = 0x1.9fef311f12b36p-42;
  Split<double> parts = split(x);
  double y = log_of_fraction(parts.fraction, 0.0);
  double low = fma(y, kInverseLow, parts.exponent * kTwoLow);
  return log_edges(x, fma(parts.exponent, kTwo, fma(y, kInverse, low)));
}

// log(1 + x): what the sum loses is brought back as a part of the logarithm.
CEPH_INLINE double rough_log1p(double x) {
  using C = ExpConstants<double>;
  DoubleDouble sum = two_sum(1.0, x);
  Split<double> parts = split(sum.hi);
  double carry = fma(parts.exponent, C::kLog2Low, sum.lo / sum.hi);
  double result =
      log_edges(sum.hi, fma(parts.exponent, C::kLog2High, log_of_fraction(parts.fraction, carry)));
  return x == 0 ? x : result;
}

// exp(x) / 2, which is a number where exp(x) is none any more.
CEPH_INLINE double half_exp(double x) { return exp_of_sum(x, 0.0, uint64_t(0) - 1); }

CEPH_INLINE double rough_sinh(double x) {
  double size = absolute_bits(x);
  double e = rough_expm1(size);
  double near = 0.5 * (e + e / (e + 1.0));
  return copy_sign(size < 22.0 ? near : half_exp(size), x);
}
CEPH_INLINE double rough_cosh(double x) {
  double e = half_exp(absolute_bits(x));
  return e + 0.25 / e;
}

// From here on x +- 1 and the square root of x^2 +- 1 are x.
inline constexpr double kRoughLargeRoot = 0x1p54;
CEPH_INLINE double log_of_twice(double argument, bool large) {
  constexpr double kLog2 = 0x1.62e42fefa39efp-1;
  double result = rough_log1p(argument);
  return large ? result + kLog2 : result;
}
CEPH_INLINE double rough_asinh(double x) {
  double size = absolute_bits(x);
  bool large = size > kRoughLargeRoot;
  double square = size * size;
  double sum = size + square / (1.0 + sqrt(1.0 + square));
  return copy_sign(log_of_twice(large ? size : sum, large), x);
}
CEPH_INLINE double rough_acosh(double x) {
  bool large = x > kRoughLargeRoot;
  double t = x - 1.0;
  double sum = t + sqrt(fma(t, t, 2.0 * t));
  double result = log_of_twice(large ? x : sum, large);
  return x < 1.0 ? __builtin_nan("") : result;
}
CEPH_INLINE double rough_atanh(double x) {
  double size = absolute_bits(x);
  return copy_sign(0.5 * rough_log1p(2.0 * size / (1.0 - size)), x);
}

// log(x / (1 - x)); near 1/2 from what the quotient exceeds 1 by.
CEPH_INLINE double rough_logit(double x) {
  double rest = 1.0 - x;
  bool near = absolute_bits(x - 0.5) < 0.125;
  return near ? rough_log1p((2.0 * x - 1.0) / rest) : rough_log(x / rest);
}

CEPH_INLINE float logit(float x) { return static_cast<float>(rough_logit(static_cast<double>(x))); }
CEPH_INLINE float exp2(float x) { return static_cast<float>(rough_exp2(static_cast<double>(x))); }
CEPH_INLINE float expm1(float x) { return static_cast<float>(rough_expm1(static_cast<double>(x))); }
CEPH_INLINE float log2(float x) { return static_cast<float>(rough_log2(static_cast<double>(x))); }
CEPH_INLINE float log10(float x) { return static_cast<float>(rough_log10(static_cast<double>(x))); }
CEPH_INLINE float log1p(float x) { return static_cast<float>(rough_log1p(static_cast<double>(x))); }
CEPH_INLINE float sinh(float x) { return static_cast<float>(rough_sinh(static_cast<double>(x))); }
CEPH_INLINE float cosh(float x) { return static_cast<float>(rough_cosh(static_cast<double>(x))); }
CEPH_INLINE float asinh(float x) { return static_cast<float>(rough_asinh(static_cast<double>(x))); }
CEPH_INLINE float acosh(float x) { return static_cast<float>(rough_acosh(static_cast<double>(x))); }
CEPH_INLINE float atanh(float x) { return static_cast<float>(rough_atanh(static_cast<double>(x))); }
