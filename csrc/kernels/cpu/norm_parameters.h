#pragma once

#include "core/tensor.h"

namespace ceph::kernels {

// RuntimeError unless a weight, a bias or the like is undefined, of the input's dtype, or of
// float32 beside an input of 16 bits.
void check_parameter(const char* op, const char* name, const Tensor& parameter, DType input);

}  // namespace ceph::kernels
