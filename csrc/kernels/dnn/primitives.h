#pragma once

#include "kernels/dnn/library.h"

#ifdef CEPHEID_DNNL_LIBRARY

#include <vector>

#include "core/tensor.h"

// oneDNN's descriptions and primitives, as plans of whole ops use them.

namespace ceph::kernels::dnn {

inline dnnl_data_type_t data_type(DType dtype) {
  return dtype == DType::BFloat16 ? dnnl_bf16 : dnnl_f32;
}

inline Owned<dnnl_memory_desc_t> clone(const_dnnl_memory_desc_t desc) {
  dnnl_memory_desc_t out = nullptr;
  library()->memory_desc_clone(&out, desc);
  return Owned<dnnl_memory_desc_t>(out);
}

inline Owned<dnnl_primitive_attr_t> caller_scratch() {
  dnnl_primitive_attr_t out = nullptr;
  library()->primitive_attr_create(&out);
  library()->primitive_attr_set_scratchpad_mode(out, dnnl_scratchpad_mode_user);
  return Owned<dnnl_primitive_attr_t>(out);
}

inline Owned<dnnl_primitive_t> primitive(const Owned<dnnl_primitive_desc_t>& desc) {
  dnnl_primitive_t out = nullptr;
  if (desc) library()->primitive_create(&out, desc.get());
  return Owned<dnnl_primitive_t>(out);
}

inline Tensor bytes_for(const char* op, const Owned<dnnl_memory_desc_t>& desc) {
  int64_t size = static_cast<int64_t>(library()->memory_desc_get_size(desc.get()));
  return empty_tensor({size}, DType::UInt8, DeviceKind::CPU, op);
}

// Memory of oneDNN over memory of ours, and a run of a primitive over several of them.
class Run {
 public:
  explicit Run(const char* op) : op_(op) {
    dnnl_stream_t stream = nullptr;
    library()->stream_create(&stream, library()->engine, dnnl_stream_default_flags);
    stream_.reset(stream);
  }
  Run& with(int argument, const Owned<dnnl_memory_desc_t>& desc, void* data) {
    dnnl_memory_t memory = nullptr;
    library()->memory_create(&memory, desc.get(), library()->engine, data);
    owned_.emplace_back(memory);
    args_.push_back({argument, memory});
    return *this;
  }
  void execute(const Owned<dnnl_primitive_t>& primitive) {
    const Library& f = *library();
    dnnl_status_t status = f.primitive_execute(primitive.get(), stream_.get(),
                                               static_cast<int>(args_.size()), args_.data());
    if (status == dnnl_success) status = f.stream_wait(stream_.get());
    CEPH_CHECK(status == dnnl_success, ErrorKind::kRuntime, op_, "oneDNN failed with status ",
               static_cast<int>(status));
    owned_.clear();
    args_.clear();
  }

 private:
  const char* op_;
  Owned<dnnl_stream_t> stream_;
  std::vector<Owned<dnnl_memory_t>> owned_;
  std::vector<dnnl_exec_arg_t> args_;
};

}  // namespace ceph::kernels::dnn

#endif
