#pragma once

#include "autograd/meta.h"
#include "autograd/saved_tensor.h"
#include "autograd/views.h"
#include "core/dispatcher.h"
#include "core/grad_mode.h"

// What generated recording kernels (generated/autograd/<family>.cpp) are made of. A kernel of the
// Autograd key makes a node where an operand requires a gradient, saves what the node needs, calls
// the op below itself, and says that the node made the result.

namespace ceph::autograd {

// The operands of one call, single tensors and lists.
inline bool any_requires_grad() { return false; }
template <class First, class... Rest>
bool any_requires_grad(const First& first, const Rest&... rest) {
  return requires_grad(first) || any_requires_grad(rest...);
}
template <class... Operands>
bool records(const Operands&... operands) {
  return grad_enabled && any_requires_grad(operands...);
}

inline void append_edges(std::vector<Edge>& edges, const Tensor& t) {
  edges.push_back(t.defined() ? gradient_edge(t) : Edge());
}
inline void append_edges(std::vector<Edge>& edges, TensorList list) {
  for (const Tensor& t : list) append_edges(edges, t);
}
template <class T, class... Operands>
intrusive_ptr<T> make_node(const Operands&... operands) {
  auto node = make_intrusive<T>();
  std::vector<Edge> edges;
  edges.reserve(sizeof...(operands));
  (append_edges(edges, operands), ...);
  node->set_edges(std::move(edges));
  return node;
}

// The op itself: nothing that it calls is recorded.
template <class F>
auto below(F&& call) {
  const ExcludeKeys guard(DispatchKey::Autograd);
  return call();
}

// Results of integer or bool type have no gradient.
inline void set_result(const Tensor& result, const intrusive_ptr<Node>& node) {
  if (result.defined() && (is_floating(result.dtype()) || is_complex(result.dtype()))) {
    set_history(result, node);
  } else {
    node->add_result(result);
  }
}
inline void set_result(const std::vector<Tensor>& results, const intrusive_ptr<Node>& node) {
  for (const Tensor& result : results) set_result(result, node);
}

// Before an operation writes to a tensor, recorded or not.
CEPH_API void refuse_inference(const char* op, const Tensor& self);
CEPH_API void refuse_inference(const char* op, TensorList list);
CEPH_API void refuse_out(const char* op);
CEPH_API void refuse_gradient(const char* op, const char* operand, const Tensor& t);
CEPH_API void refuse_gradient(const char* op, const char* operand, TensorList list);

// The node of an op that has no formula: backward through it is an error that says so.
struct CEPH_API WithoutDerivative final : Node {
  const char* name() const override { return "NotImplemented"; }
  Gradients apply(Gradients gradients) override;
  const char* op = "";
};

// ---- what nodes keep instead of a tensor, and what they make of what they keep

inline DimVector sizes_of(const Tensor& t) { return t.defined() ? t.sizes() : IntArrayRef(); }
inline DType dtype_of_tensor(const Tensor& t) { return t.defined() ? t.dtype() : DType(); }
inline std::vector<DimVector> shapes_of(TensorList list) {
  std::vector<DimVector> shapes;
  for (const Tensor& t : list) shapes.emplace_back(t.sizes());
  return shapes;
}
inline void put(Gradients& made, size_t first, std::vector<Tensor> part) {
  for (size_t i = 0; i < part.size(); ++i) made[first + i] = std::move(part[i]);
}

// A gradient that didn't come in, where a formula needs it.
inline Tensor or_zeros(const Gradients& gradients, const Node& node, size_t slot) {
  return gradients[slot].defined() ? gradients[slot] : node.results()[slot].zeros();
}
inline std::vector<Tensor> all_or_zeros(const Gradients& gradients, const Node& node) {
  std::vector<Tensor> all;
  for (size_t i = 0; i < gradients.size(); ++i) all.push_back(or_zeros(gradients, node, i));
  return all;
}
// Formulas give f'(x) times the gradient. The gradient of a complex x is the conjugate of f'(x)
// times it: what comes in and what goes out is conjugated. Returns whether any was complex.
CEPH_API bool conjugate(Gradients& gradients);

inline bool none_defined(const Gradients& gradients) {
  for (const Tensor& gradient : gradients) {
    if (gradient.defined()) return false;
  }
  return true;
}

}  // namespace ceph::autograd
