#pragma once

#include "core/tensor.h"

namespace ceph::kernels {

// Data-dependent argument checks: whether an element of an integral or bool tensor is zero
// (division) or negative (integer powers). False for empty tensors.
CEPH_API bool any_zero(const Tensor& t);
CEPH_API bool any_negative(const Tensor& t);

// Whether the two have the same shape and the same values (a NaN differs from itself). dtypes must
// agree.
CEPH_API bool all_equal(const Tensor& a, const Tensor& b);

// The number in a tensor of one element, of any dtype.
CEPH_API Scalar number_in(const Tensor& t);

}  // namespace ceph::kernels
