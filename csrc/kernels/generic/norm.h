// softmax and layer_norm of contiguous rows.

#include "kernels/generic/fold.h"

// exp(x - largest), the difference in two words: its rounding alone would cost |x - largest| / 2
// ULP.
template <class T>
CEPH_INLINE T exp_below(T x, T largest) {
  T difference = x - largest;
  T part = difference - x;
  T low = (x - (difference - part)) + (-largest - part);
  low = difference > ExpConstants<T>::kLow ? low : T(0);
  return exp_of_sum(difference, low);
}

// A row of -inf, or one with NaN or +inf, has no softmax: NaN.
template <class T>
static void softmax_row(const void* in, void* out, int64_t count) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  T largest;
  FoldOf<MaximumOp, T, 1>::row(x, count, &largest);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) y[i] = exp_below(x[i], largest);
  const T sum = sum_of(y, count);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) y[i] /= sum;
}

// Sums of x - shift and of its square, chunk by chunk through a buffer.
template <class T>
struct Moments {
  T first, second;
};
template <class T>
CEPH_INLINE Moments<T> moments(const T* x, int64_t count, T shift) {
  constexpr int64_t kBlock = 1024;
  T differences[kBlock], squares[kBlock];
  T first[48], second[48];
  int64_t blocks = 0;
  for (int64_t at = 0; at < count; at += kBlock, ++blocks) {
    const int64_t length = count - at < kBlock ? count - at : kBlock;
    for (int64_t i = 0; i < length; ++i) {
      differences[i] = x[at + i] - shift;
      squares[i] = differences[i] * differences[i];
    }
    T a = sum_of(differences, length), b = sum_of(squares, length);
    int level = 0;
    for (; blocks >> level & 1; ++level) {
      a = first[level] + a;
      b = second[level] + b;
    }
    first[level] = a;
    second[level] = b;
  }
  Moments<T> result{T(0), T(0)};
  for (int level = 0; blocks >> level != 0; ++level) {
    if (!(blocks >> level & 1)) continue;
    result = {first[level] + result.first, second[level] + result.second};
  }
  return result;
}

// Two passes: the mean, then the moments about it. The first of these corrects the rounding of the
// mean, so that a large mean beside a small deviation costs no accuracy.
template <class T>
static void layer_norm_row(const void* in, void* out, int64_t count, const void* weight,
                           const void* bias, double eps) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  const T* w = static_cast<const T*>(weight);
  const T* b = static_cast<const T*>(bias);
  const T size = static_cast<T>(count);
  const T mean = sum_of(x, count) / size;
  const Moments<T> about = moments(x, count, mean);
  const T correction = about.first / size;
  const T spread = about.second / size - correction * correction;
  const double variance = spread < 0 ? 0.0 : static_cast<double>(spread);
  const T scale = static_cast<T>(1.0 / __builtin_sqrt(variance + eps));
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) y[i] = ((x[i] - mean) - correction) * scale;
  if (w && b) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = fma(y[i], w[i], b[i]);
  } else if (w) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] *= w[i];
  } else if (b) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] += b[i];
  }
}

static constexpr NormTable make_norm_table() {
  NormTable table{};
  table.softmax[static_cast<int>(DType::Float32)] = &softmax_row<float>;
  table.softmax[static_cast<int>(DType::Float64)] = &softmax_row<double>;
  table.layer_norm[static_cast<int>(DType::Float32)] = &layer_norm_row<float>;
  table.layer_norm[static_cast<int>(DType::Float64)] = &layer_norm_row<double>;
  return table;
}
extern constexpr NormTable norm_table = make_norm_table();
