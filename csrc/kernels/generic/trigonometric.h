// sin, cos, tan and their inverses, in double; float is computed in double and rounded once.

// An angle as quarter turns and a rest within pi/4 of zero, in two words.
struct Angle {
  double rest, low;
  uint64_t quarter;  // its two lowest bits count
};

// Beyond this the quarter turns don't fit the three words of pi/2 below.
inline constexpr double kFarAngle = 0x1p20;
template <class T>
CEPH_INLINE bool is_far_angle(T x) {
  return absolute_bits(x) > T(kFarAngle);
}

// pi/2 in words of 33 bits: times fewer than 2^20 quarters each product is exact, with and without
// a fused instruction.
CEPH_INLINE Angle reduce_angle(double x) {
  constexpr double kFirst = 0x1.921fb544p+0, kSecond = 0x1.0b4611a6p-34;
  constexpr double kThird = 0x1.3198a2ep-69, kRest = 0x1.b839a252049c1p-104;
  constexpr double kInverse = 0x1.45f306dc9c883p-1, kRound = FloatBits<double>::kRound;
  double rounded = fma(x, kInverse, kRound);
  double n = rounded - kRound;
  DoubleDouble upper = two_sum(fma(-n, kFirst, x), -(n * kSecond));
  DoubleDouble rest = two_sum(upper.hi, -(n * kThird));
  rest = quick_two_sum(rest.hi, rest.lo + fma(-n, kRest, upper.lo));
  return {rest.hi, rest.lo, bit_cast<uint64_t>(rounded)};
}

// Note [Far angles]
// x = m 2^e for an integer m of 53 bits. The digits of 2/pi that make whole turns of x are left
// out, of the next 192 the product with m is taken: its first two are the quarter, and what follows
// keeps 60 digits more than any double's angle loses to zeros.
CEPH_INLINE Angle reduce_far_angle(double x) {
  constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
  constexpr int kMantissa = FloatBits<double>::kMantissa;
  uint64_t bits = bit_cast<uint64_t>(absolute_bits(x));
  uint64_t m = (bits & ((uint64_t(1) << kMantissa) - 1)) | (uint64_t(1) << kMantissa);
  int exponent = static_cast<int>(bits >> kMantissa) - FloatBits<double>::kBias - kMantissa;
  int first = exponent - 2 + 64;  // the table begins with 64 zeros
  const uint64_t* words = kTwoOverPi + first / 64;
  int shift = first % 64;
  uint64_t digits[3];
  for (int i = 0; i < 3; ++i) {
    uint64_t next = shift == 0 ? 0 : words[i + 1] >> (64 - shift);
    digits[i] = (words[i] << shift) | next;
  }
  using Wide = unsigned __int128;
  Wide low = Wide(m) * digits[2];
  Wide high = Wide(m) * digits[1] + (low >> 64) + (Wide(m * digits[0]) << 64);
  uint64_t quarter = static_cast<uint64_t>(high >> 126);
  Wide fraction = (high << 2) | (static_cast<uint64_t>(low) >> 62);
  quarter += static_cast<uint64_t>(fraction >> 127);
  auto rest = static_cast<__int128>(fraction);  // from half a quarter on: what lacks to the next
  double turns = static_cast<double>(rest);
  double turns_low = static_cast<double>(rest - static_cast<__int128>(turns));
  DoubleDouble angle = multiply({turns * 0x1p-128, turns_low * 0x1p-128}, {kHalfPi, kHalfPiLow});
  bool negative = x < 0;
  return {negative ? -angle.hi : angle.hi, negative ? -angle.lo : angle.lo,
          negative ? -quarter : quarter};
}

CEPH_INLINE double with_sign_bit(double x, uint64_t bit) {
  return bit_cast<double>(bit_cast<uint64_t>(x) ^ (bit << 63));
}

// Rough, of the rest: float is rounded from them.
CEPH_INLINE double sin_of_rest(Angle a) {
  double u = a.rest * a.rest;
  return a.rest + fma(a.rest * u, polynomial(kSin64, u), a.low);
}
CEPH_INLINE double cos_of_rest(Angle a) {
  double u = a.rest * a.rest;
  return fma(u, fma(u, polynomial(kCos64, u), -0.5), 1.0);
}
CEPH_INLINE double rough_sin(Angle a) {
  double value = (a.quarter & 1) != 0 ? cos_of_rest(a) : sin_of_rest(a);
  return with_sign_bit(value, a.quarter >> 1 & 1);
}
CEPH_INLINE double rough_tan(Angle a) {
  double sine = sin_of_rest(a), cosine = cos_of_rest(a);
  bool odd = (a.quarter & 1) != 0;
  return (odd ? -cosine : sine) / (odd ? sine : cosine);
}
CEPH_INLINE Angle next_quarter(Angle a) { return {a.rest, a.low, a.quarter + 1}; }

