#pragma once

#include "base/function_ref.h"
#include "core/tensor.h"

namespace ceph::kernels {

// A function of one contiguous row in the compute dtype.
using RowFunction = FunctionRef<void(const void* in, void* out, int64_t count)>;

// Calls `row` for every line of `self` along `dim` and puts the result at the same place of `out`,
// which has the same shape. Lines that don't adjoin, or are of another dtype than `compute`, go
// through buffers, as many at a time as make good use of a cache line.
void for_each_row(const Tensor& self, int64_t dim, const Tensor& out, DType compute,
                  RowFunction row);

// The dtype that rows are computed in: float32 for float16 and bfloat16, int64 for integers.
DType row_dtype(DType result);

}  // namespace ceph::kernels
