#pragma once

#include <compare>
#include <cstdint>

namespace ceph::kernels::dnn {

// c[m, n] = alpha a[m, k] b[k, n] + beta c of row-major matrices, the strides being those of rows;
// `a_transposed`: a lies in memory as [k, m]. All in float32.
struct SGemm {
  int64_t m, n, k;
  float alpha, beta;
  bool a_transposed, b_transposed;
  const float* a;
  int64_t a_stride;
  const float* b;
  int64_t b_stride;
  float* c;
  int64_t c_stride;
};

// With oneDNN on the calling thread; false, with nothing written, where it isn't there.
bool library_sgemm(const SGemm& p);

// Sizes, and strides in elements, of c[m, n] = a[m, k] b[k, n] (+ bias[n] to each row); rows of c
// are unbroken.
struct MatmulShape {
  int64_t m, n, k;
  int64_t a_row, a_col, b_row, b_col, c_row;
  bool bias;

  auto operator<=>(const MatmulShape&) const = default;
};

// Whether oneDNN has an implementation of the pieces of this product in bfloat16.
bool library_takes_matmul(const MatmulShape& shape);

// In bfloat16, summed in float32 and rounded once, split over the pool in pieces that depend on the
// shape only. `bias` may be null. The library takes the shape.
void library_matmul(const char* op, const MatmulShape& shape, const void* a, const void* b,
                    const void* bias, void* c);

}  // namespace ceph::kernels::dnn
