#include "generated/native/index.h"
#include "core/layout.h"
#include "generated/ops/expand.h"
#include "generated/ops/index.h"
#include "kernels/cpu/index_transfer.h"

namespace ceph::ops::impl {

Tensor index(const Tensor& self, TensorList indices) {
  kernels::IndexPlan plan = kernels::plan_index("index", self, indices);
  Tensor out = empty_tensor(plan.dims.sizes, self.dtype(), self.device(), "index");
  kernels::transfer(kernels::Transfer::kRead, plan, self, out);
  return out;
}

// Chosen when self or an index is a meta tensor. Indices on the host serve any self; meta indices
// have no values for a self that has.
Tensor index_meta(const Tensor& self, TensorList indices) {
  CEPH_CHECK(self.device().is_meta(), ErrorKind::kRuntime, "index",
             "indices must be on self's device or on the host; got self on ", self.device(),
             " and an index on meta, move one with to()");
  kernels::IndexedDims dims = kernels::plan_index_shape("index", self, indices);
  return empty_tensor(dims.sizes, self.dtype(), DeviceKind::Meta, "index");
}

// One row of coordinates per element, stored column by column: what an index made of the columns
// reads fastest.
Tensor nonzero(const Tensor& self) {
  kernels::Coordinates found = kernels::nonzero_coordinates(self);
  return view_of(found.columns, {found.count, self.dim()}, {int64_t(1), found.count}, 0);
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  const char* op = "masked_select";
  CEPH_CHECK(mask.dtype() == DType::Bool, ErrorKind::kRuntime, op,
             "mask must be a bool tensor; got ", name_of(mask.dtype()),
             "; compare it with zero first");
  DimVector sizes = broadcast_shapes(self.sizes(), mask.sizes(), op);
  Tensor selector = ops::expand(mask, sizes);
  return ops::index(ops::expand(self, sizes), TensorList(&selector, 1));
}

}  // namespace ceph::ops::impl
