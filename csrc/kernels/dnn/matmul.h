#pragma once

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

}  // namespace ceph::kernels::dnn
