// Activations of neural networks, and what is made of logarithms of sums.

// x sigmoid(x).
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T silu(T x) {
  return x * rough_sigmoid(x);
}

// x times the share of a normal distribution below x.
CEPH_INLINE double gelu(double x) {
  constexpr double kHalfRoot = 0x1.6a09e667f3bcdp-1;
  return 0.5 * x * rough_erfc(-x * kHalfRoot);
}
// The share above a is exp(-a^2 / 2) t P(t), t = 1 / (1 + 0.3 a).
CEPH_INLINE float gelu(float x) {
  float size = absolute_bits(x);
  float t = 1.0f / fma(0.3f, size, 1.0f);
  float above = rough_exp(-0.5f * x * x) * t * polynomial(kNormal32, t);
  return x * (x < 0 ? above : 1.0f - above);
}
// The same with a sigmoid for the share: 0.5 (1 + tanh(y)) = sigmoid(2 y).
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T gelu_tanh(T x) {
  constexpr T kTwice = T(1.59576912160573071176);  // 2 sqrt(2 / pi)
  return x * rough_sigmoid(kTwice * fma(T(0.044715) * x * x, x, x));
}

CEPH_INLINE double softplus(double x, double beta, double threshold) {
  double y = x * beta;
  return y > threshold ? x : rough_log1p(rough_exp(y)) / beta;
}
CEPH_INLINE float softplus(float x, float beta, float threshold) {
  double y = static_cast<double>(x) * beta;
  return y > threshold ? x : static_cast<float>(rough_log1p(rough_exp(y)) / beta);
}
CEPH_INLINE double logsigmoid(double x) {
  return (x < 0 ? x : 0.0) - rough_log1p(rough_exp(-absolute_bits(x)));
}
CEPH_INLINE float logsigmoid(float x) {
  return static_cast<float>(logsigmoid(static_cast<double>(x)));
}
// x tanh(log(1 + e^x)) = x n / (n + 2), n = e^x (e^x + 2).
CEPH_INLINE double mish(double x) {
  double e = rough_exp(x > 40.0 ? 40.0 : x);
  double n = e * (e + 2.0);
  return x * (n / (n + 2.0));
}
CEPH_INLINE float mish(float x) { return static_cast<float>(mish(static_cast<double>(x))); }

// Zero is on the side of positive numbers: times an infinite alpha it would be none.
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T elu(T x, T alpha) {
  return x >= 0 ? x : alpha * expm1(x);
}
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T celu(T x, T alpha) {
  return x >= 0 ? x : alpha * expm1(x / alpha);
}
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T selu(T x) {
  constexpr T kScale = T(1.0507009873554804934193349852946);
  constexpr T kAlphaScale = T(1.7580993408473768599402175208123);
  return x >= 0 ? kScale * x : kAlphaScale * expm1(x);
}
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T hardsigmoid(T x) {
  return minimum(maximum(x + T(3), T(0)), T(6)) / T(6);
}
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T hardswish(T x) {
  return x * hardsigmoid(x);
}

// x log(y), 0 for x = 0 whatever the number y.
template <class T>
  requires std::is_floating_point_v<T>
CEPH_INLINE T xlogy(T x, T y) {
  return x == 0 && y == y ? T(0) : x * log(y);
}
// log(exp(a) + exp(b)); of equal infinities, that infinity.
CEPH_INLINE double logaddexp(double a, double b) {
  double larger = maximum(a, b), smaller = minimum(a, b);
  return a == b && !is_finite(a) ? a : larger + rough_log1p(rough_exp(smaller - larger));
}
CEPH_INLINE float logaddexp(float a, float b) {
  return static_cast<float>(logaddexp(static_cast<double>(a), static_cast<double>(b)));
}
