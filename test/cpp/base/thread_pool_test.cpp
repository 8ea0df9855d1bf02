#include "base/thread_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"
#include "testing.h"

using namespace ceph;

namespace {

// Sets the thread count for one test.
class Threads {
 public:
  explicit Threads(int count) : before_(num_threads()) { set_num_threads(count); }
  ~Threads() { set_num_threads(before_); }

 private:
  int before_;
};

using Pieces = std::set<std::pair<int64_t, int64_t>>;

Pieces pieces_of(int64_t begin, int64_t end, int64_t grain, bool fixed) {
  Pieces out;
  std::mutex mutex;
  parallel_for(
      begin, end, grain,
      [&](int64_t first, int64_t last) {
        const std::lock_guard lock(mutex);
        EXPECT(out.emplace(first, last).second);
      },
      fixed);
  return out;
}

// The pieces cover [begin, end) once, in order and without gaps.
void expect_cover(const Pieces& pieces, int64_t begin, int64_t end) {
  int64_t at = begin;
  for (const auto& [first, last] : pieces) {
    EXPECT_EQ(first, at);
    EXPECT(last > first);
    at = last;
  }
  EXPECT_EQ(at, end);
}

// Whether a region of slow pieces is worked on by two threads, within a second.
bool two_threads_take_part() {
  std::set<std::thread::id> seen;
  std::mutex mutex;
  for (int round = 0; round < 100 && seen.size() < 2; ++round) {
    parallel_for(0, 8, 1, [&](int64_t, int64_t) {
      {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  return seen.size() == 2;
}

}  // namespace

TEST(covers_every_range) {
  for (int threads : {1, 2, 5}) {
    const Threads set(threads);
    for (int64_t size : {1, 2, 9, 10, 11, 99, 1000, 12345}) {
      for (int64_t grain : {1, 3, 10, 100000}) {
        const Pieces pieces = pieces_of(5, 5 + size, grain, false);
        expect_cover(pieces, 5, 5 + size);
        for (const auto& [first, last] : pieces) EXPECT(last - first >= grain || last == 5 + size);
      }
    }
  }
}

TEST(empty_ranges_call_nothing) {
  parallel_for(3, 3, 1, [](int64_t, int64_t) { EXPECT(false); });
  parallel_for(3, 2, 1, [](int64_t, int64_t) { EXPECT(false); });
}

TEST(fixed_pieces_do_not_depend_on_threads) {
  Pieces one;
  {
    const Threads set(1);
    one = pieces_of(0, 1003, 10, true);
  }
  EXPECT_EQ(one.size(), size_t(101));
  for (int threads : {2, 3, 8}) {
    const Threads set(threads);
    EXPECT(pieces_of(0, 1003, 10, true) == one);
  }
}

TEST(work_is_shared) {
  const Threads set(2);
  EXPECT(two_threads_take_part());
}

TEST(nested_regions_run_in_place) {
  const Threads set(4);
  std::atomic<int64_t> total{0};
  parallel_for(0, 16, 1, [&](int64_t first, int64_t last) {
    EXPECT(in_parallel_region());
    const auto here = std::this_thread::get_id();
    for (int64_t i = first; i < last; ++i) {
      parallel_for(0, 100, 1, [&](int64_t a, int64_t b) {
        EXPECT(std::this_thread::get_id() == here);
        total += b - a;
      });
    }
  });
  EXPECT_EQ(total.load(), int64_t(1600));
  EXPECT(!in_parallel_region());
}

TEST(exceptions_reach_the_caller) {
  for (int threads : {1, 4}) {
    const Threads set(threads);
    for (int round = 0; round < 50; ++round) {
      EXPECT_THROWS(parallel_for(0, 64, 1,
                                 [](int64_t first, int64_t last) {
                                   if (first <= 40 && 40 < last)
                                     throw std::runtime_error("piece 40");
                                 }),
                    std::runtime_error, "piece 40");
      EXPECT(!in_parallel_region());
    }
    expect_cover(pieces_of(0, 64, 1, false), 0, 64);
  }
}

TEST(many_callers_at_once) {
  const Threads set(3);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 8; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        parallel_for(0, 50, 1, [&](int64_t first, int64_t last) { total += last - first; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total.load(), int64_t(8 * 300 * 50));
}

TEST(sleeping_workers_wake_up) {
  const Threads set(2);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // far beyond the spin
    expect_cover(pieces_of(0, 1000, 1, false), 0, 1000);
  }
}

TEST(more_threads_than_processors) {
  const Threads set(32);
  for (int round = 0; round < 100; ++round) expect_cover(pieces_of(0, 500, 1, false), 0, 500);
}

TEST(a_forked_child_has_a_pool_of_its_own) {
  const Threads set(2);
  expect_cover(pieces_of(0, 100, 1, false), 0, 100);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hang ends the child, and the parent sees it
    std::atomic<int64_t> total{0};
    for (int round = 0; round < 100; ++round) {
      parallel_for(0, 100, 1, [&](int64_t first, int64_t last) { total += last - first; });
    }
    _exit(total == 10000 && two_threads_take_part() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  expect_cover(pieces_of(0, 100, 1, false), 0, 100);
}

TEST(thread_count_is_checked) {
  EXPECT_THROWS(set_num_threads(0), Error, "set_num_threads: expected 1 to");
  EXPECT_THROWS(set_num_threads(-3), Error, "got -3");
}
