#include "generated/kernels/matmul.h"
#include "base/thread_pool.h"
#include "core/layout.h"
#include "kernels/blas/gemm.h"
#include "kernels/copy.h"
#include "kernels/dnn/matmul.h"

// Products of matrices, over the seams to the libraries (kernels/blas/gemm.h,
// kernels/dnn/matmul.h).

namespace ceph::kernels {
namespace {

bool is_narrow(DType t) { return t == DType::Float16 || t == DType::BFloat16; }

Tensor transposed(const Tensor& t) {
  DimVector sizes = t.sizes(), strides = t.strides();
  size_t last = sizes.size() - 1;
  std::swap(sizes[last], sizes[last - 1]);
  std::swap(strides[last], strides[last - 1]);
  return view_of(t, sizes, strides, t.storage_offset());
}

// Rows, or columns, of every matrix of `out` lie unbroken, and no two of them overlap.
bool rows_unbroken(const Tensor& out) {
  return (out.stride(-1) == 1 || out.size(-1) == 1) && out.stride(-2) >= out.size(-1);
}

// out = alpha a b + beta out, of matrices or batches of them, all of one dtype. A bias is added to
// each row; it comes with a beta of 0.
class Product {
 public:
  Product(const char* op, const Tensor& a, const Tensor& b, const Tensor& out, Scaling scaling = {},
          const Tensor& bias = {})
      : op_(op), a_(a), b_(b), out_(out), bias_(bias), scaling_(scaling) {}

  void run() {
    if (out_.numel() == 0) return;
    if (by_library()) return;
    if (is_narrow(out_.dtype()) && a_.numel() + b_.numel() > 128) return in_float32();
    if (bias_.defined()) {
      copy_into(out_, bias_);
      scaling_.beta = 1;
    }
    if (rows_unbroken(out_)) return run_gemm();
    if (rows_unbroken(transposed(out_))) {
      return Product(op_, transposed(b_), transposed(a_), transposed(out_), scaling_).run_gemm();
    }
    Tensor dense = empty_tensor(out_.sizes(), out_.dtype(), out_.device(), op_);
    if (reads_out()) copy_into(dense, out_);
    Product(op_, a_, b_, dense, scaling_).run_gemm();
    copy_into(out_, dense);
  }

 private:
  bool reads_out() const { return !scaling_.beta.equals(0); }

  // Matrix `index` of a batch (0 for a tensor of two dimensions).
  static ConstMatrix matrix_of(const Tensor& t, int64_t index) {
    char* data = static_cast<char*>(t.data());
    if (t.dim() == 3) data += index * t.stride(0) * static_cast<int64_t>(item_size(t.dtype()));
    return {data, t.stride(-2), t.stride(-1)};
  }

  // One matrix after another, each split over the pool, or, where each is small, many at once.
  template <class One>
  void for_batch(const One& one) const {
    int64_t count = out_.dim() == 3 ? out_.size(0) : 1;
    double work = static_cast<double>(out_.size(-2)) * static_cast<double>(out_.size(-1)) *
                  static_cast<double>(a_.size(-1));
    constexpr double kWorthSplitting = 1 << 22;
    if (count == 1 || work >= kWorthSplitting) {
      for (int64_t i = 0; i < count; ++i) one(i);
      return;
    }
    int64_t grain = std::max<int64_t>(1, static_cast<int64_t>((1 << 16) / std::max(work, 1.0)));
    parallel_for(0, count, grain, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) one(i);
    });
  }

  void run_gemm() const {
    for_batch([&](int64_t index) {
      ConstMatrix c = matrix_of(out_, index);
      gemm(op_, out_.dtype(), out_.size(-2), out_.size(-1), a_.size(-1), matrix_of(a_, index),
           matrix_of(b_, index), {const_cast<void*>(c.data), c.row_stride}, scaling_);
    });
  }

  // False, with nothing written, where the library doesn't serve the product.
  bool by_library() const {
    bool plain = scaling_.alpha.equals(1) && !reads_out() && rows_unbroken(out_);
    if (out_.dtype() != DType::BFloat16 || !plain || a_.size(-1) == 0) return false;
    if (bias_.defined() && bias_.stride(-1) != 1) return false;
    dnn::MatmulShape shape{out_.size(-2), out_.size(-1),   a_.size(-1),
                           a_.stride(-2), a_.stride(-1),   b_.stride(-2),
                           b_.stride(-1), out_.stride(-2), bias_.defined()};
    if (!dnn::library_takes_matmul(shape)) return false;
    const void* bias = bias_.defined() ? bias_.data() : nullptr;
    for_batch([&](int64_t i) {
      void* c = const_cast<void*>(matrix_of(out_, i).data);
      dnn::library_matmul(op_, shape, matrix_of(a_, i).data, matrix_of(b_, i).data, bias, c);
    });
    return true;
  }

  // float32 operands for the library, rounded once.
  void in_float32() const {
    Tensor wide = empty_tensor(out_.sizes(), DType::Float32, out_.device(), op_);
    if (reads_out()) copy_into(wide, out_);
    Tensor bias = bias_.defined() ? cast(bias_, DType::Float32) : bias_;
    Product(op_, cast(a_, DType::Float32), cast(b_, DType::Float32), wide, scaling_, bias).run();
    copy_into(out_, wide);
  }

  const char* op_;
  Tensor a_, b_, out_, bias_;
  Scaling scaling_;
};

// beta self + alpha a b.
void add_product(const char* op, const Tensor& self, const Tensor& a, const Tensor& b,
                 const Scalar& beta, const Scalar& alpha, const Tensor& out) {
  if (!beta.equals(0) && !out.is_same(self)) copy_into(out, self);
  Product(op, a, b, out, {alpha, beta}).run();
}

// All rows of the last dimension, one after another.
Tensor as_rows(const Tensor& t, int64_t length) {
  Tensor dense = t;
  if (!t.is_contiguous()) {
    dense = empty_tensor(t.sizes(), t.dtype(), t.device(), "linear");
    copy_into(dense, t);
  }
  int64_t rows = length == 0 ? 0 : t.numel() / length;
  return view_of(dense, {rows, length}, {length, 1}, dense.storage_offset());
}

}  // namespace

void mm(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  Product("mm", self, mat2, out).run();
}

void bmm(const Tensor& self, const Tensor& mat2, const Tensor& out) {
  Product("bmm", self, mat2, out).run();
}

void addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
           const Scalar& alpha, const Tensor& out) {
  add_product("addmm", self, mat1, mat2, beta, alpha, out);
}

void baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
             const Scalar& alpha, const Tensor& out) {
  add_product("baddbmm", self, batch1, batch2, beta, alpha, out);
}

void linear(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& out) {
  int64_t depth = input.size(-1);
  int64_t width = weight.dim() == 1 ? 1 : weight.size(0);
  int64_t rows = width == 0 ? 0 : out.numel() / width;
  Tensor x = input.dim() == 2 ? input : as_rows(input, depth);
  if (depth == 0) x = view_of(x, {rows, 0}, {1, 1}, x.storage_offset());
  Tensor w =
      view_of(weight, {depth, width}, {weight.stride(-1), weight.dim() == 1 ? 1 : weight.stride(0)},
              weight.storage_offset());
  Tensor y = view_of(out, {rows, width}, {width, 1}, out.storage_offset());
  Product("linear", x, w, y, {}, bias).run();
}

}  // namespace ceph::kernels
