// Whole numbers near a value, remainders, shifts; what a number is, and its sign.

CEPH_INLINE float floor(float x) { return __builtin_floorf(x); }
CEPH_INLINE double floor(double x) { return __builtin_floor(x); }
CEPH_INLINE float ceil(float x) { return __builtin_ceilf(x); }
CEPH_INLINE double ceil(double x) { return __builtin_ceil(x); }
// A number halfway between two whole ones goes to the even one.
CEPH_INLINE float round_half_even(float x) { return __builtin_rintf(x); }
CEPH_INLINE double round_half_even(double x) { return __builtin_rint(x); }

// What is left of the division towards zero, with the sign of the dividend. Exact: the C library
// subtracts multiples of the divisor as often as it takes.
CEPH_INLINE float fmod(float a, float b) { return __builtin_fmodf(a, b); }
CEPH_INLINE double fmod(double a, double b) { return __builtin_fmod(a, b); }
template <class T>
  requires kIsInteger<T>
CEPH_INLINE T fmod(T a, T b) {
  return sub(a, mul(trunc_div(a, b), b));
}

// What is left of the division downwards, with the sign of the divisor.
template <class T>
CEPH_INLINE T remainder(T a, T b) {
  if constexpr (kIsInteger<T>) {
    return sub(a, mul(floor_div(a, b), b));
  } else {
    T rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
}

// A shift by all bits or more, or by a negative number, leaves what shifting one by one would: 0,
// or the sign.
template <class T>
  requires kIsInteger<T>
CEPH_INLINE T shift_left(T a, T count) {
  constexpr auto kBits = static_cast<std::make_unsigned_t<T>>(sizeof(T) * 8);
  bool inside = static_cast<std::make_unsigned_t<T>>(count) < kBits;
  return inside ? static_cast<T>(wrapping_t<T>(a) << (inside ? count : T(0))) : T(0);
}
template <class T>
  requires kIsInteger<T>
CEPH_INLINE T shift_right(T a, T count) {
  constexpr auto kBits = static_cast<std::make_unsigned_t<T>>(sizeof(T) * 8);
  bool inside = static_cast<std::make_unsigned_t<T>>(count) < kBits;
  T all = a < 0 ? static_cast<T>(~T(0)) : T(0);
  return inside ? static_cast<T>(a >> (inside ? count : T(0))) : all;
}

template <class T>
CEPH_INLINE bool is_infinite(T x) {
  return absolute_bits(x) == T(__builtin_inf());
}
template <class T>
CEPH_INLINE bool is_finite(T x) {
  return absolute_bits(x) < T(__builtin_inf());
}
template <class T>
CEPH_INLINE bool has_sign_bit(T x) {
  return bit_cast<uint_of<T>>(x) >> (sizeof(T) * 8 - 1) != 0;
}
// -1, 0 or 1; of NaN, 0.
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T sign(T x) {
  if constexpr (std::is_same_v<T, bool>)
    return x;
  else
    return static_cast<T>((x > T(0)) - (x < T(0)));
}

// The other operand where one is NaN.
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T fmax(T a, T b) {
  return a != a ? b : (b != b ? a : maximum(a, b));
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T fmin(T a, T b) {
  return a != a ? b : (b != b ? a : minimum(a, b));
}

// From the nearer end, so that a weight of 1 gives `b`.
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T lerp(T a, T b, T weight) {
  T way = b - a;
  return absolute_bits(weight) < T(0.5) ? a + weight * way : b - way * (T(1) - weight);
}
