#include "kernels/dnn/library.h"

#ifdef CEPHEID_DNNL_LIBRARY

#include "kernels/cpu/dynamic_library.h"

namespace ceph::kernels::dnn {
namespace {

struct OpenMp {
  DynamicLibrary file{CEPHEID_GOMP_LIBRARY};
  int (*get_max_threads)() = file.find<int()>("omp_get_max_threads");
  void (*set_num_threads)(int) = file.find<void(int)>("omp_set_num_threads");
};

const OpenMp& openmp() {
  static const OpenMp opened;
  return opened;
}

// oneDNN needs OpenMP's library, which must be the one that we can set.
struct Opened {
  DynamicLibrary file{CEPHEID_DNNL_LIBRARY};
  Library functions{};
  bool works = openmp().file.is_open() && find_all();

 private:
  bool find_all() {
#define CEPH_FIND(name)                                                                            \
  functions.name = file.find<std::remove_pointer_t<decltype(&dnnl_##name)>>("dnnl_" #name);
    CEPH_FORALL_DNNL(CEPH_FIND)
#undef CEPH_FIND
    return file.is_open() &&
           functions.engine_create(&functions.engine, dnnl_cpu, 0) == dnnl_success;
  }
};

}  // namespace

const Library* library() {
  openmp();  // first, so that the copy beside libcepheid is the one in the process
  static const Opened opened;
  return opened.works ? &opened.functions : nullptr;
}

OneOpenMpThread::OneOpenMpThread() : before_(openmp().get_max_threads()) {
  openmp().set_num_threads(1);
}

OneOpenMpThread::~OneOpenMpThread() { openmp().set_num_threads(before_); }

}  // namespace ceph::kernels::dnn

#endif
