#pragma once

#include "base/scalar.h"

namespace ceph::kernels {

// RuntimeError unless `value` can be written to an element of `dtype`: in range, and real for a
// real dtype (fractions are dropped, anything is a bool). A negative integer may wrap into an
// unsigned dtype that holds its magnitude, as C's conversion does.
CEPH_API void check_representable(const char* op, const char* argument, const Scalar& value,
                                  DType dtype);

}  // namespace ceph::kernels
