#include "generated/native/reduce.h"
#include "core/type_promotion.h"
#include "kernels/copy.h"
#include "kernels/inspect.h"

namespace ceph::ops::impl {

// Same shape and, after promotion, same values; a NaN makes it false.
bool equal(const Tensor& self, const Tensor& other) {
  if (!(self.sizes() == other.sizes())) return false;
  if (self.dtype() == other.dtype()) return kernels::all_equal(self, other);
  DType common = promote_types(self.dtype(), other.dtype());
  return kernels::all_equal(kernels::cast(self, common), kernels::cast(other, common));
}

}  // namespace ceph::ops::impl
