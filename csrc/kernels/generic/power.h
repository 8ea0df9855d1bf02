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
  double logarithm = rough_log(static_cast<double>(absolute_bits(x)));
  double magnitude = rough_exp(static_cast<double>(bound_exponent(y)) * logarithm);
  return pow_of_sign(x, y, static_cast<float>(magnitude));
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
