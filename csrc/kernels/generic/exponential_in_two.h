// Exponentials, logarithms and hyperbolic functions of double, computed in two words and rounded
// once: correct in all but about one of a thousand cases, and then by 2^-10 ULP.

// exp(x) = (1 + part) 2^n, to 2^-66.
struct ExpInTwo {
  DoubleDouble part;
  double n;
};
// Of x = n log(2) + r.
CEPH_INLINE ExpInTwo exp_of_rest(DoubleDouble r, double n) {
  DoubleDouble p = product(r.hi, polynomial_in_two(kRiseLead, kRiseTail, r.hi));
  p = quick_two_sum(p.hi, p.lo);
  return {{p.hi, p.lo + fma(r.lo, p.hi, r.lo)}, n};
}
// Of x + low.
CEPH_INLINE ExpInTwo exp_in_two(double x, double low = 0.0) {
  using C = ExpConstants<double>;
  constexpr double kRound = FloatBits<double>::kRound;
  double n = fma(x, C::kLog2e, kRound) - kRound;
  DoubleDouble turns = two_product(n, -C::kLog2Low);
  DoubleDouble r = two_sum(fma(n, -C::kLog2High, x), turns.hi);
  return exp_of_rest({r.hi, r.lo + (turns.lo + low)}, n);
}
CEPH_INLINE DoubleDouble plus_one(DoubleDouble part) {
  DoubleDouble sum = quick_two_sum(1.0, part.hi);
  return {sum.hi, sum.lo + part.lo};
}

CEPH_INLINE double exp(double x) {
  using C = ExpConstants<double>;
  ExpInTwo e = exp_in_two(bound(x, C::kLow, C::kHigh));
  return scale_in_two(plus_one(e.part), e.n);
}
CEPH_INLINE double exp2(double x) {
  constexpr double kLog2 = 0x1.62e42fefa39efp-1, kLog2Low = 0x1.abc9e3b39803fp-56;
  constexpr double kRound = FloatBits<double>::kRound;
  x = bound(x, -1076.0, 1025.0);
  double n = (x + kRound) - kRound;
  ExpInTwo e = exp_of_rest(product(x - n, DoubleDouble{kLog2, kLog2Low}), n);
  return scale_in_two(plus_one(e.part), n);
}

// Below it the functions that vanish at zero are their arguments; low words would be lost there.
inline constexpr double kTiny = 0x1p-900;

// exp(x) - 1 = (2^n - 1) + 2^n part. Halved on the way, since 2^1024 is no double.
CEPH_INLINE double expm1(double x) {
  ExpInTwo e = exp_in_two(bound(x, -50.0, 709.9));
  double half = power_of_two<double>(whole_bits(e.n) - 1);
  DoubleDouble powers = two_sum(half, -0.5);
  DoubleDouble sum = two_sum(powers.hi, half * e.part.hi);
  double result = 2.0 * (sum.hi + (powers.lo + fma(half, e.part.lo, sum.lo)));
  return absolute_bits(x) < kTiny ? x : result;
}
// (exp(y) - 1) / (exp(y) + 1), y = 2 |x|.
CEPH_INLINE double tanh(double x) {
  ExpInTwo e = exp_in_two(bound(2.0 * absolute_bits(x), 0.0, 44.0));
  double power = power_of_two<double>(whole_bits(e.n));
  DoubleDouble below = two_sum(power - 1.0, power * e.part.hi);
  below.lo = fma(power, e.part.lo, below.lo);
  DoubleDouble above = two_sum(2.0, below.hi);
  above.lo += below.lo;
  DoubleDouble result = divide(below, above);
  return copy_sign(result.hi + result.lo, x);
}
// 1 / (1 + exp(-x)), and below zero exp(x) / (1 + exp(x)).
CEPH_INLINE double sigmoid(double x) {
  ExpInTwo e = exp_in_two(bound(-absolute_bits(x), ExpConstants<double>::kLow, 0.0));
  DoubleDouble y = plus_one(e.part);
  uint64_t power = whole_bits(e.n);
  DoubleDouble below = quick_two_sum(1.0, scale(y.hi, power));
  below.lo += scale(y.lo, power);
  bool negative = x < 0;
  DoubleDouble above = {negative ? y.hi : 1.0, negative ? y.lo : 0.0};
  return scale_in_two(divide(above, below), negative ? e.n : 0.0);
}

// exp(|x|) -+ exp(-|x|) = (P -+ Q) + P part +- Q part / (1 + part), P = 2^n, Q = 2^-n; all divided
// by eight on the way, since P may be no double.
CEPH_INLINE double sum_of_exponentials(double size, double sign) {
  ExpInTwo e = exp_in_two(bound(size, 0.0, 711.0));
  uint64_t n = whole_bits(e.n);
  double p = power_of_two<double>(n - 3);
  double q = e.n > 500.0 ? 0.0 : power_of_two<double>(uint64_t(0) - n - 3);
  q = sign * q;
  DoubleDouble inverse = divide(e.part, plus_one(e.part));
  DoubleDouble powers = two_sum(p, q);
  DoubleDouble sum = two_sum(powers.hi, p * e.part.hi);
  DoubleDouble result = two_sum(sum.hi, -q * inverse.hi);
  double low = (powers.lo + sum.lo) + (result.lo + (p * e.part.lo - q * inverse.lo));
  return 4.0 * (result.hi + low);
}
CEPH_INLINE double sinh(double x) {
  double size = absolute_bits(x);
  double result = sum_of_exponentials(size, -1.0);
  return copy_sign(size < kTiny ? size : result, x);
}
CEPH_INLINE double cosh(double x) { return sum_of_exponentials(absolute_bits(x), 1.0); }

