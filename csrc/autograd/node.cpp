#include "autograd/node.h"

#include <algorithm>

#include "autograd/anomaly.h"
#include "core/caching_allocator.h"
#include "generated/ops/zeros.h"

namespace ceph::autograd {

namespace {

uint64_t next_sequence() {
  thread_local uint64_t next = 0;
  return next++;
}

std::mutex hook_lists;

const Hook& hook_of(const intrusive_ptr<Hook>& item) { return *item; }
const Hook& hook_of(const SlotHookList::value_type& item) { return *item.second; }

template <class List>
void append(List& list, typename List::value_type item) {
  List gone;  // hooks die after the lock is given back: they may be anything
  const std::lock_guard lock(hook_lists);
  const auto removed = std::stable_partition(
      list.begin(), list.end(), [](const auto& each) { return !hook_of(each).removed(); });
  gone.assign(std::make_move_iterator(removed), std::make_move_iterator(list.end()));
  list.erase(removed, list.end());
  list.push_back(std::move(item));
}

template <class List>
List copied(const List& list) {
  if (list.empty()) return {};
  const std::lock_guard lock(hook_lists);
  return list;
}

}  // namespace

void add_to(HookList& list, intrusive_ptr<Hook> hook) { append(list, std::move(hook)); }
void add_to(SlotHookList& list, uint32_t slot, intrusive_ptr<Hook> hook) {
  append(list, {slot, std::move(hook)});
}
HookList copy_of(const HookList& list) { return copied(list); }
SlotHookList copy_of(const SlotHookList& list) { return copied(list); }

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
  for (const auto* list : {&hooks_->tensors, &hooks_->retained}) {
    for (const auto& [slot, hook] : copy_of(*list)) {
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
