#pragma once

#ifdef CEPHEID_DNNL_LIBRARY

#include <oneapi/dnnl/dnnl.h>

#include <memory>
#include <type_traits>

namespace ceph::kernels::dnn {

// The functions of oneDNN's C interface that are used (without the prefix dnnl_).
#define CEPH_FORALL_DNNL(_)                                                                        \
  _(engine_create)                                                                                 \
  _(stream_create)                                                                                 \
  _(sgemm)                                                                                         \
  _(stream_wait)                                                                                   \
  _(stream_destroy)                                                                                \
  _(memory_desc_create_with_strides)                                                               \
  _(memory_desc_create_with_tag)                                                                   \
  _(memory_desc_clone)                                                                             \
  _(memory_desc_destroy)                                                                           \
  _(memory_desc_equal)                                                                             \
  _(memory_desc_get_size)                                                                          \
  _(memory_create)                                                                                 \
  _(memory_destroy)                                                                                \
  _(primitive_attr_create)                                                                         \
  _(primitive_attr_destroy)                                                                        \
  _(primitive_attr_set_scratchpad_mode)                                                            \
  _(matmul_primitive_desc_create)                                                                  \
  _(convolution_forward_primitive_desc_create)                                                     \
  _(convolution_backward_data_primitive_desc_create)                                               \
  _(convolution_backward_weights_primitive_desc_create)                                            \
  _(reorder_primitive_desc_create)                                                                 \
  _(primitive_desc_query_md)                                                                       \
  _(primitive_desc_destroy)                                                                        \
  _(primitive_create)                                                                              \
  _(primitive_destroy)                                                                             \
  _(primitive_execute)

struct Library {
#define CEPH_MEMBER(name) decltype(&dnnl_##name) name;
  CEPH_FORALL_DNNL(CEPH_MEMBER)
#undef CEPH_MEMBER
  dnnl_engine_t engine;
};

// Opened at the first call; null where it isn't installed beside libcepheid.
const Library* library();

// oneDNN runs single-threaded on each thread of our pool: one thread of OpenMP while this lives,
// which is a setting of the calling thread. No team of OpenMP is ever started, so fork stays safe.
class OneOpenMpThread {
 public:
  OneOpenMpThread();
  ~OneOpenMpThread();
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  int before_;
};

// Owners of oneDNN's handles.
struct Deleter {
  void operator()(dnnl_memory_desc_t p) const { library()->memory_desc_destroy(p); }
  void operator()(dnnl_memory_t p) const { library()->memory_destroy(p); }
  void operator()(dnnl_primitive_desc_t p) const { library()->primitive_desc_destroy(p); }
  void operator()(dnnl_primitive_t p) const { library()->primitive_destroy(p); }
  void operator()(dnnl_primitive_attr_t p) const { library()->primitive_attr_destroy(p); }
  void operator()(dnnl_stream_t p) const { library()->stream_destroy(p); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Deleter>;

}  // namespace ceph::kernels::dnn

#endif
