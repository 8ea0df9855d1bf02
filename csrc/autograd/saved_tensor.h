#pragma once

#include "autograd/meta.h"
#include "autograd/saved_hooks.h"

namespace ceph::autograd {

// Note [Saved tensors]
// What a node needs of its operands and results. A leaf that requires a gradient is kept itself, so
// that a second derivative finds it. Of any other tensor the node keeps the memory and where it
// came from: not the tensor, which a later operation may write to and so make a result of a node
// that leads back here. The version tells whether the memory was written to since.
// Where hooks are set, the node keeps what they made of the tensor instead, and can't tell that.
class CEPH_API SavedTensor {
 public:
  SavedTensor() = default;
  // `result`: the tensor is one of the results of the node that saves it.
  explicit SavedTensor(const Tensor& t, bool result = false);

  // The tensor as it was; undefined where it was. RuntimeError when it was released or written to.
  Tensor unpack(Node* owner) const;
  void release();

 private:
  void pack(const Tensor& t);
  // `data` as a result of the node that made the saved tensor, where the pass is recorded.
  Tensor as_result(const Tensor& data, Node* owner) const;

  Tensor data_;
  intrusive_ptr<Packed> packed_;
  intrusive_ptr<Node> grad_fn_;  // null for a result: its owner would own itself
  uint32_t output_ = 0;
  uint32_t version_ = 0;
  bool defined_ = false;
  bool leaf_ = false;
  bool result_ = false;
};

// The same for a list of tensors.
class CEPH_API SavedTensors {
 public:
  SavedTensors() = default;
  explicit SavedTensors(TensorList list);
  std::vector<Tensor> unpack(Node* owner) const;
  void release();

 private:
  std::vector<SavedTensor> saved_;
};

}  // namespace ceph::autograd
