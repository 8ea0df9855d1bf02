#include "kernels/dnn/library.h"
#include "kernels/dnn/matmul.h"

namespace ceph::kernels::dnn {

#ifdef CEPHEID_DNNL_LIBRARY

bool library_sgemm(const SGemm& p) {
  const Library* f = library();
  if (!f) return false;
  OneOpenMpThread one;
  auto order = [](bool transposed) { return transposed ? 'T' : 'N'; };
  return f->sgemm(order(p.a_transposed), order(p.b_transposed), p.m, p.n, p.k, p.alpha, p.a,
                  p.a_stride, p.b, p.b_stride, p.beta, p.c, p.c_stride) == dnnl_success;
}

#else

bool library_sgemm(const SGemm&) { return false; }

#endif

}  // namespace ceph::kernels::dnn
