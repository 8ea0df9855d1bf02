#pragma once

#include <cstddef>

#include "base/export.h"

namespace ceph {

// Gives and takes back raw memory of one device, aligned to 64 bytes.
class CEPH_API Allocator {
 public:
  virtual ~Allocator() = default;
  // Never null for bytes > 0: OutOfMemory says how much was asked for and how much is held.
  virtual void* allocate(size_t bytes) = 0;
  virtual void deallocate(void* data, size_t bytes) = 0;
};

// Size classes per thread below 1 MiB, cached 2 MiB-aligned huge-page blocks above (CPU.md of the
// design: 1.2 ns for a small block, and 5-10 x for results of tens of megabytes).
CEPH_API Allocator& cpu_allocator();
// Allocates nothing: storages of the meta device.
CEPH_API Allocator& meta_allocator();

// Test aid: new CPU memory is filled with 0xFF bytes (NaN, -1) so that unwritten outputs show.
CEPH_API void set_poison_new_memory(bool on);

}  // namespace ceph
