#include "generated/kernels/scan.h"
#include "core/layout.h"
#include "kernels/copy.h"
#include "kernels/cpu/rows.h"
#include "kernels/tables.h"

namespace ceph::kernels {

void cumsum(const Tensor& self, int64_t dim, std::optional<DType>, const Tensor& out) {
  DType compute = row_dtype(out.dtype());
  // Terms are converted to the result's dtype first, as documented.
  bool direct = self.dtype() == out.dtype() || compute == out.dtype();
  Tensor source = direct ? self : cast(self, out.dtype());
  auto row = CEPH_ACTIVE_TABLE(scan).cumsum[static_cast<int>(compute)];
  for_each_row(source, wrap_dim(dim, self.dim(), "cumsum"), out, compute, row);
}

}  // namespace ceph::kernels
