#pragma once

#include "base/function_ref.h"
#include "kernels/cpu/reduce_plan.h"
#include "kernels/tables.h"

namespace ceph::kernels {

// Turns `count` finished folds into results of the compute dtype, in place (a mean, ...).
using Finish = FunctionRef<void(void* folds, int64_t count)>;

// Folds `self`, converted to the fold's dtype, over the flagged dimensions. What `finish` makes of
// the folds is of dtype `compute` and is converted to `out`'s.
// The pieces of the work don't depend on the number of threads. `self` has elements.
void fold_into(const Tensor& self, ArrayRef<uint8_t> reduced, bool keepdim, const Tensor& out,
               DType compute, const Fold& fold, Finish finish);

}  // namespace ceph::kernels
