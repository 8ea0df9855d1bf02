#pragma once

#include "core/tensor.h"

namespace ceph::kernels {

// self[:] = value converted to self's dtype (Scalar::to, whose refusals name `op`); any strides.
CEPH_API void fill(const char* op, const Tensor& self, const Scalar& value);
// self[:] = 0.
CEPH_API void zero(const Tensor& self);

// out[i] = start + i * step, in int64 for integral dtypes (wrapping when stored), in double for
// floating ones, rounded once: no accumulated error. `out` is one-dimensional.
CEPH_API void arange_fill(const Tensor& out, const Scalar& start, const Scalar& step);

}  // namespace ceph::kernels
