#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "base/scalar.h"

namespace ceph::kernels {

// A matrix somewhere in memory; strides in elements, 0 allowed for what is only read.
struct ConstMatrix {
  const void* data;
  int64_t row_stride;
  int64_t col_stride;

  ConstMatrix transposed() const { return {data, col_stride, row_stride}; }
};

// A row-major matrix that is written: neighbours in a row are neighbours in memory.
struct RowMatrix {
  void* data;
  int64_t row_stride;
};

// Factors of the product and of what c holds; with a beta of 0 that isn't read.
struct Scaling {
  Scalar alpha = 1;
  Scalar beta = 0;
};

// c[m, n] = alpha a[m, k] b[k, n] + beta c. An empty sum is zero. Integers wrap, float16 and
// bfloat16 are summed in float32 and rounded once. Split over the pool in pieces that depend on the
// shape only, so that results don't depend on the number of threads.
CEPH_API void gemm(const char* op, DType dtype, int64_t m, int64_t n, int64_t k, ConstMatrix a,
                   ConstMatrix b, RowMatrix c, const Scaling& scaling = {});

}  // namespace ceph::kernels
