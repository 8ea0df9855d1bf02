#include "autograd/node.h"

#include "autograd/anomaly.h"
#include "core/caching_allocator.h"
#include "generated/ops/zeros.h"

namespace ceph::autograd {

namespace {

uint64_t next_sequence() {
  thread_local uint64_t next = 0;
  return next++;
}

}  // namespace

Tensor Expected::zeros() const { return ops::zeros(sizes, dtype, {}, device); }

Node::Node() : sequence_(next_sequence()) {
  if (anomaly.enabled) [[unlikely]]
    hooks().trace = anomaly.trace();
}

Node::~Node() {
  if (owns_pyobj) pyobject_hooks.release_node(pyobj);
}

uint32_t Node::add_result(const Tensor& result) {
  results_.emplace_back(result);
  return static_cast<uint32_t>(results_.size() - 1);
}

Node::Hooks& Node::hooks() {
  if (!hooks_) hooks_ = std::make_unique<Hooks>();
  return *hooks_;
}

void Node::call_tensor_hooks(Gradients& gradients) const {
  if (!hooks_) return;
  // Copies: a hook may register another one.
  for (const auto& list : {hooks_->tensors, hooks_->retained}) {
    for (const auto& [slot, hook] : list) {
      if (!gradients[slot].defined()) continue;
      Gradients one{gradients[slot]};
      hook->call(one, nullptr);
      gradients[slot] = std::move(one[0]);
    }
  }
}

// A graph may be a chain of a million nodes: what a dying node lets go of waits for its turn
// instead of dying inside it.
void Node::destroy() const {
  thread_local std::vector<const Node*>* waiting = nullptr;
  if (waiting) {
    waiting->push_back(this);
    return;
  }
  std::vector<const Node*> dead{this};
  waiting = &dead;
  while (!dead.empty()) {
    const Node* node = dead.back();
    dead.pop_back();
    delete node;
  }
  waiting = nullptr;
}

void* Node::operator new(size_t size) { return detail::small_allocate(size); }
void Node::operator delete(void* at, size_t size) { detail::small_deallocate(at, size); }

}  // namespace ceph::autograd
