#pragma once

#include <optional>

#include "core/layout.h"

namespace ceph::ops {

// What the optional arguments of a factory come to.
inline DType dtype_or_default(std::optional<DType> dtype) {
  return dtype.value_or(default_dtype());
}

// The host and the meta device have one member each: `cpu:0` is `cpu`.
inline Device device_or_default(std::optional<Device> device) {
  Device d = device.value_or(default_device());
  return d.kind == DeviceKind::CUDA ? d : Device(d.kind);
}

inline void refuse_pinned(const char* op, std::optional<bool> pin_memory) {
  CEPH_CHECK(!pin_memory.value_or(false), ErrorKind::kRuntime, op,
             "pin_memory=True needs an accelerator; there is none in this build");
}

// Strides of a result that is laid out as `format` says, where Preserve means as `like` is.
inline DimVector strides_like(const char* op, const Tensor& like,
                              std::optional<MemoryFormat> format) {
  MemoryFormat f = format.value_or(MemoryFormat::Preserve);
  return f == MemoryFormat::Preserve ? preserved_strides(like) : strides_for(like.sizes(), f, op);
}

// Whether `t` is laid out as `format` says already.
inline bool is_laid_out(const char* op, const Tensor& t, MemoryFormat format) {
  if (format == MemoryFormat::Preserve) return true;
  if (format == MemoryFormat::Contiguous) return t.is_contiguous();
  DimVector wanted = strides_for(t.sizes(), format, op);
  if (t.numel() == 0) return true;
  for (size_t d = 0; d < wanted.size(); ++d) {
    if (t.sizes()[d] != 1 && t.strides()[d] != wanted[d]) return false;
  }
  return true;
}

// The shape of an in-place result must be its own: `src` is broadcast to `self`, not the reverse.
inline void check_broadcasts_to(const char* op, IntArrayRef src, IntArrayRef self) {
  CEPH_CHECK(IntArrayRef(broadcast_shapes(self, src, op)) == self, ErrorKind::kRuntime, op,
             "the source must broadcast to self; got self ", self, " and source ", src);
}

}  // namespace ceph::ops
