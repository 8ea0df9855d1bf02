// The table of folds, and the search for a largest or smallest element.

#include "kernels/generic/fold.h"

#include "kernels/generic/moments.h"

template <bool kLargest, class T>
CEPH_INLINE bool surpasses(T x, T best) {
  bool beyond = kLargest ? x > best : x < best;
  if constexpr (std::is_floating_point_v<T>)
    return beyond || (x != x && best == best);
  else
    return beyond;
}

template <bool kLargest, class T>
static int64_t first_extreme(const void* terms, int64_t count, void* best) {
  const T* x = static_cast<const T*>(terms);
  T before, extreme;
  __builtin_memcpy(&before, best, sizeof(T));
  FoldOf<ExtremeOp<kLargest>, T, 1>::row(x, count, &extreme);
  if (!surpasses<kLargest>(extreme, before)) return -1;
  __builtin_memcpy(best, &extreme, sizeof(T));
  int64_t i = 0;
  while (!(x[i] == extreme || (x[i] != x[i]))) ++i;
  return i;
}

// Products of complex numbers: sequential within a chunk.
template <class T>
struct ComplexProduct {
  static constexpr int64_t kChunk = 64;
  using Number = Complex<T>;

  static void row(const void* terms, int64_t count, void* result) {
    const T* x = static_cast<const T*>(terms);
    Number value =
        fold_chunks<Number>((count + kChunk - 1) / kChunk,
                            [&](int64_t chunk, Number& product) {
                              int64_t last =
                                  (chunk + 1) * kChunk < count ? (chunk + 1) * kChunk : count;
                              product = {x[2 * chunk * kChunk], x[2 * chunk * kChunk + 1]};
                              for (int64_t t = chunk * kChunk + 1; t < last; ++t) {
                                product = mul(product, Number(x[2 * t], x[2 * t + 1]));
                              }
                            },
                            [](const Number& earlier, Number& next) { next = mul(earlier, next); });
    __builtin_memcpy(result, &value, sizeof(value));
  }
  static void columns(const char* const* rows, int64_t count, int64_t width, void* result) {
    __builtin_memcpy(result, rows[0], static_cast<size_t>(width) * sizeof(Number));
    for (int64_t t = 1; t < count; ++t) combine_items(result, rows[t], width);
  }
  static void combine_items(void* accumulated, const void* next, int64_t count) {
    T* to = static_cast<T*>(accumulated);
    const T* x = static_cast<const T*>(next);
    for (int64_t i = 0; i < 2 * count; i += 2) {
      Number product = mul(Number(to[i], to[i + 1]), Number(x[i], x[i + 1]));
      to[i] = product.re;
      to[i + 1] = product.im;
    }
  }
  static constexpr Fold fold(DType term) {
    return {term, kChunk, sizeof(Number), &row, &columns, &combine_items};
  }
};

template <class T>
static constexpr void add_extremes(ReduceTable& table, DType dtype) {
  const int i = static_cast<int>(dtype);
  table.maximum[i] = FoldOf<ExtremeOp<true>, T, 1>::fold(dtype);
  table.minimum[i] = FoldOf<ExtremeOp<false>, T, 1>::fold(dtype);
  table.first_maximum[i] = &first_extreme<true, T>;
  table.first_minimum[i] = &first_extreme<false, T>;
}

// M: the type in memory, A: the one that sums are formed in.
template <class M, class A>
static constexpr void add_floating(ReduceTable& table, DType dtype) {
  const int i = static_cast<int>(dtype);
  table.sum[i] = FoldOf<SumOp, M, 1, Itself, A>::fold(dtype);
  table.nansum[i] = FoldOf<SumOp, M, 1, NanAsZero, A>::fold(dtype);
  table.product[i] = FoldOf<ProductOp, M, 1, Itself, A>::fold(dtype);
}

template <class T>
static constexpr void add_norms(ReduceTable& table, DType dtype) {
  const int i = static_cast<int>(dtype);
  table.squares[i] = FoldOf<SumOp, T, 1, Square, double>::fold(dtype);
  table.magnitudes[i] = FoldOf<SumOp, T, 1, Magnitude, double>::fold(dtype);
  table.largest[i] = FoldOf<ExtremeOp<true>, T, 1, Magnitude>::fold(dtype);
  table.smallest[i] = FoldOf<ExtremeOp<false>, T, 1, Magnitude>::fold(dtype);
  table.moments[i] = MomentsFold<T>::fold(dtype);
}

static constexpr ReduceTable make_reduce_table() {
  ReduceTable table{};
  auto at = [](DType dtype) { return static_cast<int>(dtype); };
  // unsigned: overflow wraps
  table.sum[at(DType::Int64)] = FoldOf<SumOp, uint64_t, 1>::fold(DType::Int64);
  table.product[at(DType::Int64)] = FoldOf<ProductOp, uint64_t, 1>::fold(DType::Int64);
  add_floating<BFloat16, float>(table, DType::BFloat16);
  add_floating<float, float>(table, DType::Float32);
  add_floating<double, double>(table, DType::Float64);
  table.sum[at(DType::Complex64)] = FoldOf<SumOp, float, 2>::fold(DType::Complex64);
  table.sum[at(DType::Complex128)] = FoldOf<SumOp, double, 2>::fold(DType::Complex128);
  table.product[at(DType::Complex64)] = ComplexProduct<float>::fold(DType::Complex64);
  table.product[at(DType::Complex128)] = ComplexProduct<double>::fold(DType::Complex128);
  add_norms<float>(table, DType::Float32);
  add_norms<double>(table, DType::Float64);
  add_extremes<uint8_t>(table, DType::Bool);
  add_extremes<uint8_t>(table, DType::UInt8);
  add_extremes<int8_t>(table, DType::Int8);
  add_extremes<int16_t>(table, DType::Int16);
  add_extremes<int32_t>(table, DType::Int32);
  add_extremes<int64_t>(table, DType::Int64);
  add_extremes<float>(table, DType::Float32);
  add_extremes<double>(table, DType::Float64);
  table.any = FoldOf<AnyOp, uint8_t, 1>::fold(DType::Bool);
  table.all = FoldOf<AllOp, uint8_t, 1>::fold(DType::Bool);
  table.truths = FoldOf<SumOp, uint8_t, 1, Itself, int64_t>::fold(DType::Bool);
  return table;
}
extern constexpr ReduceTable reduce_table = make_reduce_table();
