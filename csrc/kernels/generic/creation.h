// Casts between all storage dtypes and ranges.

#include "kernels/generic/half_blocks.h"

template <class To, class From>
static void cast_block(char* const* data, int64_t count, const void*) {
  To* to = reinterpret_cast<To*>(data[0]);
  const From* from = reinterpret_cast<const From*>(data[1]);
  if constexpr (std::is_same_v<To, float> && std::is_same_v<From, Half>) {
    widen_block(from, to, count);
  } else if constexpr (std::is_same_v<To, Half> && std::is_same_v<From, float>) {
    narrow_block(from, to, count);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) store_converted(to + i, load(from + i));
  }
}

template <class M>
static void integer_range(void* out, int64_t first, int64_t count, int64_t start, int64_t step) {
  M* to = static_cast<M*>(out);
  const int64_t base = add(start, mul(first, step));
  for (int64_t j = 0; j < count; ++j) to[j] = static_cast<M>(add(base, mul(j, step)));
}

// The index is exact in double, so that a value is rounded by one product and one sum. It is made
// of a 32-bit counter, whose conversion every ISA has.
template <class M>
static void floating_range(void* out, int64_t first, int64_t count, double start, double step) {
  constexpr int32_t kBlock = 1 << 20;
  M* to = static_cast<M*>(out);
  for (int64_t done = 0; done < count; done += kBlock) {
    const double base = static_cast<double>(first + done);
    const int32_t length = static_cast<int32_t>(count - done < kBlock ? count - done : kBlock);
    M* block = to + done;
    for (int32_t j = 0; j < length; ++j) {
      double value = start + (base + static_cast<double>(j)) * step;
      store_converted(block + j, value);
    }
  }
}

template <class M>
static constexpr auto integer_range_or_null() {
  using F = void (*)(void*, int64_t, int64_t, int64_t, int64_t);
  if constexpr (kIsInteger<M>)
    return F(&integer_range<M>);
  else
    return F(nullptr);
}
template <class M>
static constexpr auto floating_range_or_null() {
  using F = void (*)(void*, int64_t, int64_t, double, double);
  if constexpr (std::is_floating_point_v<arithmetic_t<M>>)
    return F(&floating_range<M>);
  else
    return F(nullptr);
}

template <class To>
struct CastsTo {
#define CEPH_FROM(name, type, text) &cast_block<To, type>,
  static constexpr BlockLoop kFrom[kNumDTypes] = {CEPH_FORALL_DTYPES(CEPH_FROM)};
#undef CEPH_FROM
};

template <class... To>
static constexpr CreationTable make_creation_table() {
  CreationTable table{};
  const BlockLoop* rows[] = {CastsTo<To>::kFrom...};
  for (int to = 0; to < kNumDTypes; ++to) {
    for (int from = 0; from < kNumDTypes; ++from) table.casts[to][from] = rows[to][from];
  }
  int at = 0;
  ((table.integer_range[at] = integer_range_or_null<To>(),
    table.floating_range[at] = floating_range_or_null<To>(), ++at),
   ...);
  return table;
}

#define CEPH_TYPE(name, type, text) , type
template <class Head, class... To>
static constexpr CreationTable without_head() {
  return make_creation_table<To...>();
}
extern constexpr CreationTable creation_table = without_head<void CEPH_FORALL_DTYPES(CEPH_TYPE)>();
#undef CEPH_TYPE
