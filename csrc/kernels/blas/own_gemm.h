#pragma once

#include <algorithm>
#include <vector>

#include "kernels/blas/gemm.h"

namespace ceph::kernels::blas {

// The type in which products of T are summed. Integers wrap in an unsigned type, where that is
// defined; the low bits are the same whatever its width.
template <class T>
struct SumOf {
  using type = T;
};
template <class T>
  requires std::is_integral_v<T>
struct SumOf<T> {
  using type = std::conditional_t<(sizeof(T) < 8), uint32_t, uint64_t>;
};
template <>
struct SumOf<Half> {
  using type = float;
};
template <>
struct SumOf<BFloat16> {
  using type = float;
};

// Blocked product for dtypes and sizes that no library serves. Any strides.
template <class T>
class OwnGemm {
 public:
  using Sum = typename SumOf<T>::type;
  static constexpr int64_t kRows = 32, kCols = 64, kDepth = 256;

  OwnGemm(int64_t m, int64_t n, int64_t k, ConstMatrix a, ConstMatrix b, RowMatrix c, Sum alpha,
          Sum beta)
      : m_(m), n_(n), k_(k), a_(a), b_(b), c_(c), alpha_(alpha), beta_(beta) {}

  void run() {
    panel_.resize(static_cast<size_t>(std::min(k_, kDepth) * std::min(n_, kCols)));
    sums_.resize(static_cast<size_t>(std::min(m_, kRows) * std::min(n_, kCols)));
    for (int64_t i = 0; i < m_; i += kRows) {
      for (int64_t j = 0; j < n_; j += kCols) {
        block(i, std::min(kRows, m_ - i), j, std::min(kCols, n_ - j));
      }
    }
  }

 private:
  static Sum load(ConstMatrix x, int64_t i, int64_t j) {
    return static_cast<Sum>(static_cast<const T*>(x.data)[i * x.row_stride + j * x.col_stride]);
  }

  void block(int64_t i0, int64_t rows, int64_t j0, int64_t cols) {
    std::fill(sums_.begin(), sums_.end(), Sum(0));
    for (int64_t p0 = 0; p0 < k_; p0 += kDepth) {
      int64_t depth = std::min(kDepth, k_ - p0);
      pack(p0, depth, j0, cols);
      for (int64_t i = 0; i < rows; ++i) add_row(i0 + i, p0, depth, cols, &sums_[at(i * cols)]);
    }
    for (int64_t i = 0; i < rows; ++i) store(i0 + i, j0, cols, &sums_[at(i * cols)]);
  }

  void pack(int64_t p0, int64_t depth, int64_t j0, int64_t cols) {
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t j = 0; j < cols; ++j) panel_[at(p * cols + j)] = load(b_, p0 + p, j0 + j);
    }
  }

  void add_row(int64_t i, int64_t p0, int64_t depth, int64_t cols, Sum* sums) const {
    for (int64_t p = 0; p < depth; ++p) {
      Sum a = load(a_, i, p0 + p);
      const Sum* b = &panel_[at(p * cols)];
#pragma GCC ivdep
      for (int64_t j = 0; j < cols; ++j) sums[j] += a * b[j];
    }
  }

  void store(int64_t i, int64_t j0, int64_t cols, const Sum* sums) const {
    T* to = static_cast<T*>(c_.data) + i * c_.row_stride + j0;
    for (int64_t j = 0; j < cols; ++j) {
      Sum product = static_cast<Sum>(alpha_ * sums[j]);
      bool reads = beta_ != Sum(0);
      to[j] = static_cast<T>(reads ? static_cast<Sum>(beta_ * static_cast<Sum>(to[j]) + product)
                                   : product);
    }
  }

  static size_t at(int64_t i) { return static_cast<size_t>(i); }

  int64_t m_, n_, k_;
  ConstMatrix a_, b_;
  RowMatrix c_;
  Sum alpha_, beta_;
  std::vector<Sum> panel_, sums_;
};

}  // namespace ceph::kernels::blas
