#pragma once

#include "base/scalar.h"
#include "core/tensor_iterator.h"

namespace ceph::kernels {

// Scalar arguments as the array of arithmetic values that loops read: the C++ type of the compute
// dtype, float for float16 and bfloat16.
class ScalarValues {
 public:
  ScalarValues(const char* op, DType compute, ArrayRef<Scalar> scalars) {
    if (!scalars.empty()) convert(op, compute, scalars);
  }
  const void* data() const { return bytes_; }

 private:
  static constexpr size_t kMaxScalars = 4;
  void convert(const char* op, DType compute, ArrayRef<Scalar> scalars);

  alignas(16) char bytes_[kMaxScalars * 16];
};

}  // namespace ceph::kernels
