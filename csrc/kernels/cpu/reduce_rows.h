#pragma once

#include "base/function_ref.h"
#include "kernels/cpu/reduce_plan.h"

namespace ceph::kernels {

// A function of the terms of one result, contiguous and in the compute dtype; `place` is the number
// of the result's element in the output.
using ResultFunction = FunctionRef<void(const void* terms, int64_t count, int64_t place)>;

// Calls `function` for every result of a reduction of `self`, which has elements, over the flagged
// dimensions. `out` is contiguous and has the shape of the results.
void for_each_result(const Tensor& self, const ReduceFlags& reduced, bool keepdim,
                     const Tensor& out, DType compute, ResultFunction function);

}  // namespace ceph::kernels
