#include "generated/kernels/scan.h"
#include "core/layout.h"
#include "kernels/copy.h"
#include "kernels/cpu/rows.h"
#include "kernels/tables.h"

namespace ceph::kernels {

namespace {

using Row = void (*)(const void* in, void* out, int64_t count);

// Terms are converted to the result's dtype first, as documented.
void scan(const char* op, const Tensor& self, int64_t dim, const Tensor& out,
          const Row (&rows)[kNumDTypes]) {
  DType compute = row_dtype(out.dtype());
  bool direct = self.dtype() == out.dtype() || compute == out.dtype();
  Tensor source = direct ? self : cast(self, out.dtype());
  auto row = rows[static_cast<int>(compute)];
  for_each_row(source, wrap_dim(dim, self.dim(), op), out, compute, row);
}

}  // namespace

void cumsum(const Tensor& self, int64_t dim, std::optional<DType>, const Tensor& out) {
  scan("cumsum", self, dim, out, CEPH_ACTIVE_TABLE(scan).cumsum);
}

void cumprod(const Tensor& self, int64_t dim, std::optional<DType>, const Tensor& out) {
  scan("cumprod", self, dim, out, CEPH_ACTIVE_TABLE(scan).cumprod);
}

void logcumsumexp(const Tensor& self, int64_t dim, const Tensor& out) {
  scan("logcumsumexp", self, dim, out, CEPH_ACTIVE_TABLE(scan).logcumsumexp);
}

}  // namespace ceph::kernels
