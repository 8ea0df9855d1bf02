// exp, log, tanh and sigmoid: the rough ones, and those of float.

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr float kLog2e = 0x1.715476p+0f;
  // log(2) = high + low; n * high is exact for every exponent n.
  static constexpr float kLog2High = 0x1.62e4p-1f;
  static constexpr float kLog2Low = 0x1.7f7d1cp-20f;
  // Beyond these the result is 0 or infinity.
  static constexpr float kLow = -105.0f, kHigh = 89.5f;
};
template <>
struct ExpConstants<double> {
  static constexpr double kLog2e = 0x1.71547652b82fep+0;
  static constexpr double kLog2High = 0x1.62e42feep-1;
  static constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kLow = -746.0, kHigh = 710.5;
};

CEPH_INLINE float exp_polynomial(float r) { return polynomial(kExp32, r); }
CEPH_INLINE double exp_polynomial(double r) { return polynomial(kExp64, r); }

// exp(x) = (1 + part) 2^n.
template <class T>
struct ExpParts {
  T part;
  uint_of<T> n;
};
// Of x + low for a `low` far below x: x = n log(2) + r, part = r + r^2 P(r).
template <class T>
CEPH_INLINE ExpParts<T> exp_parts(T x, T low) {
  using C = ExpConstants<T>;
  constexpr T kRound = FloatBits<T>::kRound;
  x = bound(x, C::kLow, C::kHigh);
  T rounded = fma(x, C::kLog2e, kRound);
  T n = rounded - kRound;
  T high = fma(n, -C::kLog2High, x);
  T near = fma(n, -C::kLog2Low, high);
  T r = near + low;
  uint_of<T> power = bit_cast<uint_of<T>>(rounded) - bit_cast<uint_of<T>>(kRound);
  if constexpr (sizeof(T) == 4) return {fma(r * r, exp_polynomial(r), r), power};
  T lost = fma(n, -C::kLog2Low, high - near) + (low - (r - near));  // what r is rounded by
  return {r + fma(r * r, exp_polynomial(r), lost), power};
}
// exp(x + low) 2^power.
template <class T>
CEPH_INLINE T exp_of_sum(T x, T low, uint_of<T> power = 0) {
  ExpParts<T> e = exp_parts(x, low);
  return scale(e.part + T(1), e.n + power);
}
// x = 2^exponent (1 + fraction) with 1 + fraction in [sqrt(1/2), sqrt(2)), for finite x > 0.
template <class T>
struct Split {
  T exponent, fraction;
};
template <class T>
CEPH_INLINE Split<T> split(T x) {
  using B = FloatBits<T>;
  using U = uint_of<T>;
  constexpr U kTop = ~(~U(0) >> 1);
  constexpr U kOffset = kTop >> B::kMantissa;
  constexpr T kHalfRoot = T(0.70710678118654752440);
  constexpr T kSmallest = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);
  constexpr T kScaled = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);
  bool subnormal = x < kSmallest;
  U bits = bit_cast<U>(subnormal ? x * kScaled : x) - bit_cast<U>(kHalfRoot);
  U exponent = (bits + kTop) >> B::kMantissa;  // offset by kOffset, so never negative
  T fraction = bit_cast<T>((bits & ((U(1) << B::kMantissa) - 1)) + bit_cast<U>(kHalfRoot)) - T(1);
  // The integer goes into the low bits of kRound: a conversion that every ISA vectorises.
  T whole = bit_cast<T>(exponent + bit_cast<U>(B::kRound)) - (B::kRound + T(kOffset));
  return {whole - (subnormal ? T(B::kMantissa) : T(0)), fraction};
}

CEPH_INLINE float log_of_fraction(float f, float carry) {
  float half_square = 0.5f * f * f;
  float tail = fma(f * f * f, polynomial(kLog32, f), carry);
  return f - (half_square - tail);
}
// log(1 + f) = 2 atanh(s), s = f / (2 + f), with 2 s = f - f^2/2 + s f^2/2.
CEPH_INLINE double log_of_fraction(double f, double carry) {
  double s = f / (2.0 + f);
  double u = s * s;
  double half_square = 0.5 * f * f;
  double tail = 2.0 * u * polynomial(kLog64, u);
  return f - (half_square - fma(s, half_square + tail, carry));
}

// A logarithm's value where its argument has no exponent and fraction.
template <class T>
CEPH_INLINE T log_edges(T x, T result) {
  constexpr T kInf = __builtin_inf();
  result = x == kInf ? kInf : result;
  result = x == 0 ? -kInf : result;
  return x >= 0 ? result : T(__builtin_nan(""));
}

// Note [Rough functions]
// Within 2 ULP, where that is all that is asked: what float16, bfloat16 and (from double) float
// results are rounded from, and parts of longer computations.
template <class T>
CEPH_INLINE T rough_exp(T x) {
  return exp_of_sum(x, T(0));
}
template <class T>
CEPH_INLINE T rough_log(T x) {
  using C = ExpConstants<T>;
  Split<T> parts = split(x);
  T result = fma(parts.exponent, C::kLog2High,
                 log_of_fraction(parts.fraction, parts.exponent * C::kLog2Low));
  return log_edges(x, result);
}
CEPH_INLINE float rough_tanh(float x) {
  float magnitude = absolute_bits(x);
  float u = x * x;
  float small = fma(x * u, polynomial(kTanh32, u), x);
  float large = 1.0f - 2.0f / (rough_exp(magnitude + magnitude) + 1.0f);
  return copy_sign(magnitude < 0.625f ? small : large, x);  // tanh(-0) = -0
}
// 1 / (1 + exp(-x)), without the overflow on the negative side.
template <class T>
CEPH_INLINE T rough_sigmoid(T x) {
  T e = rough_exp(-absolute_bits(x));
  T result = (x < 0 ? e : T(1)) / (T(1) + e);
  return x != x ? x : result;
}

// What float is rounded from: exp(x) = (1 + part) 2^n for |x| <= 200, to 2^-39.
struct WideExp {
  double part, power;  // power = 2^n
};
CEPH_INLINE WideExp wide_exp(double x) {
  constexpr double kLog2 = 0x1.62e42fefa39efp-1, kRound = FloatBits<double>::kRound;
  x = bound(x, -200.0, 200.0);
  double n = fma(x, ExpConstants<double>::kLog2e, kRound) - kRound;
  double r = fma(n, -kLog2, x);
  return {r * polynomial(kRise32, r), power_of_two<double>(whole_bits(n))};
}
CEPH_INLINE float exp(float x) {
  WideExp e = wide_exp(x);
  return static_cast<float>(fma(e.power, e.part, e.power));
}
CEPH_INLINE float log(float x) { return rough_log(x); }
// (exp(y) - 1) / (exp(y) + 1), y = 2 |x|.
CEPH_INLINE float tanh(float x) {
  WideExp e = wide_exp(2.0 * absolute_bits(x));
  double below = fma(e.power, e.part, e.power - 1.0);
  return copy_sign(static_cast<float>(below / (below + 2.0)), x);
}
// 1 / (1 + exp(-x)): double has room for all of it.
CEPH_INLINE float sigmoid(float x) {
  WideExp e = wide_exp(-static_cast<double>(x));
  return static_cast<float>(1.0 / (1.0 + fma(e.power, e.part, e.power)));
}
