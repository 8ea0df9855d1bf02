// softmax and layer_norm of contiguous rows.

#include "kernels/generic/fold.h"

#include "kernels/generic/moments.h"

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

// exp(x[i] - largest), summed pairwise.
template <class T>
CEPH_INLINE T sum_of_powers(const T* x, int64_t count, T largest) {
  constexpr int64_t kBlock = 512;
  return fold_chunks<T>(
      (count + kBlock - 1) / kBlock,
      [&](int64_t block, T& sum) {
        const int64_t first = block * kBlock;
        const int64_t length = count - first < kBlock ? count - first : kBlock;
        T powers[kBlock];
        for (int64_t i = 0; i < length; ++i) powers[i] = exp_below(x[first + i], largest);
        sum = sum_of(powers, length);
      },
      [](T earlier, T& next) { next = earlier + next; });
}

// x - (largest + log(sum)), where the difference to the largest is small and exact enough.
template <class T>
static void log_softmax_row(const void* in, void* out, int64_t count) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  T largest;
  FoldOf<MaximumOp, T, 1>::row(x, count, &largest);
  const T logarithm = log(sum_of_powers(x, count, largest));
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) y[i] = (x[i] - largest) - logarithm;
}

// An infinite largest, or NaN, is the result itself.
template <class T>
static void logsumexp_row(const void* in, int64_t count, void* result) {
  const T* x = static_cast<const T*>(in);
  T largest;
  FoldOf<MaximumOp, T, 1>::row(x, count, &largest);
  T value = largest;
  if (absolute_bits(largest) < T(__builtin_inf())) {
    value = largest + log(sum_of_powers(x, count, largest));
  }
  __builtin_memcpy(result, &value, sizeof(value));
}

// The power of two that brings a row of float64 to a size whose squares are in range; float32 is
// normalised in float64, where all of its squares are.
template <class T>
struct RowScale {
  double down = 1;

  RowScale(const T* x, int64_t count) {
    if constexpr (std::is_same_v<T, double>) {
      double largest;
      FoldOf<ExtremeOp<true>, T, 1, Magnitude>::row(x, count, &largest);
      if (largest > 0x1p480 && largest < __builtin_inf()) down = 0x1p-600;
    }
  }
};

template <class T>
static void layer_norm_row(const void* in, void* out, int64_t count, const void* weight,
                           const void* bias, double eps) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  const T* w = static_cast<const T*>(weight);
  const T* b = static_cast<const T*>(bias);
  const RowScale<T> size(x, count);
  Moments moments;
  if (size.down == 1) {
    MomentsFold<T>::row(x, count, &moments);
  } else {
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(x[i] * size.down);
    MomentsFold<T>::row(y, count, &moments);
    x = y;
  }
  const double variance = moments.squares / moments.count;
  const double scale = 1.0 / __builtin_sqrt(variance + eps * size.down * size.down);
  const double mean = moments.mean, low = moments.low;
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(((x[i] - mean) - low) * scale);
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

template <class T>
static constexpr void add_rows(NormTable& table, DType dtype) {
  const int i = static_cast<int>(dtype);
  table.softmax[i] = &softmax_row<T>;
  table.log_softmax[i] = &log_softmax_row<T>;
  table.logsumexp[i] = &logsumexp_row<T>;
  table.layer_norm[i] = &layer_norm_row<T>;
}

static constexpr NormTable make_norm_table() {
  NormTable table{};
  add_rows<float>(table, DType::Float32);
  add_rows<double>(table, DType::Float64);
  return table;
}
extern constexpr NormTable norm_table = make_norm_table();
