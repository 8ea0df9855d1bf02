#include <algorithm>
#include <limits>
#include <vector>

#include "base/thread_pool.h"
#include "core/layout.h"
#include "generated/kernels/norm.h"
#include "kernels/copy.h"
#include "kernels/cpu/norm_parameters.h"
#include "kernels/cpu/reduce_rows.h"
#include "kernels/cpu/rows.h"
#include "kernels/fill.h"
#include "kernels/tables.h"

namespace ceph::kernels {

namespace {

using Row = void (*)(const void* in, void* out, int64_t count);

void along_dim(const char* op, const Tensor& self, int64_t dim, const Tensor& out,
               const Row (&rows)[kNumDTypes]) {
  DType compute = row_dtype(out.dtype());
  bool direct = self.dtype() == out.dtype() || compute == out.dtype();
  Tensor source = direct ? self : cast(self, out.dtype());
  auto row = rows[static_cast<int>(compute)];
  for_each_row(source, wrap_dim(dim, self.dim(), op), out, compute, row);
}

// The last dimensions are one row of `count` elements; what isn't laid out so goes through
// contiguous copies.
void normalise_rows(const Tensor& input, int64_t count, const Tensor& weight, const Tensor& bias,
                    double eps, const NormTable::NormRow (&kernels)[kNumDTypes],
                    const Tensor& out) {
  if (input.numel() == 0) return;
  DType compute = row_dtype(out.dtype());
  int64_t rows = input.numel() / count;
  bool plain = input.is_contiguous() && out.is_contiguous();
  Tensor source = plain ? input : contiguous_as(input, compute);
  Tensor result = plain ? out : empty_tensor(out.sizes(), compute, out.device());
  Tensor w = weight.defined() ? contiguous_as(weight, compute) : Tensor();
  Tensor b = bias.defined() ? contiguous_as(bias, compute) : Tensor();
  Tensor in_rows = view_of(source, {rows, count}, {count, 1}, source.storage_offset());
  Tensor out_rows = view_of(result, {rows, count}, {count, 1}, result.storage_offset());
  auto row = kernels[static_cast<int>(compute)];
  for_each_row(in_rows, 1, out_rows, compute, [&](const void* in, void* to, int64_t length) {
    row(in, to, length, w.defined() ? w.data() : nullptr, b.defined() ? b.data() : nullptr, eps);
  });
  if (!plain) copy_into(out, result);
}

double epsilon_of(DType dtype) {
  switch (dtype) {
  case DType::Float64:
    return std::numeric_limits<double>::epsilon();
  case DType::Float16:
    return 0x1p-10;
  case DType::BFloat16:
    return 0x1p-7;
  default:
    return std::numeric_limits<float>::epsilon();
  }
}

}  // namespace

void check_parameter(const char* op, const char* name, const Tensor& parameter, DType input) {
  bool narrow = item_size(input) < 4;
  CEPH_CHECK(!parameter.defined() || parameter.dtype() == input ||
                 (narrow && parameter.dtype() == DType::Float32),
             ErrorKind::kRuntime, op, name, " must have the input's dtype",
             narrow ? " or float32; got " : "; got ", name_of(parameter.dtype()),
             " and an input of ", name_of(input), "; convert one to the other's");
}

void softmax(const Tensor& self, int64_t dim, std::optional<DType>, const Tensor& out) {
  along_dim("softmax", self, dim, out, CEPH_ACTIVE_TABLE(norm).softmax);
}

void log_softmax(const Tensor& self, int64_t dim, std::optional<DType>, const Tensor& out) {
  along_dim("log_softmax", self, dim, out, CEPH_ACTIVE_TABLE(norm).log_softmax);
}

void logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim, const Tensor& out) {
  ReduceFlags reduced = listed_dims("logsumexp", self, dim);
  if (term_count(self, reduced) == 0) {
    return fill("logsumexp", out, Scalar(-std::numeric_limits<double>::infinity()));
  }
  if (self.numel() == 0) return;
  DType compute = row_dtype(out.dtype());
  DenseOutput results(out, compute);
  auto row = CEPH_ACTIVE_TABLE(norm).logsumexp[static_cast<int>(compute)];
  char* to = static_cast<char*>(results.tensor.data());
  const auto item = static_cast<int64_t>(item_size(compute));
  for_each_result(self, reduced, keepdim, results.tensor, compute,
                  [&](const void* terms, int64_t count, int64_t place) {
                    row(terms, count, to + place * item);
                  });
  results.write();
}

void layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                const Tensor& bias, double eps, bool, const Tensor& out) {
  normalise_rows(input, checked_numel(normalized_shape, "layer_norm"), weight, bias, eps,
                 CEPH_ACTIVE_TABLE(norm).layer_norm, out);
}

void rms_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
              std::optional<double> eps, const Tensor& out) {
  check_parameter("rms_norm", "weight", weight, input.dtype());
  normalise_rows(input, checked_numel(normalized_shape, "rms_norm"), weight, Tensor(),
                 eps.value_or(epsilon_of(input.dtype())), CEPH_ACTIVE_TABLE(norm).rms_norm, out);
}

}  // namespace ceph::kernels
