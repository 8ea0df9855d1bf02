#include "autograd/saved_tensor.h"

#include "core/grad_mode.h"
#include "core/local_keys.h"
#include "generated/ops/detach.h"

namespace ceph::autograd {

constinit thread_local SavedHooks* saved_hooks __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// The same memory and version in a tensor that nobody else has.
Tensor alias_of(const Tensor& t) {
  if (is_wrapper(t)) {  // its class says what it is made of
    const ExcludeKeys below(DispatchKey::Autograd);
    return ops::detach(t);
  }
  auto impl =
      make_intrusive<TensorImpl>(t->storage(), t.dtype(), t.device(), t.keys() & kBackendKeys);
  impl->set_geometry(t.sizes(), t.strides(), t.storage_offset());
  if (t->own_version_counter()) impl->set_version_counter(t->own_version_counter());
  impl->set_wrapped_number(t->is_wrapped_number());
  return Tensor(std::move(impl));
}

}  // namespace

SavedTensor::SavedTensor(const Tensor& t, bool result) : defined_(t.defined()), result_(result) {
  if (!defined_) return;
  CEPH_CHECK(!t->is_inference(), ErrorKind::kRuntime, "save_for_backward",
             "a tensor made in inference mode can't be saved for backward; use a clone() of it, "
             "made outside of inference mode");
  if (saved_hooks && !t->is_wrapped_number()) {
    pack(t);
    return;
  }
  version_ = t->version();
  leaf_ = !result && requires_grad(t) && is_leaf(t);
  if (leaf_) {
    data_ = t;
    return;
  }
  data_ = alias_of(t);
  output_ = output_nr(t);
  if (!result && requires_grad(t)) grad_fn_ = autograd::grad_fn(t);
}

void SavedTensor::pack(const Tensor& t) {
  const bool leaf = !result_ && requires_grad(t) && is_leaf(t);
  if (result_) {
    output_ = output_nr(t);
  } else {
    Edge edge = gradient_edge(t);
    grad_fn_ = std::move(edge.node);
    output_ = edge.input;
  }
  const GradMode quiet(false);
  packed_ = saved_hooks->pack(leaf ? t : alias_of(t));
}

Tensor SavedTensor::unpack(Node* owner) const {
  if (!defined_) return {};
  if (packed_) return as_result(packed_->unpack(), owner);
  CEPH_CHECK(data_.defined(), ErrorKind::kRuntime, owner->name(),
             "what it had saved is gone: a backward pass went through the graph already, or its "
             "saved tensors were asked for afterwards; give that pass retain_graph=True");
  CEPH_CHECK(data_->version() == version_, ErrorKind::kRuntime, owner->name(),
             "a tensor that it needs for the gradient was changed in place: ",
             result_ ? "its result" : "an operand", " of shape ", data_.sizes(), " and dtype ",
             data_.dtype(), " is at version ", data_->version(), " and was saved at version ",
             version_, "; write to a clone(), or use the form that returns a new tensor");
  return leaf_ ? data_ : as_result(data_, owner);
}

Tensor SavedTensor::as_result(const Tensor& data, Node* owner) const {
  const bool differentiable = is_floating(data.dtype()) || is_complex(data.dtype());
  if (!grad_enabled || !differentiable) return data;
  const intrusive_ptr<Node> node = result_ ? intrusive_ptr<Node>::share(owner) : grad_fn_;
  if (!node) return data;
  Tensor whole = alias_of(data);
  AutogradMeta& meta = make_meta(*whole.impl());
  meta.grad_fn = node;
  meta.output = output_;
  whole->set_keys(whole.keys() | DispatchKey::Autograd);
  return whole;
}

void SavedTensor::release() {
  data_ = {};
  packed_ = {};
  grad_fn_ = {};
}

SavedTensors::SavedTensors(TensorList list) {
  saved_.reserve(list.size());
  for (const Tensor& t : list) saved_.emplace_back(t);
}

std::vector<Tensor> SavedTensors::unpack(Node* owner) const {
  std::vector<Tensor> list;
  list.reserve(saved_.size());
  for (const SavedTensor& saved : saved_) list.push_back(saved.unpack(owner));
  return list;
}

void SavedTensors::release() {
  for (SavedTensor& saved : saved_) saved.release();
}

}  // namespace ceph::autograd
