#pragma once

#include "base/function_ref.h"
#include "kernels/cpu/reduce_plan.h"
#include "kernels/tables.h"

namespace ceph::kernels {

// Turns `count` finished folds, in the compute dtype, into results of the same dtype (a mean, ...).
using Finish = FunctionRef<void(void* folds, int64_t count)>;

// Folds `self` over the flagged dimensions in `compute` and writes `out`, whose dtype may differ.
// The pieces of the work don't depend on the number of threads. `self` has elements.
void fold_into(const Tensor& self, ArrayRef<uint8_t> reduced, bool keepdim, const Tensor& out,
               DType compute, const Fold& fold, Finish finish);

}  // namespace ceph::kernels
