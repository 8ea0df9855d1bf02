// The error function and what is made of it, in double; float is computed in double and rounded
// once.

inline constexpr double kErfNear = 0.75;  // up to here erf is a polynomial

// erf(x) - x near zero.
CEPH_INLINE double erf_tail(double x) { return x * polynomial(kErf64, x * x); }
// erfc(size) from kErfNear on: exp(-x^2) with the square in two words, times a slow function.
CEPH_INLINE double erfc_far(double size) {
  double x = size > 28.0 ? 28.0 : size;  // zero
  double slow = polynomial(kErfc64, (x - 4.0) / (x + 4.0)) / fma(2.0, x, 1.0);
  DoubleDouble square = two_product(x, x);
  ExpParts<double> e = exp_parts(-square.hi, -square.lo);
  return scale(fma(slow, e.part, slow), e.n);
}

CEPH_INLINE double erf(double x) {
  double size = absolute_bits(x);
  double near = x + erf_tail(x);
  return size < kErfNear ? near : copy_sign(1.0 - erfc_far(size), x);
}
CEPH_INLINE double erfc(double x) {
  double size = absolute_bits(x);
  double far = erfc_far(size);
  double near = 0.5 - ((x - 0.5) + erf_tail(x));
  return size < kErfNear ? near : (x < 0 ? 2.0 - far : far);
}
CEPH_INLINE float erf(float x) { return static_cast<float>(erf(static_cast<double>(x))); }