CEPH_INLINE float sin(float x) {
  return x == 0 ? x : static_cast<float>(rough_sin(reduce_angle(x)));
}
CEPH_INLINE float cos(float x) {
  return static_cast<float>(rough_sin(next_quarter(reduce_angle(x))));
}
CEPH_INLINE float tan(float x) {
  return x == 0 ? x : static_cast<float>(rough_tan(reduce_angle(x)));
}

// For float16, which a float next to the middle of two of them would mislead.
CEPH_INLINE float sin_to_odd(float x) {
  return x == 0 ? x : round_to_odd(rough_sin(reduce_angle(x)));
}

// In two words, for double.
CEPH_INLINE DoubleDouble sin_in_two(Angle a) {
  DoubleDouble rest = {a.rest, a.low};
  return product(rest, polynomial_in_two(kSinLead, kSinTail, product(rest, rest)));
}
CEPH_INLINE DoubleDouble cos_in_two(Angle a) {
  DoubleDouble rest = {a.rest, a.low};
  return polynomial_in_two(kCosLead, kCosTail, product(rest, rest));
}
CEPH_INLINE double sin_of_angle(Angle a) {
  bool odd = (a.quarter & 1) != 0;
  DoubleDouble sine = sin_in_two(a), cosine = cos_in_two(a);
  double value = odd ? cosine.hi + cosine.lo : sine.hi + sine.lo;
  return with_sign_bit(value, a.quarter >> 1 & 1);
}
CEPH_INLINE double cos_of_angle(Angle a) { return sin_of_angle(next_quarter(a)); }
CEPH_INLINE double tan_of_angle(Angle a) {
  bool odd = (a.quarter & 1) != 0;
  DoubleDouble sine = sin_in_two(a), cosine = cos_in_two(a);
  DoubleDouble above = {odd ? -cosine.hi : sine.hi, odd ? -cosine.lo : sine.lo};
  DoubleDouble below = {odd ? sine.hi : cosine.hi, odd ? sine.lo : cosine.lo};
  DoubleDouble result = divide(above, below);
  return result.hi + result.lo;
}
CEPH_INLINE double sin(double x) { return x == 0 ? x : sin_of_angle(reduce_angle(x)); }
CEPH_INLINE double cos(double x) { return cos_of_angle(reduce_angle(x)); }
CEPH_INLINE double tan(double x) { return x == 0 ? x : tan_of_angle(reduce_angle(x)); }

// The same of angles that are far; an infinite one has no value.
template <class T>
CEPH_INLINE T sin_far(T x) {
  return is_finite(x) ? static_cast<T>(sin_of_angle(reduce_far_angle(x))) : x - x;
}
template <class T>
CEPH_INLINE T cos_far(T x) {
  return is_finite(x) ? static_cast<T>(cos_of_angle(reduce_far_angle(x))) : x - x;
}
template <class T>
CEPH_INLINE T tan_far(T x) {
  return is_finite(x) ? static_cast<T>(tan_of_angle(reduce_far_angle(x))) : x - x;
}

inline constexpr double kPi = 0x1.921fb54442d18p+1, kPiLow = 0x1.1a62633145c07p-53;

// atan(numerator / denominator) for a quotient of at least 0: the quotient is turned back by the
// nearest of the angles below, which leaves 7/16 at most.
CEPH_INLINE DoubleDouble atan_of_quotient(double p, double q) {
  double size = p / q;
  bool above0 = size > 0.4375, above1 = size > 0.6875, above2 = size > 1.1875,
       above3 = size > 2.4375;
  double turn = above2 ? 1.5 : (above1 ? 1.0 : (above0 ? 0.5 : 0.0));
  double high = above2 ? 0x1.f730bd281f69bp-1 : (above1 ? kPi / 4 : 0x1.dac670561bb4fp-2);
  double low = above2 ? 0x1.007887af0cbbdp-56 : (above1 ? kPiLow / 4 : 0x1.a2b7f222f65e2p-56);
  high = above3 ? kPi / 2 : (above0 ? high : 0.0);
  low = above3 ? kPiLow / 2 : (above0 ? low : 0.0);
  double above = above3 ? -1.0 : size - turn, below = above3 ? size : fma(turn, size, 1.0);
  double t = above / below;
  double u = t * t;
  return {high, fma(t * u, polynomial(kAtan64, u), low) + t};
}

