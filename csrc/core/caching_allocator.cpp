#include "core/caching_allocator.h"

#include <pthread.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/error.h"

namespace ceph {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeepBlocks = false;  // a block in a list would hide a use after free
#else
constexpr bool kKeepBlocks = true;
#endif

constexpr size_t kLine = 64;
constexpr size_t kFineClasses = 16;  // 64, 128 ... 1024
constexpr size_t kClasses = kFineClasses + 4 * 10;
constexpr size_t kKeptBytes = 512 * 1024;  // per class and thread
constexpr uint32_t kMostKept = 512;

size_t class_of(size_t bytes) {
  if (bytes <= kFineClasses * kLine) return bytes == 0 ? 0 : (bytes - 1) / kLine;
  const size_t top =
      static_cast<size_t>(std::bit_width(bytes - 1)) - 1;  // 2^top < bytes <= 2^(top+1)
  const size_t quarter = ((bytes - 1) >> (top - 2)) & 3;
  return kFineClasses + (top - 10) * 4 + quarter;
}

size_t class_bytes(size_t index) {
  if (index < kFineClasses) return (index + 1) * kLine;
  const size_t coarse = index - kFineClasses;
  const size_t base = size_t(1024) << (coarse / 4);
  return base + base / 4 * (coarse % 4 + 1);
}

uint32_t most_kept(size_t bytes) {
  const size_t fit = kKeptBytes / bytes;
  return fit < 2 ? 2 : fit > kMostKept ? kMostKept : static_cast<uint32_t>(fit);
}

struct FreeBlock {
  FreeBlock* next;
};

// Written by its thread only; the count is read by statistics.
struct SizeClass {
  FreeBlock* head = nullptr;
  std::atomic<uint32_t> count{0};
  uint32_t most = 0;

  void push(void* block) {
    head = new (block) FreeBlock{head};
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void* pop() {
    count.store(count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return std::exchange(head, head->next);
  }
};

// What is in use follows from what came from the system and what lies in the lists, so that the
// fast paths count nothing else.
struct ThreadCache {
  SizeClass classes[kClasses];
  std::atomic<int64_t> from_system{0};  // bytes taken from it less those given back

  int64_t in_use() const {
    int64_t bytes = from_system.load(std::memory_order_relaxed);
    for (size_t i = 0; i < kClasses; ++i) {
      bytes -= int64_t(classes[i].count.load(std::memory_order_relaxed)) *
               static_cast<int64_t>(class_bytes(i));
    }
    return bytes;
  }
};

// Stands in before a thread's first block and after its end: all lists are empty and keep nothing,
// so the fast paths go the slow way by themselves. Only a pointer is thread-local, since static
// thread-local space is scarce in a library that is opened at run time.
constinit ThreadCache no_cache;
constinit thread_local ThreadCache* cache __attribute__((tls_model("initial-exec"))) = &no_cache;

// The caches of living threads, and what dead ones left in use.
struct Registry {
  std::mutex mutex;
  std::unordered_set<ThreadCache*> caches;
  std::atomic<int64_t> in_use_of_the_dead{0};
};

Registry& registry() {
  static Registry& all = *new Registry;
  return all;
}

void give_back(ThreadCache& from) noexcept {
  for (size_t i = 0; i < kClasses; ++i) {
    while (from.classes[i].head) {
      std::free(from.classes[i].pop());
      from.from_system.fetch_sub(static_cast<int64_t>(class_bytes(i)));
    }
  }
}

constinit thread_local bool thread_has_ended = false;

// Its destructor runs when the thread ends; blocks that are freed later go to the system.
struct ThreadExit {
  ThreadCache* owned = nullptr;
  ~ThreadExit() {
    thread_has_ended = true;
    if (!owned) return;
    cache = &no_cache;
    give_back(*owned);
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    all.caches.erase(owned);
    all.in_use_of_the_dead.fetch_add(owned->in_use());
    delete owned;
  }
};
thread_local ThreadExit thread_exit;

void keep_registry_over_fork() {
  const auto lock = [] { registry().mutex.lock(); };
  const auto unlock = [] { registry().mutex.unlock(); };
  static const int registered = pthread_atfork(lock, unlock, unlock);
  CEPH_INTERNAL(registered == 0);
}

void open_cache() {
  keep_registry_over_fork();
  auto fresh = std::make_unique<ThreadCache>();
  for (size_t i = 0; kKeepBlocks && i < kClasses; ++i) {
    fresh->classes[i].most = most_kept(class_bytes(i));
  }
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.caches.insert(fresh.get());
  cache = thread_exit.owned = fresh.release();
}

void count_from_system(int64_t bytes) {
  if (cache == &no_cache && !thread_has_ended) open_cache();
  auto& counter = cache == &no_cache ? registry().in_use_of_the_dead : cache->from_system;
  counter.fetch_add(bytes, std::memory_order_relaxed);
}

[[gnu::noinline]] void* from_system(size_t index) {
  const size_t bytes = class_bytes(index);
  void* block = std::aligned_alloc(kLine, bytes);
  if (!block) {
    release_cached_cpu_memory();
    block = std::aligned_alloc(kLine, bytes);
  }
  if (!block) detail::throw_out_of_memory(bytes);
  count_from_system(static_cast<int64_t>(bytes));
  return block;
}

// The list is full, or the thread is new or ending.
[[gnu::noinline]] void to_system(void* block, size_t index) noexcept {
  count_from_system(-static_cast<int64_t>(class_bytes(index)));
  std::free(block);
}

}  // namespace

void* detail::small_allocate(size_t bytes) {
  const size_t index = class_of(bytes);
  SizeClass& size_class = cache->classes[index];
  if (!size_class.head) [[unlikely]]
    return from_system(index);
  return size_class.pop();
}

void detail::small_deallocate(void* block, size_t bytes) noexcept {
  const size_t index = class_of(bytes);
  SizeClass& size_class = cache->classes[index];
  if (size_class.count.load(std::memory_order_relaxed) >= size_class.most) [[unlikely]] {
    to_system(block, index);
    return;
  }
  size_class.push(block);
}

MemoryStatistics cpu_memory_statistics() {
  MemoryStatistics out;
  Registry& all = registry();
  {
    const std::lock_guard lock(all.mutex);
    out.small_bytes_in_use = all.in_use_of_the_dead.load();
    for (const ThreadCache* one : all.caches) {
      out.small_bytes_in_use += one->in_use();
    }
  }
  detail::large_statistics(out);
  return out;
}

void release_cached_cpu_memory() {
  if (cache != &no_cache) give_back(*cache);
  detail::large_release_cached();
}

}  // namespace ceph
