// exp, log, tanh and sigmoid for float and double.

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
  x = x > C::kHigh ? C::kHigh : x;
  x = x < C::kLow ? C::kLow : x;
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
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T exp(T x) {
  return exp_of_sum(x, T(0));
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

template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T log(T x) {
  using C = ExpConstants<T>;
  Split<T> parts = split(x);
  T result = fma(parts.exponent, C::kLog2High,
                 log_of_fraction(parts.fraction, parts.exponent * C::kLog2Low));
  return log_edges(x, result);
}

CEPH_INLINE float tanh_polynomial(float u) { return polynomial(kTanh32, u); }
CEPH_INLINE double tanh_polynomial(double u) { return polynomial(kTanh64, u); }

template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T tanh(T x) {
  T magnitude = absolute_bits(x);
  T u = x * x;
  T small = fma(x * u, tanh_polynomial(u), x);
  T large = T(1) - T(2) / (exp(magnitude + magnitude) + T(1));
  return copy_sign(magnitude < T(0.625) ? small : large, x);  // tanh(-0) = -0
}

// 1 / (1 + exp(-x)), without the overflow on the negative side.
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T sigmoid(T x) {
  T e = exp(-absolute_bits(x));
  T result = (x < 0 ? e : T(1)) / (T(1) + e);
  return x != x ? x : result;
}
