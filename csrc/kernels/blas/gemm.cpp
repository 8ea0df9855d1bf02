#include "kernels/blas/gemm.h"

#include "base/error.h"
#include "base/overflow.h"
#include "base/thread_pool.h"
#include "kernels/blas/library.h"
#include "kernels/blas/own_gemm.h"
#include "kernels/dnn/matmul.h"

namespace ceph::kernels {
namespace blas {
namespace {

// Multiplications below which the library's own overhead is larger than the work.
constexpr double kTiny = 512;
// Multiplications that are worth a piece of their own.
constexpr double kPiece = 1 << 20;

// How the library is to see a matrix: `trans` means that columns lie in memory one after another.
struct Operand {
  const void* data;
  int trans;
  int64_t stride;  // 0: neither rows nor columns are unbroken
};

Operand operand(ConstMatrix x, int64_t rows, int64_t cols) {
  if ((x.col_stride == 1 || cols == 1) && (x.row_stride >= cols || rows == 1)) {
    return {x.data, kNoTrans, rows == 1 ? cols : x.row_stride};
  }
  if ((x.row_stride == 1 || rows == 1) && x.col_stride >= rows) {
    return {x.data, kTrans, x.col_stride};
  }
  return {x.data, kNoTrans, 0};
}

template <class T>
struct Problem {
  int64_t m, n, k;
  Operand a, b;
  RowMatrix c;
  T alpha, beta;
};

template <class T>
void call_library(const Library& f, const Problem<T>& p, const T* a, const T* b, T* c, int64_t m,
                  int64_t n) {
  auto i32 = [](int64_t v) { return static_cast<int32_t>(v); };
  int32_t lda = i32(p.a.stride), ldb = i32(p.b.stride), ldc = i32(std::max(p.c.row_stride, p.n));
  auto real = [&](RealGemm<T>* gemm) {
    gemm(kRowMajor, p.a.trans, p.b.trans, i32(m), i32(n), i32(p.k), p.alpha, a, lda, b, ldb, p.beta,
         c, ldc);
  };
  auto complex = [&](ComplexGemm* gemm) {
    gemm(kRowMajor, p.a.trans, p.b.trans, i32(m), i32(n), i32(p.k), &p.alpha, a, lda, b, ldb,
         &p.beta, c, ldc);
  };
  if constexpr (std::is_same_v<T, float>) {
    if (!dnn::library_sgemm({m, n, p.k, p.alpha, p.beta, p.a.trans == kTrans, p.b.trans == kTrans,
                             a, p.a.stride, b, p.b.stride, c, std::max(p.c.row_stride, p.n)}))
      real(f.sgemm);
  } else if constexpr (std::is_same_v<T, double>)
    real(f.dgemm);
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    complex(f.cgemm);
  else
    complex(f.zgemm);
}

int64_t piece_size(int64_t extent, double work) {
  int64_t pieces = std::clamp<int64_t>(static_cast<int64_t>(work / kPiece), 1, 64);
  int64_t least = work < 256.0 * kPiece ? 128 : 256;  // a piece packs the other operand anew
  return std::max(least, ceil_div(extent, pieces));
}

template <class T>
void run_library(const char* op, const Problem<T>& p) {
  const Library& f = library(op);
  const T* a = static_cast<const T*>(p.a.data);
  const T* b = static_cast<const T*>(p.b.data);
  T* c = static_cast<T*>(p.c.data);
  double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  bool by_rows = p.m >= p.n;
  int64_t extent = by_rows ? p.m : p.n;
  auto piece = [&](int64_t first, int64_t last) {
    if (by_rows) {
      const T* rows = a + first * (p.a.trans == kTrans ? 1 : p.a.stride);
      call_library(f, p, rows, b, c + first * p.c.row_stride, last - first, p.n);
    } else {
      const T* cols = b + first * (p.b.trans == kTrans ? p.b.stride : 1);
      call_library(f, p, a, cols, c + first, p.m, last - first);
    }
  };
  int64_t size = piece_size(extent, work);
  if (size >= extent) {
    piece(0, extent);
  } else {
    parallel_for(0, extent, size, piece, /*fixed_pieces=*/true);
  }
}

// A row-major copy of a matrix whose strides the library can't take.
template <class T>
Operand packed(ConstMatrix x, int64_t rows, int64_t cols, std::vector<T>& storage) {
  storage.resize(static_cast<size_t>(rows * cols));
  const T* from = static_cast<const T*>(x.data);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      storage[static_cast<size_t>(i * cols + j)] = from[i * x.row_stride + j * x.col_stride];
    }
  }
  return {storage.data(), kNoTrans, cols};
}

template <class T>
void own(const char* op, int64_t m, int64_t n, int64_t k, ConstMatrix a, ConstMatrix b, RowMatrix c,
         const Scaling& scaling) {
  using Sum = typename OwnGemm<T>::Sum;
  // Factors of 16-bit products are no 16-bit numbers.
  using Factor = std::conditional_t<std::is_same_v<Sum, float>, float, T>;
  Sum alpha = static_cast<Sum>(scaling.alpha.to<Factor>(op));
  Sum beta = static_cast<Sum>(scaling.beta.to<Factor>(op));
  double per_row = static_cast<double>(n) * static_cast<double>(k);
  int64_t grain = per_row >= kPiece ? 1 : static_cast<int64_t>(kPiece / std::max(per_row, 1.0));
  grain = ceil_div(grain, OwnGemm<T>::kRows) * OwnGemm<T>::kRows;
  parallel_for(0, m, grain, [&](int64_t first, int64_t last) {
    const T* rows = static_cast<const T*>(a.data) + first * a.row_stride;
    RowMatrix to{static_cast<T*>(c.data) + first * c.row_stride, c.row_stride};
    OwnGemm<T>(last - first, n, k, {rows, a.row_stride, a.col_stride}, b, to, alpha, beta).run();
  });
}

template <class T>
void with_library(const char* op, int64_t m, int64_t n, int64_t k, ConstMatrix a, ConstMatrix b,
                  RowMatrix c, const Scaling& scaling) {
  double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  Problem<T> p{m,
               n,
               k,
               operand(a, m, k),
               operand(b, k, n),
               c,
               scaling.alpha.to<T>(op),
               scaling.beta.to<T>(op)};
  int64_t largest = std::max({m, n, k, p.a.stride, p.b.stride, c.row_stride});
  if (work <= kTiny || largest > INT32_MAX) return own<T>(op, m, n, k, a, b, c, scaling);
  std::vector<T> copy_a, copy_b;
  if (p.a.stride == 0) p.a = packed<T>(a, m, k, copy_a);
  if (p.b.stride == 0) p.b = packed<T>(b, k, n, copy_b);
  run_library(op, p);
}

}  // namespace
}  // namespace blas

