#include "generated/kernels/matmul.h"
#include "base/thread_pool.h"
#include "core/layout.h"
#include "kernels/blas/gemm.h"
#include "kernels/copy.h"

// Products of matrices, over the one seam to the library (kernels/blas/gemm.h).

namespace ceph::kernels {
namespace {

// Matrix `index` of a batch (0 for a tensor of two dimensions).
ConstMatrix matrix_of(const Tensor& t, int64_t index) {
  char* data = static_cast<char*>(t.data());
  if (t.dim() == 3) data += index * t.stride(0) * static_cast<int64_t>(item_size(t.dtype()));
  return {data, t.stride(-2), t.stride(-1)};
}

bool is_narrow(DType t) { return t == DType::Float16 || t == DType::BFloat16; }

// Rows, or columns, of every matrix of `out` lie unbroken, and no two of them overlap.
bool rows_unbroken(const Tensor& out) {
  return (out.stride(-1) == 1 || out.size(-1) == 1) && out.stride(-2) >= out.size(-1);
}

Tensor transposed(const Tensor& t) {
  DimVector sizes = t.sizes(), strides = t.strides();
  size_t last = sizes.size() - 1;
  std::swap(sizes[last], sizes[last - 1]);
  std::swap(strides[last], strides[last - 1]);
  return view_of(t, sizes, strides, t.storage_offset());
}

void multiply_one(const char* op, const Tensor& a, const Tensor& b, const Tensor& out,
                  int64_t index) {
  ConstMatrix c = matrix_of(out, index);
  gemm(op, out.dtype(), out.size(-2), out.size(-1), a.size(-1), matrix_of(a, index),
       matrix_of(b, index), {const_cast<void*>(c.data), c.row_stride});
}

// One matrix after another, each split over the pool, or, where each is small, many at once.
void multiply_batch(const char* op, const Tensor& a, const Tensor& b, const Tensor& out) {
  int64_t count = out.dim() == 3 ? out.size(0) : 1;
  double work = static_cast<double>(out.size(-2)) * static_cast<double>(out.size(-1)) *
                static_cast<double>(a.size(-1));
  constexpr double kWorthSplitting = 1 << 22;
  if (count == 1 || work >= kWorthSplitting) {
    for (int64_t i = 0; i < count; ++i) multiply_one(op, a, b, out, i);
    return;
  }
  int64_t grain = std::max<int64_t>(1, static_cast<int64_t>((1 << 16) / std::max(work, 1.0)));
  parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) multiply_one(op, a, b, out, i);
  });
}

// float16 and bfloat16 beyond a few elements: float32 operands for the library, rounded once.
void multiply_narrow(const char* op, const Tensor& a, const Tensor& b, const Tensor& out) {
  Tensor wide = empty_tensor(out.sizes(), DType::Float32, out.device(), op);
  multiply_batch(op, cast(a, DType::Float32), cast(b, DType::Float32), wide);
  copy_into(out, wide);
}

void multiply(const char* op, const Tensor& a, const Tensor& b, const Tensor& out) {
  if (out.numel() == 0) return;
  if (is_narrow(out.dtype()) && a.numel() + b.numel() > 128) return multiply_narrow(op, a, b, out);
  if (rows_unbroken(out)) return multiply_batch(op, a, b, out);
  if (rows_unbroken(transposed(out))) {
    return multiply_batch(op, transposed(b), transposed(a), transposed(out));
  }
  Tensor dense = empty_tensor(out.sizes(), out.dtype(), out.device(), op);
  multiply_batch(op, a, b, dense);
  copy_into(out, dense);
}

}  // namespace

void mm(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  multiply("mm", self, mat2, out);
}

void bmm(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  multiply("bmm", self, mat2, out);
}

}  // namespace ceph::kernels
