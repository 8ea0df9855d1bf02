#include "autograd/accumulate_grad.h"

#include "autograd/engine.h"
#include "core/grad_mode.h"
#include "core/layout.h"
#include "generated/ops/add.h"
#include "generated/ops/clone.h"
#include "generated/ops/copy_.h"
#include "generated/ops/empty_strided.h"

namespace ceph::autograd {

namespace {

std::mutex accumulators;  // guards every AutogradMeta::accumulator

bool has_layout_of(const Tensor& grad, const Tensor& leaf) {
  return grad.strides() == leaf.strides() || (grad.is_contiguous() && leaf.is_contiguous());
}

// A copy in the leaf's own layout, where that has each element once.
Tensor copy_like(const Tensor& leaf, const Tensor& grad) {
  if (!leaf->has_storage() || overlaps_itself(leaf)) return ops::clone(grad);
  Tensor copy =
      ops::empty_strided(leaf.sizes(), preserved_strides(leaf), grad.dtype(), {}, grad.device());
  return ops::copy_(copy, grad);
}

Tensor first_grad(const Tensor& leaf, Tensor grad) {
  if (grad_enabled) return ops::clone(grad);
  if (is_unshared(grad) && has_layout_of(grad, leaf)) return grad;
  return copy_like(leaf, grad);
}

}  // namespace

bool is_unshared(const Tensor& t) {
  return t->use_count() == 1 && !t->view_base() && t->has_storage() &&
         t->storage()->use_count() == 1;
}

AccumulateGrad::AccumulateGrad(Tensor leaf) : leaf_(std::move(leaf)) { add_result(leaf_); }

AccumulateGrad::~AccumulateGrad() {
  const std::lock_guard lock(accumulators);
  AutogradMeta* meta = meta_of(*leaf_.impl());
  if (meta && meta->accumulator == this) meta->accumulator = nullptr;
}

intrusive_ptr<Node> AccumulateGrad::of(const Tensor& leaf) {
  AutogradMeta& meta = make_meta(*leaf.impl());
  const std::lock_guard lock(accumulators);
  if (meta.accumulator && meta.accumulator->try_retain()) {
    return intrusive_ptr<Node>::adopt(meta.accumulator);
  }
  intrusive_ptr<Node> made = make_intrusive<AccumulateGrad>(leaf);
  meta.accumulator = made.get();
  return made;
}

void AccumulateGrad::call_tensor_hooks(Gradients& gradients) const {
  if (!gradients[0].defined()) return;
  for (const auto& hook : copy_of(make_meta(*leaf_.impl()).hooks)) hook->call(gradients, nullptr);
}

Gradients AccumulateGrad::apply(Gradients gradients) {
  if (!gradients[0].defined()) return {};
  Tensor grad = std::move(gradients[0]);
  gradients.clear();
  {
    const std::lock_guard lock(mutex());
    reached("accumulate");
    add_to_grad(leaf_, std::move(grad));
  }
  for (const auto& hook : copy_of(make_meta(*leaf_.impl()).after_accumulation)) {
    Gradients leaf{leaf_};
    hook->call(leaf, nullptr);
  }
  return {};
}

void add_to_grad(const Tensor& t, Tensor grad) {
  AutogradMeta& meta = make_meta(*t.impl());
  if (!meta.grad.defined()) {
    meta.grad = first_grad(t, std::move(grad));
  } else if (grad_enabled) {
    meta.grad = ops::add(meta.grad, grad);
  } else {
    ops::add_(meta.grad, grad);
  }
}

}  // namespace ceph::autograd
