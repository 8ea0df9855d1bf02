#pragma once

#include <cstddef>
#include <cstdint>

#include "base/export.h"

namespace ceph {

// Note [CPU memory]
// Up to 1 MiB a block belongs to a size class: multiples of 64 bytes up to 1 KiB, then four classes
// to each doubling. Every thread keeps a bounded list of free blocks per class; a block may be
// freed on another thread and then joins that thread's list. Larger blocks are mappings aligned to
// 2 MiB, in classes that waste at most an eighth; freed ones are kept for reuse up to a bound,
// because touching fresh pages costs several times what the arithmetic on them does.

inline constexpr size_t kSmallBlockLimit = size_t(1) << 20;

struct MemoryStatistics {
  int64_t small_bytes_in_use = 0;
  int64_t large_bytes_in_use = 0;
  int64_t large_bytes_cached = 0;
  int64_t large_bytes_peak = 0;
  int64_t system_allocations = 0;  // times that a large block came from the system
};
CEPH_API MemoryStatistics cpu_memory_statistics();

// Gives the cached large blocks, and this thread's small ones, back to the system.
CEPH_API void release_cached_cpu_memory();
// Bound of the large blocks that are kept.
CEPH_API void set_cpu_cache_limit(size_t bytes);

namespace detail {

// Raw blocks of the size classes, also used for the objects of core: no poison, never null.
void* small_allocate(size_t bytes);
void small_deallocate(void* block, size_t bytes) noexcept;

// In caching_allocator_large.cpp.
void* large_allocate(size_t bytes);
void large_deallocate(void* block, size_t bytes) noexcept;
void large_release_cached() noexcept;
void large_statistics(MemoryStatistics& out);
[[noreturn]] void throw_out_of_memory(size_t bytes);

}  // namespace detail
}  // namespace ceph
