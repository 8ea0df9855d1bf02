#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "base/env.h"
#include "base/error.h"
#include "core/caching_allocator.h"

// Blocks above 1 MiB; see Note [CPU memory].

namespace ceph {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepBlocks = false;
#else
constexpr bool kKeepBlocks = true;
#endif

constexpr size_t kHugePage = size_t(2) << 20;
constexpr size_t kLargest = size_t(1) << 62;

// Multiples of a huge page, eight steps to each doubling: a function of the size alone, so that a
// block can be given back by the size it was asked for with.
size_t rounded(size_t bytes) {
  const size_t top = static_cast<size_t>(std::bit_width(bytes - 1));  // bytes <= 2^top
  const size_t step = std::max(kHugePage, size_t(1) << (top > 4 ? top - 4 : 0));
  return (bytes + step - 1) / step * step;
}

size_t default_limit() {
  const int64_t mib = env::get_int(env::Var::CpuCacheMib);
  CEPH_CHECK(mib >= -1 && mib < int64_t(1) << 40, ErrorKind::kValue, "CEPHEID_CPU_CACHE_MIB",
             "expected -1 or a number of MiB; got ", mib);
  if (mib >= 0) return static_cast<size_t>(mib) << 20;
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? static_cast<size_t>(pages) / 8 * static_cast<size_t>(page)
                               : size_t(256) << 20;
}

class LargeBlocks {
 public:
  static LargeBlocks& global() {
    static LargeBlocks& blocks = *new LargeBlocks;
    return blocks;
  }

  void* allocate(size_t bytes) {
    if (bytes > kLargest) detail::throw_out_of_memory(bytes);
    const size_t size = rounded(bytes);
    void* block = reuse(size);
    if (block) return block;
    block = map(size);
    if (!block) {
      release_cached_cpu_memory();
      block = map(size);
    }
    if (!block) detail::throw_out_of_memory(bytes);
    const std::lock_guard lock(mutex_);
    ++system_allocations_;
    count(size);
    return block;
  }

  void deallocate(void* block, size_t bytes) noexcept {
    const size_t size = rounded(bytes);
    const std::lock_guard lock(mutex_);
    in_use_ -= size;
    if (!kKeepBlocks || size > limit_) {
      munmap(block, size);
      return;
    }
    shrink_to(limit_ - size);
    cached_[size].push_back(block);
    cached_bytes_ += size;
  }

  void shrink(size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    shrink_to(bytes);
  }

  void set_limit(size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
    shrink_to(bytes);
  }

  void statistics(MemoryStatistics& out) {
    const std::lock_guard lock(mutex_);
    out.large_bytes_in_use = static_cast<int64_t>(in_use_);
    out.large_bytes_cached = static_cast<int64_t>(cached_bytes_);
    out.large_bytes_peak = static_cast<int64_t>(peak_);
    out.system_allocations = system_allocations_;
  }

 private:
  LargeBlocks() : limit_(default_limit()), huge_pages_(env::get_bool(env::Var::HugePages)) {
    const int registered =
        pthread_atfork([] { global().mutex_.lock(); }, [] { global().mutex_.unlock(); },
                       [] { global().mutex_.unlock(); });
    CEPH_INTERNAL(registered == 0);
  }

  void* reuse(size_t size) {
    const std::lock_guard lock(mutex_);
    const auto found = cached_.find(size);
    if (found == cached_.end() || found->second.empty()) return nullptr;
    void* block = found->second.back();
    found->second.pop_back();
    cached_bytes_ -= size;
    count(size);
    return block;
  }

  void* map(size_t size) const {
    const size_t whole = size + kHugePage;
    void* raw = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    char* begin = static_cast<char*>(raw);
    const size_t before = (kHugePage - reinterpret_cast<uintptr_t>(raw) % kHugePage) % kHugePage;
    if (before) munmap(begin, before);
    if (before != kHugePage) munmap(begin + before + size, kHugePage - before);
    if (huge_pages_) madvise(begin + before, size, MADV_HUGEPAGE);
    return begin + before;
  }

  void count(size_t size) {
    in_use_ += size;
    peak_ = std::max(peak_, in_use_);
  }

  // Largest first: fewest system calls, and the least likely to be asked for again.
  void shrink_to(size_t bytes) noexcept {
    while (cached_bytes_ > bytes) {
      const auto last = std::prev(cached_.end());
      if (!last->second.empty()) {
        munmap(last->second.back(), last->first);
        last->second.pop_back();
        cached_bytes_ -= last->first;
      }
      if (last->second.empty()) cached_.erase(last);
    }
  }

  std::mutex mutex_;
  std::map<size_t, std::vector<void*>> cached_;
  size_t cached_bytes_ = 0;
  size_t in_use_ = 0;
  size_t peak_ = 0;
  int64_t system_allocations_ = 0;
  size_t limit_;
  const bool huge_pages_;
};

}  // namespace

void* detail::large_allocate(size_t bytes) { return LargeBlocks::global().allocate(bytes); }
void detail::large_deallocate(void* block, size_t bytes) noexcept {
  LargeBlocks::global().deallocate(block, bytes);
}
void detail::large_release_cached() noexcept { LargeBlocks::global().shrink(0); }
void detail::large_statistics(MemoryStatistics& out) { LargeBlocks::global().statistics(out); }

void detail::throw_out_of_memory(size_t bytes) {
  const MemoryStatistics held = cpu_memory_statistics();
  fail(ErrorKind::kOutOfMemory, "cpu", "out of memory: tried to allocate ", bytes, " bytes; ",
       held.small_bytes_in_use + held.large_bytes_in_use, " bytes are in use and ",
       held.large_bytes_cached, " are cached");
}

void set_cpu_cache_limit(size_t bytes) { LargeBlocks::global().set_limit(bytes); }

}  // namespace ceph
