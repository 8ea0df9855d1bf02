#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/cpu_features.h"
#include "kernels/pointwise_blocks.h"

// What each family's units offer: one table of function pointers per ISA, defined at the end of
// generic/<family>.h and picked by the drivers in cpu/<family>.cpp.

namespace ceph::kernels {

struct CreationTable {
  // [to][from], contiguous: data[0] = converted data[1]. Note [Casts] in copy.h.
  BlockLoop casts[kNumDTypes][kNumDTypes];
  // out[j] = start + (first + j) * step, by dtype; null where the other arithmetic applies.
  void (*integer_range[kNumDTypes])(void* out, int64_t first, int64_t count, int64_t start,
                                    int64_t step);
  void (*floating_range[kNumDTypes])(void* out, int64_t first, int64_t count, double start,
                                     double step);
};

#define CEPH_DECLARE_TABLES(isa)             \
  namespace isa {                            \
  extern const CreationTable creation_table; \
  }
CEPH_DECLARE_TABLES(scalar)
#if defined(__x86_64__)
CEPH_DECLARE_TABLES(avx2)
CEPH_DECLARE_TABLES(avx512)
#endif
#undef CEPH_DECLARE_TABLES

// The table of the ISA in use: active_table(scalar::t, avx2::t, avx512::t), where the last two exist.
template <class Table, class... Others>
const Table& active_table(const Table& scalar_table, const Others&... others) {
  const Table* tables[] = {&scalar_table, &others...};
  return *tables[static_cast<int>(active_isa())];
}
#if defined(__x86_64__)
#define CEPH_ACTIVE_TABLE(family) \
  active_table(scalar::family##_table, avx2::family##_table, avx512::family##_table)
#else
#define CEPH_ACTIVE_TABLE(family) active_table(scalar::family##_table)
#endif

}  // namespace ceph::kernels
