#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "base/error.h"
#include "core/allocator.h"
#include "core/caching_allocator.h"
#include "testing.h"

using namespace ceph;

namespace {

// False under the address sanitizer, which must see every block come and go.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kReuses = false;
#else
constexpr bool kReuses = true;
#endif

constexpr size_t kMib = size_t(1) << 20;

class Block {
 public:
  explicit Block(size_t bytes) : bytes_(bytes), data_(cpu_allocator().allocate(bytes)) {}
  ~Block() { cpu_allocator().deallocate(data_, bytes_); }
  Block(const Block&) = delete;
  void* data() const { return data_; }

 private:
  size_t bytes_;
  void* data_;
};

bool is_aligned(const void* data, uintptr_t to) {
  return reinterpret_cast<uintptr_t>(data) % to == 0;
}

}  // namespace

TEST(blocks_are_aligned_and_large_enough) {
  for (size_t bytes = 1; bytes < 6 * kMib; bytes += 1 + bytes / 7) {
    const Block a(bytes), b(bytes);
    EXPECT(is_aligned(a.data(), 64));
    std::memset(a.data(), 1, bytes);
    std::memset(b.data(), 2, bytes);
    EXPECT_EQ(static_cast<char*>(a.data())[bytes - 1], char(1));
    if (bytes > kSmallBlockLimit) EXPECT(is_aligned(a.data(), 2 * kMib));
  }
}

TEST(no_bytes_need_no_block) {
  EXPECT(cpu_allocator().allocate(0) == nullptr);
  cpu_allocator().deallocate(nullptr, 0);
  EXPECT(meta_allocator().allocate(size_t(1) << 50) == nullptr);
}

TEST(freed_blocks_come_back) {
  if (!kReuses) return;
  for (const size_t bytes : {size_t(64), size_t(1000), size_t(70000), kMib, 3 * kMib, 40 * kMib}) {
    void* first = cpu_allocator().allocate(bytes);
    cpu_allocator().deallocate(first, bytes);
    void* second = cpu_allocator().allocate(bytes);
    EXPECT(first == second);
    cpu_allocator().deallocate(second, bytes);
  }
}

TEST(blocks_cross_threads) {
  const int64_t before = cpu_memory_statistics().small_bytes_in_use;
  std::vector<void*> blocks;
  for (int i = 0; i < 2000; ++i) blocks.push_back(cpu_allocator().allocate(128));
  EXPECT_EQ(cpu_memory_statistics().small_bytes_in_use - before, int64_t(2000 * 128));
  std::thread([&] {
    for (void* block : blocks) cpu_allocator().deallocate(block, 128);
    std::set<void*> mine;
    for (int i = 0; i < 1000; ++i) EXPECT(mine.insert(cpu_allocator().allocate(128)).second);
    for (void* block : mine) cpu_allocator().deallocate(block, 128);
  }).join();
  EXPECT_EQ(cpu_memory_statistics().small_bytes_in_use, before);
}

TEST(many_threads_do_not_share_a_block) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 6; ++t) {
    threads.emplace_back([t] {
      for (size_t round = 0; round < 3000; ++round) {
        const size_t bytes = 1 + (round * 7919 + t) % 5000;
        const Block block(bytes);
        std::memset(block.data(), static_cast<int>(t), bytes);
        for (size_t i = 0; i < bytes; i += 97) {
          if (static_cast<unsigned char*>(block.data())[i] != t) EXPECT(false);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(poison_fills_new_memory) {
  for (const size_t bytes : {size_t(100), 2 * kMib}) {
    {
      const Block block(bytes);
      std::memset(block.data(), 0, bytes);
    }
    set_poison_new_memory(true);
    {
      const Block block(bytes);
      for (size_t i = 0; i < bytes; ++i) {
        if (static_cast<unsigned char*>(block.data())[i] != 0xFF) EXPECT(false);
      }
    }
    set_poison_new_memory(false);
  }
}

TEST(the_cache_is_bounded) {
  if (!kReuses) return;
  release_cached_cpu_memory();
  const int64_t in_use = cpu_memory_statistics().large_bytes_in_use;
  set_cpu_cache_limit(10 * kMib);
  {
    const Block a(4 * kMib), b(4 * kMib), c(4 * kMib), d(20 * kMib);
  }
  EXPECT_EQ(cpu_memory_statistics().large_bytes_cached, int64_t(8 * kMib));
  EXPECT_EQ(cpu_memory_statistics().large_bytes_in_use, in_use);
  set_cpu_cache_limit(0);
  EXPECT_EQ(cpu_memory_statistics().large_bytes_cached, int64_t(0));
  set_cpu_cache_limit(1024 * kMib);
}

TEST(out_of_memory_says_how_much) {
  const Block held(3 * kMib);
  EXPECT_THROWS(cpu_allocator().allocate(size_t(1) << 60), Error,
                "out of memory: tried to allocate 1152921504606846976 bytes; ");
  try {
    cpu_allocator().allocate(~size_t(0));
    EXPECT(false);
  } catch (const Error& error) {
    EXPECT(error.kind() == ErrorKind::kOutOfMemory);
  }
}

TEST(a_forked_child_can_allocate) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    for (int i = 0; i < 100; ++i) {
      const Block small(100), large(3 * kMib);
      std::memset(large.data(), 1, 3 * kMib);
    }
    _exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