CEPH_INLINE double atan(double x) {
  DoubleDouble angle = atan_of_quotient(absolute_bits(x), 1.0);
  return copy_sign(angle.hi + angle.lo, x);
}
CEPH_INLINE float atan(float x) { return static_cast<float>(atan(static_cast<double>(x))); }

// The angle of the vector (x, y): two infinities count as equal, the angle of (0, 0) is that of
// (+-1, 0).
CEPH_INLINE double atan2(double y, double x) {
  constexpr double kInf = __builtin_inf();
  double p = absolute_bits(y), q = absolute_bits(x);
  bool both = p == kInf && q == kInf;
  DoubleDouble angle = atan_of_quotient(both ? 1.0 : p, both || (p == 0 && q == 0) ? 1.0 : q);
  bool left = has_sign_bit(x);
  double forward = angle.hi + angle.lo;
  double backward = (kPi - angle.hi) - (angle.lo - kPiLow);
  double result = copy_sign(left ? backward : forward, y);
  return x != x || y != y ? x + y : result;
}
CEPH_INLINE float atan2(float y, float x) {
  return static_cast<float>(atan2(static_cast<double>(y), static_cast<double>(x)));
}

// asin(x) = x + x u P(u) up to 1/2; beyond, with s = sqrt((1 - x) / 2), pi/2 - 2 asin(s).
struct HalfAngle {
  double root, tail;  // asin(root) = root + tail
  bool beyond;
};
CEPH_INLINE HalfAngle half_angle(double size) {
  bool beyond = size > 0.5;
  double u = beyond ? fma(-0.5, size, 0.5) : size * size;
  DoubleDouble half = square_root({u, 0.0});
  double root = beyond ? half.hi : size;
  return {root, fma(root * u, polynomial(kAsin64, u), beyond ? half.lo : 0.0), beyond};
}
CEPH_INLINE double asin(double x) {
  HalfAngle a = half_angle(absolute_bits(x));
  DoubleDouble far = quick_two_sum(kPi / 2, -2.0 * a.root);
  double result = a.beyond ? far.hi : a.root;
  return copy_sign(result + (a.beyond ? far.lo - (2.0 * a.tail - kPiLow / 2) : a.tail), x);
}
CEPH_INLINE double acos(double x) {
  HalfAngle a = half_angle(absolute_bits(x));
  DoubleDouble middle = quick_two_sum(kPi / 2, -copy_sign(a.root, x));
  DoubleDouble left = quick_two_sum(kPi, -2.0 * a.root);
  double near = middle.hi + (middle.lo - (copy_sign(a.tail, x) - kPiLow / 2));
  double far = left.hi + (left.lo - (2.0 * a.tail - kPiLow));
  return a.beyond ? (x < 0 ? far : 2.0 * (a.root + a.tail)) : near;
}
CEPH_INLINE float asin(float x) { return static_cast<float>(asin(static_cast<double>(x))); }
CEPH_INLINE float acos(float x) { return static_cast<float>(acos(static_cast<double>(x))); }

// x times a factor in two words. Times zero or infinity the low one may be of the other sign.
CEPH_INLINE double times_factor(double x, DoubleDouble factor) {
  double result = fma(x, factor.hi, x * factor.lo);
  return x == 0 || is_infinite(x) ? x : result;
}
inline constexpr DoubleDouble kDegree = {0x1.1df46a2529d39p-6, 0x1.5c1d8becdd291p-62};
inline constexpr DoubleDouble kDegreesOfRadian = {0x1.ca5dc1a63c1f8p+5, -0x1.1e7ab456405f9p-49};
CEPH_INLINE double deg2rad(double x) { return times_factor(x, kDegree); }
CEPH_INLINE double rad2deg(double x) { return times_factor(x, kDegreesOfRadian); }
CEPH_INLINE float deg2rad(float x) { return static_cast<float>(x * kDegree.hi); }
CEPH_INLINE float rad2deg(float x) { return static_cast<float>(x * kDegreesOfRadian.hi); }
