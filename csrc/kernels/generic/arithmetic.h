// Arithmetic, comparison and selection for bool, integers, float and double.

// Where integers are added and multiplied: unsigned, so that overflow wraps, and at least as wide
// as int, so that promotion to int can't overflow.
template <class T>
using wrapping_t = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T add(T a, T b) {
  if constexpr (kIsInteger<T>)
    return static_cast<T>(wrapping_t<T>(a) + wrapping_t<T>(b));
  else
    return static_cast<T>(a + b);
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T sub(T a, T b) {
  if constexpr (kIsInteger<T>)
    return static_cast<T>(wrapping_t<T>(a) - wrapping_t<T>(b));
  else
    return static_cast<T>(a - b);
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T mul(T a, T b) {
  if constexpr (kIsInteger<T>)
    return static_cast<T>(wrapping_t<T>(a) * wrapping_t<T>(b));
  else
    return static_cast<T>(a * b);
}
// A value times a number of the call (`alpha`); complex.h has its own.
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T mul_scalar(T number, T a) {
  return mul(number, a);
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T neg(T a) {
  if constexpr (kIsInteger<T>)
    return static_cast<T>(wrapping_t<T>(0) - wrapping_t<T>(a));
  else
    return static_cast<T>(-a);
}
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T div(T a, T b) {
  return a / b;
}

template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T absolute(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return absolute_bits(a);
  else if constexpr (std::is_signed_v<T>)
    return a < 0 ? neg(a) : a;
  else
    return a;
}

template <class T>
  requires std::is_integral_v<T>
CEPH_INLINE T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
  requires std::is_integral_v<T>
CEPH_INLINE T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
  requires std::is_integral_v<T>
CEPH_INLINE T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
  requires std::is_integral_v<T>
CEPH_INLINE T bit_not(T a) {
  if constexpr (std::is_same_v<T, bool>)
    return !a;
  else
    return static_cast<T>(~a);
}

template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE bool eq(T a, T b) {
  return a == b;
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE bool ne(T a, T b) {
  return a != b;
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE bool lt(T a, T b) {
  return a < b;
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE bool le(T a, T b) {
  return a <= b;
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE bool gt(T a, T b) {
  return a > b;
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE bool ge(T a, T b) {
  return a >= b;
}

template <class T>
CEPH_INLINE T where(bool condition, T a, T b) {
  return condition ? a : b;
}

// NaN of either operand is the result; of two zeros the positive one is the larger.
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    T equal = bit_cast<T>(bit_cast<uint_of<T>>(a) & bit_cast<uint_of<T>>(b));
    T ordered = a > b ? a : (a == b ? equal : b);
    return a != a ? a : ordered;
  } else {
    return a > b ? a : b;
  }
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    T equal = bit_cast<T>(bit_cast<uint_of<T>>(a) | bit_cast<uint_of<T>>(b));
    T ordered = a < b ? a : (a == b ? equal : b);
    return a != a ? a : ordered;
  } else {
    return a < b ? a : b;
  }
}

// Integer quotients: 0 for a zero divisor, which callers refuse beforehand; the quotient of the
// smallest integer by -1 wraps.
template <class T>
  requires kIsInteger<T>
CEPH_INLINE T trunc_div(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    bool special = b == 0 || b == -1;
    T quotient = static_cast<T>(a / (special ? T(1) : b));
    return special ? (b == 0 ? T(0) : neg(a)) : quotient;
  } else {
    return b == 0 ? T(0) : static_cast<T>(a / (b == 0 ? T(1) : b));
  }
}
template <class T>
  requires kIsInteger<T>
CEPH_INLINE T floor_div(T a, T b) {
  T quotient = trunc_div(a, b);
  if constexpr (std::is_signed_v<T>) {
    bool inexact = mul(quotient, b) != a;
    return b != 0 && inexact && (a < 0) != (b < 0) ? static_cast<T>(quotient - 1) : quotient;
  } else {
    return quotient;
  }
}

// Magnitudes, which the smallest integer has as an unsigned one.
template <class T>
  requires kIsInteger<T>
CEPH_INLINE T gcd(T a, T b) {
  using U = std::make_unsigned_t<T>;
  U x = static_cast<U>(absolute(a)), y = static_cast<U>(absolute(b));
  while (y != 0) {
    U rest = static_cast<U>(x % y);
    x = y;
    y = rest;
  }
  return static_cast<T>(x);
}
template <class T>
  requires kIsInteger<T>
CEPH_INLINE T lcm(T a, T b) {
  return absolute(mul(trunc_div(a, gcd(a, b)), b));
}

CEPH_INLINE float truncate(float x) { return __builtin_truncf(x); }
CEPH_INLINE double truncate(double x) { return __builtin_trunc(x); }
CEPH_INLINE float trunc_div(float a, float b) { return truncate(a / b); }
CEPH_INLINE double trunc_div(double a, double b) { return truncate(a / b); }

// Note [Floor division]
// floor of the exact quotient, which the rounded one may have passed: 1.0 // 0.1 is 9. An infinite
// dividend has no quotient (NaN); a zero divisor gives what / gives.
template <class T>
CEPH_INLINE T floor_div_specials(T a, T b, T quotient) {
  constexpr T kInf = __builtin_inf();
  bool opposite = (a < 0 && b > 0) || (a > 0 && b < 0);
  T toward_zero = opposite ? T(-1) : a / b;
  quotient = absolute_bits(b) == kInf ? toward_zero : quotient;
  quotient = b == 0 ? a / b : quotient;
  return absolute_bits(a) == kInf && b != 0 ? T(__builtin_nan("")) : quotient;
}
// A quotient of two floats that isn't an integer is farther from one than double's rounding.
CEPH_INLINE float floor_div(float a, float b) {
  double quotient = __builtin_floor(static_cast<double>(a) / static_cast<double>(b));
  return floor_div_specials(a, b, static_cast<float>(quotient));
}
// The sign of the exact remainder says whether the rounded quotient passed an integer. A real fma
// in every ISA: without the instruction it is a library call, slow and right.
CEPH_INLINE double floor_div(double a, double b) {
  double quotient = __builtin_floor(a / b);
  double remainder = __builtin_fma(-quotient, b, a);
  bool passed = b > 0 ? remainder < 0 : remainder > 0;
  bool countable = absolute_bits(quotient) < 0x1p53;
  return floor_div_specials(a, b, passed && countable ? quotient - 1 : quotient);
}

CEPH_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
CEPH_INLINE double sqrt(double x) { return __builtin_sqrt(x); }

// Infinite when either is infinite, even beside a NaN; no overflow or underflow on the way.
CEPH_INLINE float hypot(float a, float b) {
  constexpr float kInf = __builtin_inff();
  double wide = static_cast<double>(a) * a + static_cast<double>(b) * b;
  bool infinite = absolute_bits(a) == kInf || absolute_bits(b) == kInf;
  return infinite ? kInf : static_cast<float>(__builtin_sqrt(wide));
}
CEPH_INLINE double hypot(double a, double b) {
  constexpr double kInf = __builtin_inf();
  double x = absolute_bits(a), y = absolute_bits(b);
  double largest = x > y ? x : y;
  double up = largest > 0x1p500 ? 0x1p-600 : (largest < 0x1p-500 ? 0x1p600 : 1.0);
  double down = largest > 0x1p500 ? 0x1p600 : (largest < 0x1p-500 ? 0x1p-600 : 1.0);
  double p = x * up, q = y * up;
  double result = __builtin_sqrt(fma(p, p, q * q)) * down;
  return x == kInf || y == kInf ? kInf : result;
}

template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T real(T a) {
  return a;
}
template <class T>
  requires std::is_arithmetic_v<T>
CEPH_INLINE T imag(T) {
  return T(0);
}
