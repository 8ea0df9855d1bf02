#include "base/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <climits>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include "base/env.h"
#include "base/error.h"
#include "base/overflow.h"

namespace ceph {
namespace {

constexpr int kSpins = 2000;  // about 50 us of pauses, then sleep
constexpr int kPiecesPerThread =
    4;  // so that a thread that comes late costs a quarter of its share
constexpr int kMaxThreads = 1024;

thread_local bool inside_region = false;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t seen) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr,
          0);
}

void futex_wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

// Waits until `word` no longer holds `seen`: spinning first, asleep afterwards.
void wait_for_change(std::atomic<uint32_t>& word, uint32_t seen, std::atomic<uint32_t>& sleepers) {
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_acquire) != seen) return;
    pause_briefly();
  }
  sleepers.fetch_add(1);
  while (word.load() == seen) futex_wait(word, seen);
  sleepers.fetch_sub(1);
}

// One region: pieces of a range, claimed one by one.
class Region {
 public:
  Region(int64_t begin, int64_t end, int64_t piece, FunctionRef<void(int64_t, int64_t)> body,
         int workers)
      : begin_(begin), end_(end), piece_(piece), count_(ceil_div(end - begin, piece)), body_(body),
        workers_(workers) {}

  int workers() const { return workers_; }

  void work() {
    inside_region = true;
    for (int64_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
      if (failed_.load(std::memory_order_relaxed)) continue;
      const int64_t first = begin_ + i * piece_;
      run(first, end_ - first > piece_ ? first + piece_ : end_);
    }
    inside_region = false;
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void run(int64_t first, int64_t last) {
    try {
      body_(first, last);
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }

  const int64_t begin_, end_, piece_, count_;
  FunctionRef<void(int64_t, int64_t)> body_;
  const int workers_;
  std::atomic<int64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
};

// Note [Leaving a region]
// The region lives on its caller's stack. A worker counts itself in (`users_`) before it looks at
// `region_`; the caller takes `region_` away before it looks at `users_`. Both are sequentially
// consistent, so either the worker sees no region or the caller sees the worker and waits for it.
// A worker that was too slow to come is never waited for.
class Pool {
 public:
  bool try_run(Region& region) {
    std::unique_lock busy(mutex_, std::try_to_lock);
    if (!busy.owns_lock()) return false;
    start_workers(region.workers());
    region_.store(&region);
    epoch_.fetch_add(1);
    if (sleepers_.load() != 0) futex_wake_all(epoch_);
    region.work();
    region_.store(nullptr);
    wait_for_workers();
    return true;
  }

  // In the child of a fork: the workers are gone, and so is whoever was counted in.
  void forget_workers() { users_.store(0); }

 private:
  // Signals go to the threads of the program. A thread that the system refuses is done without: the
  // caller takes the pieces of whoever doesn't come.
  void start_workers(int count) {
    if (started_ >= count) return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (; started_ < count; ++started_) {
        std::thread([this, id = started_, seen = epoch_.load()] { serve(id, seen); }).detach();
      }
    } catch (const std::system_error& error) {
      if (error.code() != std::errc::resource_unavailable_try_again) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
      }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void serve(int id, uint32_t seen) {
    for (;;) {
      wait_for_change(epoch_, seen, sleepers_);
      seen = epoch_.load();
      users_.fetch_add(1);
      Region* region = region_.load();
      if (region && id < region->workers()) region->work();
      if (users_.fetch_sub(1) == 1 && leaver_asleep_.load() != 0) futex_wake_all(users_);
    }
  }

  void wait_for_workers() {
    for (uint32_t left = users_.load(); left != 0; left = users_.load()) {
      wait_for_change(users_, left, leaver_asleep_);
    }
  }

  std::mutex mutex_;  // held by the thread whose region runs
  int started_ = 0;
  alignas(64) std::atomic<uint32_t> epoch_{0};
  alignas(64) std::atomic<uint32_t> users_{0};
  alignas(64) std::atomic<uint32_t> sleepers_{0};
  std::atomic<uint32_t> leaver_asleep_{0};
  std::atomic<Region*> region_{nullptr};
};

// Never destroyed: workers outlive static objects. Replaced, not repaired, after a fork.
std::atomic<Pool*> current_pool{nullptr};

void forget_pool_in_child() {
  Pool* before = current_pool.exchange(nullptr);
  if (before) before->forget_workers();
}

Pool& pool() {
  Pool* existing = current_pool.load(std::memory_order_acquire);
  if (existing) return *existing;
  static const int registered = pthread_atfork(nullptr, nullptr, forget_pool_in_child);
  CEPH_INTERNAL(registered == 0);
  Pool* fresh = new Pool;
  if (current_pool.compare_exchange_strong(existing, fresh)) return *fresh;
  delete fresh;
  return *existing;
}

int usable_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int initial_threads() {
  const int64_t own = env::get_int(env::Var::NumThreads);
  CEPH_CHECK(own >= 0 && own <= kMaxThreads, ErrorKind::kValue, "CEPHEID_NUM_THREADS",
             "expected 0 to ", kMaxThreads, "; got ", own);
  if (own > 0) return static_cast<int>(own);
  const std::string list = env::get_str(env::Var::OmpNumThreads);
  int first = 0;
  std::from_chars(list.data(), list.data() + list.size(), first);
  return first > 0 ? std::min(first, kMaxThreads) : usable_processors();
}

std::atomic<int>& thread_count() {
  static std::atomic<int> count{initial_threads()};
  return count;
}

void run_in_place(int64_t begin, int64_t end, int64_t piece,
                  FunctionRef<void(int64_t, int64_t)> body) {
  for (int64_t first = begin; first < end; first += piece) {
    if (end - first <= piece) {
      body(first, end);
      return;
    }
    body(first, first + piece);
  }
}

}  // namespace

void parallel_for(int64_t begin, int64_t end, int64_t grain,
                  FunctionRef<void(int64_t, int64_t)> body, bool fixed_pieces) {
  if (end <= begin) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t size = end - begin;
  const int threads = inside_region || size <= grain ? 1 : num_threads();
  if (threads == 1) {
    run_in_place(begin, end, fixed_pieces ? grain : size, body);
    return;
  }
  const int64_t most = std::min<int64_t>(size / grain, int64_t(threads) * kPiecesPerThread);
  const int64_t piece = fixed_pieces ? grain : ceil_div(size, std::max<int64_t>(most, 1));
  const int64_t pieces = ceil_div(size, piece);
  Region region(begin, end, piece, body, static_cast<int>(std::min<int64_t>(threads, pieces)) - 1);
  if (region.workers() == 0 || !pool().try_run(region)) {
    // Another thread has the pool: its workers are busy, so this one does the work itself.
    run_in_place(begin, end, fixed_pieces ? grain : size, body);
    return;
  }
  region.rethrow();
}

int num_threads() { return thread_count().load(std::memory_order_relaxed); }

void set_num_threads(int count) {
  CEPH_CHECK(count >= 1 && count <= kMaxThreads, ErrorKind::kRuntime, "set_num_threads",
             "expected 1 to ", kMaxThreads, " threads; got ", count);
  thread_count().store(count, std::memory_order_relaxed);
}

bool in_parallel_region() { return inside_region; }

}  // namespace ceph
