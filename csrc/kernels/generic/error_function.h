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

CEPH_INLINE double rough_erf(double x) {
  double size = absolute_bits(x);
  double near = x + erf_tail(x);
  return size < kErfNear ? near : copy_sign(1.0 - erfc_far(size), x);
}
CEPH_INLINE double rough_erfc(double x) {
  double size = absolute_bits(x);
  double far = erfc_far(size);
  double near = 0.5 - ((x - 0.5) + erf_tail(x));
  return size < kErfNear ? near : (x < 0 ? 2.0 - far : far);
}

// In two words, for double. Up to 3/2 a polynomial.
CEPH_INLINE DoubleDouble erf_near(double x) {
  return product(x, polynomial_in_two(kErfLead, kErfTail, two_product(x, x)));
}
CEPH_INLINE double erf(double x) {
  double size = absolute_bits(x);
  DoubleDouble near = erf_near(x);
  double result = size < kTiny ? fma(x, kErfLead[0].hi - 1.0, x) : near.hi + near.lo;
  return size < 1.5 ? result : copy_sign(1.0 - erfc_far(size), x);  // where erfc's error is none
}
// As erfc_far.
CEPH_INLINE double erfc_far_in_two(double size) {
  double x = size > 28.0 ? 28.0 : size;  // zero
  DoubleDouble t = divide(two_sum(x, -4.0), two_sum(x, 4.0));
  DoubleDouble slow =
      divide(polynomial_in_two(kErfcLead, kErfcTail, t), quick_two_sum(2.0 * x, 1.0));
  DoubleDouble square = two_product(x, x);
  ExpInTwo e = exp_in_two(-square.hi, -square.lo);
  DoubleDouble y = multiply({32.0 * slow.hi, 32.0 * slow.lo}, plus_one(e.part));
  return scale_in_two(y, e.n - 5.0);
}
CEPH_INLINE double erfc(double x) {
  double size = absolute_bits(x);
  double far = erfc_far_in_two(size);
  DoubleDouble below = erf_near(x), near = two_sum(1.0, -below.hi);
  return size < kErfNear ? near.hi + (near.lo - below.lo) : (x < 0 ? 2.0 - far : far);
}
CEPH_INLINE float erfc(float x) { return static_cast<float>(rough_erfc(static_cast<double>(x))); }
CEPH_INLINE float erf(float x) { return static_cast<float>(rough_erf(static_cast<double>(x))); }
