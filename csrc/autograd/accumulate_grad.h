#pragma once

#include "autograd/meta.h"

namespace ceph::autograd {

// The end of the graph at a leaf: adds what arrives to the leaf's grad.
class CEPH_API AccumulateGrad final : public Node {
 public:
  // The one of the leaf, made when the first graph that reaches it is recorded, gone with the last.
  static intrusive_ptr<Node> of(const Tensor& leaf);

  explicit AccumulateGrad(Tensor leaf);
  const char* name() const override { return "AccumulateGrad"; }
  Gradients apply(Gradients gradients) override;
  void call_tensor_hooks(Gradients& gradients) const override;
  const Tensor& leaf() const { return leaf_; }

 protected:
  ~AccumulateGrad() override;

 private:
  Tensor leaf_;
};

// Whether nobody else holds the tensor or sees its memory.
bool is_unshared(const Tensor& t);

// Adds to the tensor's grad: takes `grad` itself where nobody else has it.
CEPH_API void add_to_grad(const Tensor& t, Tensor grad);

}  // namespace ceph::autograd