// log(1 + f) = 2 atanh(s), s = f / (2 + f), to 2^-68.
CEPH_INLINE DoubleDouble log_of_fraction(DoubleDouble f) {
  DoubleDouble below = quick_two_sum(2.0, f.hi);
  below.lo += f.lo;
  DoubleDouble s = divide(f, below);
  DoubleDouble factor = polynomial_in_two(kAtanhLead, kAtanhTail, product(s, s));
  return multiply({2.0 * s.hi, 2.0 * s.lo}, factor);
}
// exponent log(2) + log(1 + f).
CEPH_INLINE DoubleDouble log_of_parts(double exponent, DoubleDouble f) {
  using C = ExpConstants<double>;
  DoubleDouble fraction = log_of_fraction(f);
  DoubleDouble sum = two_sum(exponent * C::kLog2High, fraction.hi);
  return quick_two_sum(sum.hi, sum.lo + fma(exponent, C::kLog2Low, fraction.lo));
}
CEPH_INLINE DoubleDouble log_in_two(double x) {
  Split<double> parts = split(x);
  return log_of_parts(parts.exponent, {parts.fraction, 0.0});
}

CEPH_INLINE double log(double x) {
  DoubleDouble result = log_in_two(x);
  return log_edges(x, result.hi + result.lo);
}
CEPH_INLINE double log2(double x) {
  constexpr DoubleDouble kInverse = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  Split<double> parts = split(x);
  DoubleDouble y = product(log_of_fraction(DoubleDouble{parts.fraction, 0.0}), kInverse);
  DoubleDouble sum = two_sum(parts.exponent, y.hi);
  return log_edges(x, sum.hi + (sum.lo + y.lo));
}
CEPH_INLINE double log10(double x) {
  constexpr DoubleDouble kInverse = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  // The first times any exponent is exact.
  constexpr double kTwo = 0x1.34413509f6p-2, kTwoLow = 0x1.9fef311f12b36p-42;
  Split<double> parts = split(x);
  DoubleDouble y = product(log_of_fraction(DoubleDouble{parts.fraction, 0.0}), kInverse);
  DoubleDouble sum = two_sum(parts.exponent * kTwo, y.hi);
  return log_edges(x, sum.hi + (sum.lo + fma(parts.exponent, kTwoLow, y.lo)));
}

// log(x 2^power); where x is near 1 it is told what x - 1 is, so that none of that is lost.
CEPH_INLINE double log_of_words(DoubleDouble x, DoubleDouble below, double power = 0.0) {
  Split<double> parts = split(x.hi);
  bool near = parts.exponent == 0;
  // Farther from 1 the low word is nothing.
  double scaling = power_of_two<double>(whole_bits(-bound(parts.exponent, -1000.0, 1000.0)));
  DoubleDouble f = quick_two_sum(parts.fraction, x.lo * scaling);
  f = {near ? below.hi : f.hi, near ? below.lo : f.lo};
  DoubleDouble result = log_of_parts(parts.exponent + power, f);
  return log_edges(x.hi, result.hi + result.lo);
}
// log((1 + y) 2^power).
CEPH_INLINE double log_of_sum(DoubleDouble y, double power = 0.0) {
  DoubleDouble sum = two_sum(1.0, y.hi);
  return log_of_words({sum.hi, sum.lo + y.lo}, y, power);
}
CEPH_INLINE double log1p(double x) {
  double result = log_of_sum({x, 0.0});
  return absolute_bits(x) < kTiny ? x : result;
}

// Where the square root of x^2 +- 1 is x to 2^-80, and log(2 x) is left.
inline constexpr double kLargeRoot = 0x1p40;
CEPH_INLINE double asinh(double x) {
  constexpr double kSmall = 0x1p-34;  // below it is x, and the root 1
  double size = absolute_bits(x);
  bool large = size > kLargeRoot;
  DoubleDouble square = two_product(size, size);
  DoubleDouble below = two_sum(1.0, square.hi);
  below.lo += square.lo;
  DoubleDouble root = square_root(below);
  DoubleDouble sum = two_sum(root.hi - 1.0, size);
  sum.lo += root.lo;
  double result = log_of_sum({large ? size : sum.hi, large ? -1.0 : sum.lo}, large ? 1.0 : 0.0);
  return copy_sign(size < kSmall ? size : result, x);
}
CEPH_INLINE double acosh(double x) {
  bool large = x > kLargeRoot;
  DoubleDouble square = two_product(x, x);
  DoubleDouble below = two_sum(square.hi, -1.0);
  below.lo += square.lo;
  DoubleDouble root = square_root(quick_two_sum(below.hi, below.lo));
  DoubleDouble sum = two_sum(x - 1.0, root.hi);
  sum.lo += root.lo;
  double result = log_of_sum({large ? x : sum.hi, large ? -1.0 : sum.lo}, large ? 1.0 : 0.0);
  return x < 1.0 ? __builtin_nan("") : result;
}
// log((1 + x) / (1 - x)) / 2.
CEPH_INLINE double atanh(double x) {
  double size = absolute_bits(x);
  DoubleDouble ratio = divide({2.0 * size, 0.0}, two_sum(1.0, -size));
  double result = size == 1.0 ? __builtin_inf() : 0.5 * log_of_sum(ratio);
  result = size < kTiny ? size : result;
  return copy_sign(size > 1.0 ? __builtin_nan("") : result, x);
}
// log(x / (1 - x)).
CEPH_INLINE double logit(double x) {
  DoubleDouble rest = two_sum(1.0, -x);
  double result = log_of_words(divide({x, 0.0}, rest), divide(two_sum(2.0 * x, -1.0), rest));
  return x == 1.0 ? __builtin_inf() : result;
}
