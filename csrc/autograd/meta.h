#pragma once

#include "autograd/node.h"

// What autograd knows about a tensor, and the questions that everybody asks about it.

namespace ceph::autograd {

class RetainGrad;

struct AutogradMeta final : AutogradMetaInterface {
  ~AutogradMeta() override;

  bool requires_grad = false;  // set by the user, on a leaf
  uint32_t output = 0;         // which result of `grad_fn`
  intrusive_ptr<Node> grad_fn;
  Tensor grad;
  intrusive_ptr<RetainGrad> retain;
  Node* accumulator = nullptr;         // not owned: it owns the tensor; see gradient_edge
  HookList hooks, after_accumulation;  // of a leaf
};

// Keeps the gradient that reaches a result. The graph doesn't own its results: `forget` is called
// when the tensor dies.
class RetainGrad final : public Hook {
 public:
  explicit RetainGrad(AutogradMeta* meta) : meta_(meta) {}
  void call(Gradients& gradients, const Gradients* made) override;
  void forget();

 private:
  std::mutex mutex_;
  AutogradMeta* meta_;
};

// Null until something is to be remembered.
inline AutogradMeta* meta_of(const TensorImpl& t) {
  return static_cast<AutogradMeta*>(t.autograd_meta());
}
CEPH_API AutogradMeta& make_meta(TensorImpl& t);

// Whether a Python class says what ops do with the tensor.
inline bool is_wrapper(const Tensor& t) { return t.keys().has(DispatchKey::Python); }

// Whether what is computed from the tensor is recorded.
inline bool requires_grad(const TensorImpl& t) {
  if (!t.keys().has(DispatchKey::Autograd)) return false;
  const AutogradMeta* meta = meta_of(t);
  if (meta && (meta->requires_grad || meta->grad_fn)) return true;
  return t.view_base() && requires_grad(*t.view_base());
}
inline bool requires_grad(const Tensor& t) { return t.defined() && requires_grad(*t.impl()); }
CEPH_API bool requires_grad(TensorList list);

// Turns it on or off for a leaf; RuntimeError for other tensors and for dtypes without derivatives.
CEPH_API void set_requires_grad(const Tensor& t, bool on);
CEPH_API void check_differentiable(const char* op, DType dtype);

// The node that made the tensor; null for a leaf. A view whose base was written to gets a new one.
CEPH_API intrusive_ptr<Node> grad_fn(const Tensor& t);
inline bool is_leaf(const Tensor& t) { return !grad_fn(t); }
CEPH_API uint32_t output_nr(const Tensor& t);

// Where the gradient of the tensor goes.
CEPH_API Edge gradient_edge(const Tensor& t);
// `node` made the tensor: its next result.
CEPH_API void set_history(const Tensor& t, const intrusive_ptr<Node>& node);

// Undefined when there is none.
CEPH_API Tensor grad_of(const Tensor& t);
CEPH_API void set_grad(const Tensor& t, Tensor grad);
// Keeps the gradient of a tensor that isn't a leaf.
CEPH_API void retain_grad(const Tensor& t);
CEPH_API void add_hook(const Tensor& t, intrusive_ptr<Hook> hook);

}  // namespace ceph::autograd
