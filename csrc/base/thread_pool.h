#pragma once

#include <cstdint>

#include "base/export.h"
#include "base/function_ref.h"

namespace ceph {

// Runs `body(first, last)` over pieces of [begin, end) of at least `grain`, on the calling thread
// and the pool's. Pieces are claimed by an atomic counter, so a busy machine costs no waiting for
// an idle piece. Nested calls, ranges within one grain and one-thread settings run in place.
// The first exception is rethrown in the caller. Safe after fork: the child starts its own workers.
// `grain` decides the pieces, not the thread count, when `fixed_pieces` is set: results that depend
// on the pieces (reductions) are then the same for every number of threads.
CEPH_API void parallel_for(int64_t begin, int64_t end, int64_t grain,
                           FunctionRef<void(int64_t, int64_t)> body, bool fixed_pieces = false);

CEPH_API int num_threads();
CEPH_API void set_num_threads(int count);  // 1 to 1024; RuntimeError otherwise
CEPH_API bool in_parallel_region();

// Elements below which a pointwise loop isn't worth splitting.
inline constexpr int64_t kGrain = 32768;

}  // namespace ceph