void gemm(const char* op, DType dtype, int64_t m, int64_t n, int64_t k, ConstMatrix a,
          ConstMatrix b, RowMatrix c, const Scaling& scaling) {
  if (m == 0 || n == 0) return;
  switch (dtype) {
#define CEPH_OWN(name, type)                                                                       \
  case DType::name:                                                                                \
    return blas::own<type>(op, m, n, k, a, b, c, scaling);
#define CEPH_LIBRARY(name, type)                                                                   \
  case DType::name:                                                                                \
    return blas::with_library<type>(op, m, n, k, a, b, c, scaling);
    CEPH_OWN(UInt8, uint8_t)
    CEPH_OWN(Int8, int8_t)
    CEPH_OWN(Int16, int16_t)
    CEPH_OWN(Int32, int32_t)
    CEPH_OWN(Int64, int64_t)
    CEPH_OWN(Float16, Half)
    CEPH_OWN(BFloat16, BFloat16)
    CEPH_LIBRARY(Float32, float)
    CEPH_LIBRARY(Float64, double)
    CEPH_LIBRARY(Complex64, std::complex<float>)
    CEPH_LIBRARY(Complex128, std::complex<double>)
#undef CEPH_OWN
#undef CEPH_LIBRARY
  default:
    fail(ErrorKind::kNotImplemented, op, "does not work for ", name_of(dtype));
  }
}

}  // namespace ceph::kernels
