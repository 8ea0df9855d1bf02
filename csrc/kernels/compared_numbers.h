#pragma once

#include "kernels/pointwise.h"

namespace ceph::kernels {

// The inputs of a comparison, without a Python integer that the compute dtype can't hold: converted
// it would wrap, and uint8 0 == 256 would be true. Every value of the dtype lies on the same side
// of such a number, as 0 does of the number's sign; so zeros are compared with the sign.
class ComparedNumbers {
 public:
  using Inputs = ArrayRef<const Tensor*>;

  // `compute` is the dtype of the comparison, changed with the inputs.
  ComparedNumbers(const PointwiseOp& op, Inputs inputs, DType& compute) : list_(inputs) {
    if (op.promote == Promote::kCompare && is_integral(compute)) replace(compute);
  }
  ComparedNumbers(const ComparedNumbers&) = delete;
  ComparedNumbers& operator=(const ComparedNumbers&) = delete;
  Inputs list() const { return list_; }

 private:
  void replace(DType& compute);

  Inputs list_;
  Tensor tensors_[2];
  const Tensor* pointers_[2];
};

}  // namespace ceph::kernels
