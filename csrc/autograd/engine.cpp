#include "autograd/engine.h"

#include <algorithm>
#include <atomic>
#include <queue>
#include <thread>
#include <unordered_map>

#include "autograd/accumulate_grad.h"
#include "autograd/anomaly.h"
#include "autograd/meta.h"
#include "autograd/saved_hooks.h"
#include "core/grad_mode.h"
#include "core/layout.h"
#include "core/local_keys.h"
#include "generated/ops/add.h"
#include "generated/ops/reshape.h"
#include "generated/ops/sum.h"
#include "generated/ops/to.h"

namespace ceph::autograd {

void (*around_thread)(const std::function<void()>& body) = nullptr;

namespace {

// Passes inside passes deeper than this go on with a fresh stack.
constexpr int kMaxDepth = 40;

thread_local int depth = 0;
thread_local Node* running = nullptr;
std::atomic<uint64_t> passes{0};

// Whether a gradient may be added to in place.
bool is_ours(const Tensor& t) { return is_unshared(t) && !is_wrapper(t) && !overlaps_itself(t); }

void accumulate(Tensor& slot, Tensor grad) {
  if (!grad.defined()) return;
  if (!slot.defined()) {
    slot = std::move(grad);
  } else if (is_wrapper(slot) || is_wrapper(grad)) {
    slot = ops::add(slot, grad);
  } else if (!grad_enabled && is_ours(slot)) {
    ops::add_(slot, grad);
  } else if (!grad_enabled && is_ours(grad)) {
    slot = ops::add_(grad, slot);
  } else {
    slot = ops::add(slot, grad);
  }
}

// What one pass knows about a node.
struct Task {
  Node* node = nullptr;
  size_t waiting = 0;  // edges that lead here from nodes that haven't run yet
  bool queued = false;
  bool visited = false;  // by mark_needed
  bool needed = false;   // whether to run it, where only what inputs need is run
  Gradients gradients;   // what came in so far
  std::vector<std::pair<uint32_t, size_t>> captures;  // slot -> which input wants its gradient
};

struct Later {
  bool operator()(const Task* a, const Task* b) const {
    return a->node->sequence() < b->node->sequence();
  }
};

class Pass {
 public:
  Pass(BackwardOptions options, size_t captured)
      : options_(std::move(options)), only_inputs_(captured != 0), captured_(captured) {}

  Gradients run(std::span<const Edge> roots, Gradients gradients, std::span<const Edge> inputs) {
    tell("execute");
    check(roots, gradients);
    discover(roots);
    for (size_t i = 0; i < inputs.size(); ++i) capture(inputs[i], i);
    if (only_inputs_) mark_needed();
    for (size_t i = 0; i < roots.size(); ++i) {
      deliver(tasks_.at(roots[i].node.get()), roots[i].input, std::move(gradients[i]));
    }
    for (const Edge& root : roots) start(tasks_.at(root.node.get()));
    tell("graph task on worker threads");
    while (!ready_.empty()) {
      Task& task = *ready_.top();
      ready_.pop();
      run_watched(task);
    }
    for (const auto& callback : callbacks_) callback();
    return std::move(captured_);
  }

  void tell(const char* stage) const {
    if (options_.told) options_.told(stage);
  }

  bool only_inputs() const { return only_inputs_; }
  bool will_run(const Node& node) const {
    const auto at = tasks_.find(const_cast<Node*>(&node));
    return at != tasks_.end() && wants(at->second);
  }

  const uint64_t number = ++passes;

  void add_callback(std::function<void()> callback) { callbacks_.push_back(std::move(callback)); }

 private:
  void check(std::span<const Edge> roots, const Gradients& gradients) const;
  void discover(std::span<const Edge> roots);
  void capture(const Edge& input, size_t index);
  void mark_needed();
  // Whether anybody asked for what the node gets or makes.
  bool wants(const Task& task) const {
    return !only_inputs_ || task.needed || !task.captures.empty();
  }
  void deliver(Task& task, uint32_t slot, Tensor grad);
  void start(Task& task);
  void run_node(Task& task);
  void run_watched(Task& task);
  Gradients call(Node& node, Gradients gradients);

