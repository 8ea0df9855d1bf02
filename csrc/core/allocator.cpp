#include "core/allocator.h"

#include <atomic>
#include <cstring>

#include "base/env.h"
#include "core/caching_allocator.h"

namespace ceph {
namespace {

std::atomic<bool>& poison() {
  static std::atomic<bool> on{env::get_bool(env::Var::PoisonNewMemory)};
  return on;
}

class CpuAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    if (bytes == 0) return nullptr;
    void* block =
        bytes <= kSmallBlockLimit ? detail::small_allocate(bytes) : detail::large_allocate(bytes);
    if (poison_.load(std::memory_order_relaxed)) [[unlikely]]
      std::memset(block, 0xFF, bytes);
    return block;
  }
  void deallocate(void* data, size_t bytes) override {
    if (!data) return;
    if (bytes <= kSmallBlockLimit)
      detail::small_deallocate(data, bytes);
    else
      detail::large_deallocate(data, bytes);
  }

 private:
  std::atomic<bool>& poison_ = poison();
};

class MetaAllocator final : public Allocator {
 public:
  void* allocate(size_t) override { return nullptr; }
  void deallocate(void*, size_t) override {}
};

}  // namespace

// Never destroyed: tensors in static objects die after it would be.
Allocator& cpu_allocator() {
  static Allocator& allocator = *new CpuAllocator;
  return allocator;
}

Allocator& meta_allocator() {
  static Allocator& allocator = *new MetaAllocator;
  return allocator;
}

void set_poison_new_memory(bool on) { poison().store(on, std::memory_order_relaxed); }

}  // namespace ceph
