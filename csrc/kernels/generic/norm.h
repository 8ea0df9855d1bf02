// softmax and norms of contiguous rows.

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
  const T share = T(1) / sum_of(y, count);  // of at least 1 and at most `count`
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) y[i] *= share;
}

// exp(x[i] - largest), summed pairwise.
template <class T>
CEPH_INLINE T sum_of_powers(const T* x, int64_t count, T largest) {
  constexpr int64_t kBlock = 512;
  return fold_chunks<T>((count + kBlock - 1) / kBlock,
                        [&](int64_t block, T& sum) {
                          const int64_t first = block * kBlock;
                          const int64_t length = count - first < kBlock ? count - first : kBlock;
                          T powers[kBlock];
                          for (int64_t i = 0; i < length; ++i)
                            powers[i] = exp_below(x[first + i], largest);
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

// Of float32 in one walk, in float64 about the first element. As that is one of the elements, the
// difference of the sums loses no more than a factor of their number: float64 has room for that.
CEPH_INLINE Moments row_moments(const float* x, int64_t count) {
  const double first = x[0];
  double totals[2];
  shifted_sums(x, count, first, totals);
  const double terms = static_cast<double>(count), shift = totals[0] / terms;
  const DoubleDouble mean = two_sum(first, shift);
  return {terms, mean.hi, mean.lo, totals[1] - totals[0] * shift};
}
CEPH_INLINE Moments row_moments(const double* x, int64_t count) {
  Moments moments;
  MomentsFold<double>::row(x, count, &moments);
  return moments;
}

// y[i] = (x[i] - mean) * scale, in the type of the row where the scale is a normal number of it.
template <class T>
CEPH_INLINE void standardise(const T* x, T* y, int64_t count, double mean, double low,
                             double scale) {
  const T near = static_cast<T>(mean), rest = static_cast<T>((mean - near) + low);
  const T factor = static_cast<T>(scale);
  if (absolute_bits(near) < T(0x1p100) && factor > T(0x1p-100) && factor < T(0x1p100)) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = ((x[i] - near) - rest) * factor;
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(((x[i] - mean) - low) * scale);
  }
}

// y[i] = y[i] w[i] + b[i], each where it is given.
template <class T>
CEPH_INLINE void weigh(T* y, int64_t count, const T* w, const T* b) {
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
static void layer_norm_row(const void* in, void* out, int64_t count, const void* weight,
                           const void* bias, double eps) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  const RowScale<T> size(x, count);
  if (size.down != 1) {
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(x[i] * size.down);
    x = y;
  }
  const Moments moments = row_moments(x, count);
  const double variance = moments.squares / moments.count;
  const double scale = 1.0 / __builtin_sqrt(variance + eps * size.down * size.down);
  standardise(x, y, count, moments.mean, moments.low, scale);
  weigh(y, count, static_cast<const T*>(weight), static_cast<const T*>(bias));
}

template <class T>
static void rms_norm_row(const void* in, void* out, int64_t count, const void* weight,
                         const void* bias, double eps) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  const RowScale<T> size(x, count);
  if (size.down != 1) {
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<T>(x[i] * size.down);
    x = y;
  }
  double squares;
  FoldOf<SumOp, T, 1, Square, double>::row(x, count, &squares);
  const double mean = squares / static_cast<double>(count);
  const double scale = 1.0 / __builtin_sqrt(mean + eps * size.down * size.down);
  standardise(x, y, count, 0, 0, scale);
  weigh(y, count, static_cast<const T*>(weight), static_cast<const T*>(bias));
}

template <class T>
static void moments_of_row(const void* in, int64_t count, Moments* result) {
  *result = row_moments(static_cast<const T*>(in), count);
}

// A ChannelNorm in the type of the elements, where its numbers are normal ones of it.
template <class T>
struct ChannelIn {
  T near, rest, factor, shift;
  bool fits;

  CEPH_INLINE explicit ChannelIn(const ChannelNorm& norm)
      : near(static_cast<T>(norm.mean)), rest(static_cast<T>((norm.mean - near) + norm.low)),
        factor(static_cast<T>(norm.scale)), shift(static_cast<T>(norm.shift)) {
    const T size = absolute_bits(factor);
    fits = absolute_bits(near) < T(0x1p100) && size > T(0x1p-100) && size < T(0x1p100);
  }
};
template <class T>
CEPH_INLINE T normalised(T x, const ChannelNorm& norm) {
  return static_cast<T>(((x - norm.mean) - norm.low) * norm.scale + norm.shift);
}

template <class T>
static void channel_row(const void* in, void* out, int64_t count, const ChannelNorm& norm) {
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  const ChannelIn<T> own(norm);
  if (own.fits) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      y[i] = fma((x[i] - own.near) - own.rest, own.factor, own.shift);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) y[i] = normalised(x[i], norm);
  }
}

template <class T>
static void channel_rows(const void* in, void* out, int64_t rows, int64_t channels,
                         const ChannelNorm* norms) {
  constexpr int64_t kBlock = 256;
  T near[kBlock], rest[kBlock], factor[kBlock], shift[kBlock];
  for (int64_t first = 0; first < channels; first += kBlock) {
    const int64_t width = channels - first < kBlock ? channels - first : kBlock;
    bool fit = true;
    for (int64_t c = 0; c < width; ++c) {
      const ChannelIn<T> own(norms[first + c]);
      near[c] = own.near, rest[c] = own.rest, factor[c] = own.factor, shift[c] = own.shift;
      fit = fit && own.fits;
    }
    for (int64_t r = 0; r < rows; ++r) {
      const T* x = static_cast<const T*>(in) + r * channels + first;
      T* y = static_cast<T*>(out) + r * channels + first;
      if (!fit) [[unlikely]] {
        for (int64_t c = 0; c < width; ++c) channel_row<T>(x + c, y + c, 1, norms[first + c]);
        continue;
      }
#pragma GCC ivdep
      for (int64_t c = 0; c < width; ++c) {
        y[c] = fma((x[c] - near[c]) - rest[c], factor[c], shift[c]);
      }
    }
  }
}

template <class T>
static constexpr void add_rows(NormTable& table, DType dtype) {
  const int i = static_cast<int>(dtype);
  table.softmax[i] = &softmax_row<T>;
  table.log_softmax[i] = &log_softmax_row<T>;
  table.logsumexp[i] = &logsumexp_row<T>;
  table.layer_norm[i] = &layer_norm_row<T>;
  table.rms_norm[i] = &rms_norm_row<T>;
  table.moments[i] = &moments_of_row<T>;
  table.channel[i] = &channel_row<T>;
  table.channels[i] = &channel_rows<T>;
}

static constexpr NormTable make_norm_table() {
  NormTable table{};
  add_rows<float>(table, DType::Float32);
  add_rows<double>(table, DType::Float64);
  return table;
}
extern constexpr NormTable norm_table = make_norm_table();