  BackwardOptions options_;
  bool only_inputs_;
  Gradients captured_;
  std::unordered_map<Node*, Task> tasks_;
  std::vector<intrusive_ptr<Node>> held_;
  std::priority_queue<Task*, std::vector<Task*>, Later> ready_;
  std::vector<std::function<void()>> callbacks_;
};

thread_local Pass* current = nullptr;

void Pass::check(std::span<const Edge> roots, const Gradients& gradients) const {
  for (size_t i = 0; i < roots.size(); ++i) {
    const Expected& result = roots[i].node->results()[roots[i].input];
    CEPH_CHECK(gradients[i].sizes() == IntArrayRef(result.sizes), ErrorKind::kRuntime, "backward",
               "the gradient of ", roots[i].node->name(), " must have its result's shape ",
               IntArrayRef(result.sizes), "; got ", gradients[i].sizes());
    CEPH_CHECK(gradients[i].device() == result.device, ErrorKind::kRuntime, "backward",
               "the gradient of ", roots[i].node->name(), " must be on ", result.device, "; got ",
               gradients[i].device());
  }
  tell("validate outputs");
}

// Finds what can be reached, and counts the edges that lead to each node.
void Pass::discover(std::span<const Edge> roots) {
  std::vector<Task*> open;
  auto found = [&](const Edge& edge) -> Task& {
    auto [at, fresh] = tasks_.try_emplace(edge.node.get());
    Task& task = at->second;
    if (fresh) {
      task.node = edge.node.get();
      held_.push_back(edge.node);
      open.push_back(&task);
    }
    return task;
  };
  for (const Edge& root : roots) found(root);
  while (!open.empty()) {
    Node* node = open.back()->node;
    open.pop_back();
    for (const Edge& edge : node->edges()) {
      if (edge) ++found(edge).waiting;
    }
  }
}

void Pass::capture(const Edge& input, size_t index) {
  const auto at = tasks_.find(input.node.get());
  if (at != tasks_.end()) at->second.captures.emplace_back(input.input, index);
}

// A node is needed when an input can be reached from it. Depth first, without recursion: a task is
// decided when all that it leads to are.
void Pass::mark_needed() {
  struct Visit {
    Task* task;
    size_t edge;
  };
  std::vector<Visit> path;
  auto enter = [&](Task& task) {
    if (std::exchange(task.visited, true)) return;
    path.push_back({&task, 0});
  };
  for (auto& [node, root] : tasks_) {
    enter(root);
    while (!path.empty()) {
      auto& [task, at] = path.back();
      const std::vector<Edge>& edges = task->node->edges();
      while (at < edges.size() && !edges[at]) ++at;
      if (at < edges.size()) {
        enter(tasks_.at(edges[at++].node.get()));
        continue;
      }
      for (const Edge& edge : edges) {
        if (!edge) continue;
        const Task& next = tasks_.at(edge.node.get());
        task->needed = task->needed || next.needed || !next.captures.empty();
      }
      path.pop_back();
    }
  }
}

void Pass::deliver(Task& task, uint32_t slot, Tensor grad) {
  if (task.gradients.empty()) task.gradients.resize(task.node->results().size());
  accumulate(task.gradients[slot], std::move(grad));
}

void Pass::start(Task& task) {
  if (task.waiting == 0 && !std::exchange(task.queued, true)) ready_.push(&task);
}

Gradients Pass::call(Node& node, Gradients gradients) {
  const Node::Hooks* hooks = node.hooks_if_any();
  if (!hooks) return node.apply(std::move(gradients));
  const HookList before = copy_of(hooks->before), after = copy_of(hooks->after);
  for (const auto& hook : before) hook->call(gradients, nullptr);
  const Gradients came = after.empty() ? Gradients() : gradients;
  Gradients made = node.apply(std::move(gradients));
  for (const auto& hook : after) hook->call(made, &came);
  return made;
}

// Runs a node, and says where the program made it when it fails in anomaly mode.
void Pass::run_watched(Task& task) {
  struct Restore {
    Node* outer;
    ~Restore() { running = outer; }
  } restore{std::exchange(running, task.node)};
  try {
    run_node(task);
  } catch (...) {
    if (anomaly.enabled) anomaly.report(*task.node);
    throw;
  }
}

void Pass::run_node(Task& task) {
  Node& node = *task.node;
  Gradients gradients = std::move(task.gradients);
  gradients.resize(node.results().size());
  if (wants(task)) node.call_tensor_hooks(gradients);
  for (const auto& [slot, index] : task.captures) captured_[index] = gradients[slot];
  const bool run = !only_inputs_ || task.needed;
  Gradients made;
  if (run) {
    made = call(node, std::move(gradients));
    if (anomaly.enabled && anomaly.check_nan) [[unlikely]]
      refuse_nan(node, made);
    if (!options_.keep_graph) node.release_saved();
  }
  const std::vector<Edge>& edges = node.edges();
  CEPH_CHECK(!run || made.size() >= edges.size(), ErrorKind::kRuntime, node.name(), "returned ",
             made.size(), " gradients for ", edges.size(), " operands");
  for (size_t i = 0; i < edges.size(); ++i) {
    if (!edges[i]) continue;
    Task& next = tasks_.at(edges[i].node.get());
    if (run && wants(next) && made[i].defined()) {
      deliver(next, edges[i].input,
              fitted(node.name(), std::move(made[i]), edges[i].node->results()[edges[i].input]));
    }
    --next.waiting;
    start(next);
  }
}

Gradients run_here(std::span<const Edge> roots, Gradients gradients, std::span<const Edge> inputs,
                   BackwardOptions options) {
  const GradMode recording(options.create_graph);
  Pass pass(std::move(options), inputs.size());
  Pass* outer = std::exchange(current, &pass);
  ++depth;
  struct Restore {
    Pass* outer;
    ~Restore() {
      current = outer;
      --depth;
    }
  } restore{outer};
  return pass.run(roots, std::move(gradients), inputs);
}

}  // namespace

Tensor fitted(const char* op, Tensor grad, const Expected& expected) {
  CEPH_CHECK(grad.device() == expected.device, ErrorKind::kRuntime, op, "returned a gradient on ",
             grad.device(), " for an operand on ", expected.device);
  if (!(grad.sizes() == IntArrayRef(expected.sizes))) {
    const size_t rank = expected.sizes.size(), have = grad.sizes().size();
    bool expands = have >= rank;
    DimVector folded;
    for (size_t d = 0; d < have && expands; ++d) {
      const bool leading = d < have - rank;
      const int64_t size = leading ? 1 : expected.sizes[d - (have - rank)];
      if (leading || (size == 1 && grad.sizes()[d] != 1)) {
        folded.push_back(static_cast<int64_t>(d));
      } else {
        expands = size == grad.sizes()[d];
      }
    }
    CEPH_CHECK(expands, ErrorKind::kRuntime, op, "returned a gradient of shape ", grad.sizes(),
               " for an operand of shape ", IntArrayRef(expected.sizes));
    grad = ops::reshape(ops::sum(grad, IntArrayRef(folded), true), expected.sizes);
  }
  if (grad.dtype() != expected.dtype) grad = ops::to(grad, expected.dtype);
  return grad;
}

Gradients run_backward(std::span<const Edge> roots, Gradients gradients,
                       std::span<const Edge> inputs, BackwardOptions options) {
  if (depth < kMaxDepth) return run_here(roots, std::move(gradients), inputs, std::move(options));
  // A backward pass inside a backward pass inside ...: the stack of a thread has an end.
  Gradients captured;
  std::exception_ptr error;
  const auto body = [&, keys = local_keys, hooks = saved_hooks, node = running] {
    local_keys = keys;
    saved_hooks = hooks;
    running = node;
    captured = run_here(roots, std::move(gradients), inputs, std::move(options));
  };
  std::thread fresh([&] {
    try {
      around_thread ? around_thread(body) : body();
    } catch (...) {
      error = std::current_exception();
    }
  });
  fresh.join();
  if (error) std::rethrow_exception(error);
  return captured;
}

Node* running_node() { return running; }

void reached(const char* stage) {
  if (current) current->tell(stage);
}

namespace {

Pass& current_or_fail(const char* op) {
  CEPH_CHECK(current != nullptr, ErrorKind::kRuntime, op,
             "no backward pass runs on this thread; call it from a hook or a Function's backward");
  return *current;
}

}  // namespace

void queue_callback(std::function<void()> callback) {
  current_or_fail("queue_callback").add_callback(std::move(callback));
}

uint64_t current_pass() { return current_or_fail("current_pass").number; }

bool wants_inputs() { return current_or_fail("wants_inputs").only_inputs(); }

bool will_run(const Node& node) { return current_or_fail("will_run").will_run(node); }

}  // namespace ceph::autograd
