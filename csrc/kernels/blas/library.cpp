#include "kernels/blas/library.h"

#include "base/error.h"
#include "kernels/cpu/dynamic_library.h"

namespace ceph::kernels::blas {
namespace {

struct Opened {
  DynamicLibrary file;
  Library functions{};
};

DynamicLibrary open_single_threaded() {
  // Its worker threads start while it is opened, as many as this variable says.
  ScopedEnvironment one("OPENBLAS_NUM_THREADS", "1");
  return DynamicLibrary(CEPHEID_BLAS_LIBRARY);
}

Opened open() {
  Opened opened{open_single_threaded()};
  DynamicLibrary& file = opened.file;
  Library& f = opened.functions;
  f.sgemm = file.find<RealGemm<float>>("scipy_cblas_sgemm");
  f.dgemm = file.find<RealGemm<double>>("scipy_cblas_dgemm");
  f.cgemm = file.find<ComplexGemm>("scipy_cblas_cgemm");
  f.zgemm = file.find<ComplexGemm>("scipy_cblas_zgemm");
  return opened;
}

}  // namespace

const Library& library(const char* op) {
  static const Opened opened = open();
  CEPH_CHECK(opened.file.is_open(), ErrorKind::kRuntime, op,
             "the library " CEPHEID_BLAS_LIBRARY " must lie beside libcepheid; ",
             opened.file.error(), "; install cepheid again");
  return opened.functions;
}

}  // namespace ceph::kernels::blas
