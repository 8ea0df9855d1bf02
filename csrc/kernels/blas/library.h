#pragma once

#include <cstdint>

namespace ceph::kernels::blas {

// The functions of OpenBLAS that are used, with CBLAS signatures over 32-bit sizes.
template <class T>
using RealGemm = void(int order, int trans_a, int trans_b, int32_t m, int32_t n, int32_t k, T alpha,
                      const T* a, int32_t lda, const T* b, int32_t ldb, T beta, T* c, int32_t ldc);
using ComplexGemm = void(int order, int trans_a, int trans_b, int32_t m, int32_t n, int32_t k,
                         const void* alpha, const void* a, int32_t lda, const void* b, int32_t ldb,
                         const void* beta, void* c, int32_t ldc);

inline constexpr int kRowMajor = 101;
inline constexpr int kNoTrans = 111;
inline constexpr int kTrans = 112;

struct Library {
  RealGemm<float>* sgemm;
  RealGemm<double>* dgemm;
  ComplexGemm* cgemm;
  ComplexGemm* zgemm;
};

// Opened at the first call, with its own threads off: work is split over our pool, and two pools
// on the same processors cost milliseconds. RuntimeError, naming `op`, where it can't be opened.
const Library& library(const char* op);

}  // namespace ceph::kernels::blas
