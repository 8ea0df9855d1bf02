#pragma once

#include "kernels/cpu/index_plan.h"

namespace ceph::kernels {

// What passes between self[plan] and a dense tensor of the result's shape.
enum class Transfer {
  kRead,        // dense = self[plan]
  kWrite,       // self[plan] = dense; the last of several writes to one element stays
  kAccumulate,  // self[plan] += dense, in the order of the positions
};

// `dense` has the plan's sizes (strides may be 0) and self's dtype. The two must not share memory.
void transfer(Transfer kind, const IndexPlan& plan, const Tensor& self, const Tensor& dense);

}  // namespace ceph::kernels
