#include "autograd/meta.h"

#include "autograd/accumulate_grad.h"
#include "autograd/views.h"

namespace ceph::autograd {

void RetainGrad::call(Gradients& gradients, const Gradients*) {
  if (!gradients[0].defined()) return;
  Tensor grad = gradients[0];
  const std::lock_guard lock(mutex_);
  if (meta_) std::swap(meta_->grad, grad);
}

void RetainGrad::forget() {
  const std::lock_guard lock(mutex_);
  meta_ = nullptr;
}

// A grad may have a grad, and so on: the chain is let go of one by one, not by recursion.
AutogradMeta::~AutogradMeta() {
  if (retain) retain->forget();
  Tensor next = std::move(grad);
  while (next.defined() && next->use_count() == 1) {
    AutogradMeta* meta = meta_of(*next.impl());
    next = meta ? std::move(meta->grad) : Tensor();
  }
}

AutogradMeta& make_meta(TensorImpl& t) {
  if (!t.autograd_meta()) t.set_autograd_meta(std::make_unique<AutogradMeta>());
  return *meta_of(t);
}

bool requires_grad(TensorList list) {
  for (const Tensor& t : list) {
    if (requires_grad(t)) return true;
  }
  return false;
}

void check_differentiable(const char* op, DType dtype) {
  CEPH_CHECK(is_floating(dtype) || is_complex(dtype), ErrorKind::kRuntime, op,
             "only tensors of floating and complex dtypes can require gradients; got ", dtype);
}

void set_requires_grad(const Tensor& t, bool on) {
  constexpr const char* op = "requires_grad_";
  if (requires_grad(t) == on) return;
  CEPH_CHECK(!grad_fn(t), ErrorKind::kRuntime, op,
             "only a leaf can be told whether it requires a gradient; use detach() for one that "
             "takes part in no graph");
  if (on) {
    check_differentiable(op, t.dtype());
    CEPH_CHECK(!t->is_inference() || inference_enabled, ErrorKind::kRuntime, op,
               "a tensor made in inference mode can't require a gradient outside of it; use a "
               "clone()");
  }
  make_meta(*t.impl()).requires_grad = on;
  const DispatchKeySet keys = t.keys();
  const bool always = t->view_base() || t->is_inference();
  t->set_keys(on || always ? keys | DispatchKey::Autograd : keys - DispatchKey::Autograd);
}

intrusive_ptr<Node> grad_fn(const Tensor& t) {
  if (t->view_base()) return view_grad_fn(t);
  const AutogradMeta* meta = meta_of(*t.impl());
  return meta ? meta->grad_fn : nullptr;
}

uint32_t output_nr(const Tensor& t) {
  const AutogradMeta* meta = meta_of(*t.impl());
  return meta ? meta->output : 0;
}

Edge gradient_edge(const Tensor& t) {
  if (intrusive_ptr<Node> node = grad_fn(t)) return {std::move(node), output_nr(t)};
  if (!requires_grad(t)) return {};
  return {AccumulateGrad::of(t), 0};
}

void set_history(const Tensor& t, const intrusive_ptr<Node>& node) {
  AutogradMeta& meta = make_meta(*t.impl());
  meta.output = node->add_result(t);
  meta.grad_fn = node;
  // A view's own count follows its base's.
  if (!t->view_base()) t->set_histories(t->histories() + 1);
  t->set_keys(t.keys() | DispatchKey::Autograd);
}

Tensor grad_of(const Tensor& t) {
  const AutogradMeta* meta = meta_of(*t.impl());
  return meta ? meta->grad : Tensor();
}

void set_grad(const Tensor& t, Tensor grad) {
  if (!grad.defined() && !meta_of(*t.impl())) return;
  make_meta(*t.impl()).grad = std::move(grad);
}

void retain_grad(const Tensor& t) {
  constexpr const char* op = "retain_grad";
  CEPH_CHECK(requires_grad(t), ErrorKind::kRuntime, op,
             "the tensor must require a gradient; this one has requires_grad=False");
  const intrusive_ptr<Node> node = grad_fn(t);
  AutogradMeta& meta = make_meta(*t.impl());
  if (!node || meta.retain) return;
  meta.retain = make_intrusive<RetainGrad>(&meta);
  add_to(node->hooks().retained, meta.output, meta.retain);
}

void add_hook(const Tensor& t, intrusive_ptr<Hook> hook) {
  CEPH_CHECK(requires_grad(t), ErrorKind::kRuntime, "register_hook",
             "the tensor must require a gradient; this one has requires_grad=False");
  if (const intrusive_ptr<Node> node = grad_fn(t)) {
    add_to(node->hooks().tensors, output_nr(t), std::move(hook));
  } else {
    add_to(make_meta(*t.impl()).hooks, std::move(hook));
  }
}

}  // namespace ceph::autograd
