#include "autograd/engine.h"

#include <atomic>
#include <thread>

#include "autograd/accumulate_grad.h"
#include "autograd/meta.h"
#include "core/grad_mode.h"
#include "generated/ops/add.h"
#include "generated/ops/detach.h"
#include "generated/ops/mul.h"
#include "generated/ops/ones.h"
#include "generated/ops/sum.h"
#include "testing.h"

// The engine without an interpreter: many threads, deep graphs, passes inside passes. Built with
// -DCEPHEID_SANITIZE=thread these are its stress tests.

using namespace ceph;
using namespace ceph::autograd;

namespace {

constexpr int kThreads = 32, kPasses = 100;

Tensor ones(int64_t length) {
  return ops::ones(DimVector{length}, DType::Float64, {}, Device(DeviceKind::CPU));
}

Tensor leaf(int64_t length) {
  Tensor t = ones(length);
  set_requires_grad(t, true);
  return t;
}

void backward(const Tensor& root, BackwardOptions options = {}) {
  const Edge edge = gradient_edge(root);
  Tensor grad = ops::ones(root.sizes(), root.dtype(), {}, root.device());
  run_backward({&edge, 1}, {std::move(grad)}, {}, options);
}

double value(const Tensor& t) { return t.data_as<double>()[0]; }

void on_threads(const std::function<void()>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

// Called for every gradient of a leaf or result.
class Counting final : public Hook {
 public:
  explicit Counting(std::function<void()> body) : body_(std::move(body)) {}
  void call(Gradients&, const Gradients*) override { body_(); }

 private:
  std::function<void()> body_;
};

}  // namespace

TEST(threads_add_to_shared_leaves_exactly) {
  const Tensor x = leaf(3), y = leaf(3);
  on_threads([&] {
    for (int i = 0; i < kPasses; ++i) backward(ops::sum(ops::mul(x, y)));
  });
  EXPECT_EQ(value(grad_of(x)), double(kThreads) * kPasses);
  EXPECT_EQ(value(grad_of(y)), double(kThreads) * kPasses);
}

TEST(threads_run_backward_over_one_graph) {
  const Tensor x = leaf(2);
  Tensor shared = ops::mul(x, x);
  for (int i = 0; i < 20; ++i) shared = ops::add(shared, x);
  const Tensor root = ops::sum(shared);
  on_threads([&] {
    for (int i = 0; i < kPasses; ++i) backward(root, {.keep_graph = true});
  });
  EXPECT_EQ(value(grad_of(x)), 22.0 * kThreads * kPasses);
}

TEST(one_of_many_threads_may_release_a_graph) {
  const Tensor x = leaf(2);
  for (int i = 0; i < kPasses; ++i) {
    const Tensor root = ops::sum(ops::mul(x, x));
    std::atomic<int> refused = 0;
    auto work = [&] {
      try {
        backward(root);
      } catch (const Error&) {
        ++refused;
      }
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    EXPECT(refused <= 1);
  }
}

TEST(a_deep_graph_is_run_and_freed_without_recursion) {
  const Tensor x = leaf(1);
  {
    Tensor t = x;
    for (int i = 0; i < 1'000'000; ++i) t = ops::add(t, x);
    backward(t);
  }
  EXPECT_EQ(value(grad_of(x)), 1'000'001.0);
}

TEST(a_deep_graph_that_nobody_ran_is_freed) {
  const Tensor x = leaf(1);
  Tensor t = x;
  for (int i = 0; i < 1'000'000; ++i) t = ops::mul(t, x);
  t = {};
  EXPECT(!grad_of(x).defined());
}

TEST(passes_inside_passes_go_on_with_a_fresh_stack) {
  const Tensor x = leaf(1);
  std::function<void(int)> nested = [&](int depth) {
    const GradMode recording(true);
    const Tensor y = ops::mul(x, ones(1));
    if (depth > 0) add_hook(y, make_intrusive<Counting>([&nested, depth] { nested(depth - 1); }));
    backward(y);
  };
  nested(200);
  EXPECT_EQ(value(grad_of(x)), 201.0);
}

TEST(an_error_of_a_hook_ends_the_pass_and_leaves_the_engine_usable) {
  const Tensor x = leaf(1);
  const Tensor y = ops::mul(x, x);
  add_hook(y, make_intrusive<Counting>(
                  [] { CEPH_CHECK(false, ErrorKind::kRuntime, "hook", "expected to fail"); }));
  EXPECT_THROWS(backward(y), Error, "expected to fail");
  EXPECT(!grad_of(x).defined());
  backward(ops::mul(x, x));
  EXPECT_EQ(value(grad_of(x)), 2.0);
}

TEST(threads_record_and_drop_views_of_one_base) {
  const Tensor x = leaf(4);
  on_threads([&] {
    for (int i = 0; i < kPasses; ++i) {
      Tensor t = ops::mul(x, x);
      t = ops::detach(t);
      backward(ops::sum(ops::add(x, t)));
    }
  });
  EXPECT_EQ(value(grad_of(x)), double(kThreads) * kPasses);
}
