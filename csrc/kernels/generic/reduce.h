// The table of folds, and the search for a largest element.

#include "kernels/generic/fold.h"

template <class T>
CEPH_INLINE bool is_larger(T x, T best) {
  if constexpr (std::is_floating_point_v<T>)
    return x > best || (x != x && best == best);
  else
    return x > best;
}

template <class T>
static int64_t first_maximum(const void* terms, int64_t count, void* best) {
  const T* x = static_cast<const T*>(terms);
  T before, largest;
  __builtin_memcpy(&before, best, sizeof(T));
  FoldOf<MaximumOp, T, 1>::row(x, count, &largest);
  if (!is_larger(largest, before)) return -1;
  __builtin_memcpy(best, &largest, sizeof(T));
  int64_t i = 0;
  while (!(x[i] == largest || (x[i] != x[i]))) ++i;
  return i;
}

template <class T>
static constexpr void add_maximum(ReduceTable& table, DType dtype) {
  table.maximum[static_cast<int>(dtype)] = FoldOf<MaximumOp, T, 1>::fold();
  table.first_maximum[static_cast<int>(dtype)] = &first_maximum<T>;
}

static constexpr ReduceTable make_reduce_table() {
  ReduceTable table{};
  auto sum = [&](DType dtype) -> Fold& { return table.sum[static_cast<int>(dtype)]; };
  sum(DType::Int64) = FoldOf<SumOp, uint64_t, 1>::fold();  // unsigned: overflow wraps
  sum(DType::Float32) = FoldOf<SumOp, float, 1>::fold();
  sum(DType::Float64) = FoldOf<SumOp, double, 1>::fold();
  sum(DType::Complex64) = FoldOf<SumOp, float, 2>::fold();
  sum(DType::Complex128) = FoldOf<SumOp, double, 2>::fold();
  add_maximum<uint8_t>(table, DType::Bool);
  add_maximum<uint8_t>(table, DType::UInt8);
  add_maximum<int8_t>(table, DType::Int8);
  add_maximum<int16_t>(table, DType::Int16);
  add_maximum<int32_t>(table, DType::Int32);
  add_maximum<int64_t>(table, DType::Int64);
  add_maximum<float>(table, DType::Float32);
  add_maximum<double>(table, DType::Float64);
  table.any = FoldOf<AnyOp, uint8_t, 1>::fold();
  return table;
}
extern constexpr ReduceTable reduce_table = make_reduce_table();
