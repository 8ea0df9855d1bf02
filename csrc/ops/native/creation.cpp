#include "ops/native/options.h"

#include <cmath>

#include "generated/native/creation.h"
#include "generated/ops/_to_copy.h"
#include "generated/ops/clone.h"
#include "kernels/copy.h"
#include "kernels/cpu/representable.h"
#include "kernels/fill.h"
#include "kernels/inspect.h"

// Factories and copies. What is registered for the CPU and Meta alike does every check on both and
// touches data on the CPU only.

namespace ceph::ops::impl {
namespace {

void refuse_to_read_meta(const char* op, const Tensor& src) {
  CEPH_CHECK(!src.device().is_meta(), ErrorKind::kNotImplemented, op,
             "a meta tensor has no data to copy; make one with empty_like on the other device");
}

Tensor copied(const char* op, const Tensor& self, DType dtype, Device device,
              std::optional<MemoryFormat> format) {
  if (!device.is_meta()) refuse_to_read_meta(op, self);
  Tensor out =
      empty_strided_tensor(self.sizes(), strides_like(op, self, format), dtype, device, op);
  if (device.is_cpu()) kernels::copy_into(out, self);
  return out;
}

// to.*: the tensor itself where it is what was asked for, else a copy.
Tensor to(const Tensor& self, DType dtype, Device device, bool non_blocking, bool copy,
          std::optional<MemoryFormat> format) {
  bool same = self.dtype() == dtype && self.device() == device;
  if (same && !copy && is_laid_out("to", self, format.value_or(MemoryFormat::Preserve))) {
    return self;
  }
  return ops::_to_copy(self, dtype, std::nullopt, device, std::nullopt, non_blocking, format);
}

double checked_range(const Scalar& start, const Scalar& end, const Scalar& step) {
  double a = start.to_double("arange"), b = end.to_double("arange"), s = step.to_double("arange");
  CEPH_CHECK(std::isfinite(a) && std::isfinite(b) && !std::isnan(s), ErrorKind::kRuntime, "arange",
             "the bounds must be finite; got start ", start, ", end ", end, " and step ", step);
  CEPH_CHECK(s != 0, ErrorKind::kRuntime, "arange", "step must not be zero; got start ", start,
             " and end ", end);
  CEPH_CHECK(s > 0 ? b >= a : b <= a, ErrorKind::kRuntime, "arange",
             "step must lead from start to end; got start ", start, ", end ", end, " and step ",
             step);
  return std::ceil((b - a) / s);
}

// The number of values in [start, end), exact for integers of any size.
int64_t arange_count(const Scalar& start, const Scalar& end, const Scalar& step) {
  double estimate = checked_range(start, end, step);
  auto is_int64 = [](const Scalar& s) { return s.is_bool() || s.tag() == Scalar::Tag::Int; };
  if (is_int64(start) && is_int64(end) && is_int64(step)) {
    __int128 span = __int128(end.to_int64()) - start.to_int64(), s = step.to_int64();
    __int128 count = span == 0 ? 0 : (span + s + (s > 0 ? -1 : 1)) / s;
    if (count <= INT64_MAX) return static_cast<int64_t>(count);
  }
  CEPH_CHECK(estimate < 0x1p63, ErrorKind::kRuntime, "arange", "the length must fit in int64; got ",
             estimate, " values from ", start, " to ", end);
  return static_cast<int64_t>(estimate);
}

DType arange_dtype(const Scalar& start, const Scalar& end, const Scalar& step) {
  bool floating = start.is_floating() || end.is_floating() || step.is_floating();
  return floating ? default_dtype() : DType::Int64;
}

void check_arange_dtype(DType t) {
  bool plain = (is_integral(t) && (t <= DType::Int64)) || (is_floating(t) && !is_float8(t));
  CEPH_CHECK(plain, ErrorKind::kNotImplemented, "arange",
             "expected an integral or floating dtype; got ", name_of(t));
}

}  // namespace

Tensor empty(IntArrayRef size, std::optional<DType> dtype, std::optional<Layout>,
             std::optional<Device> device, std::optional<bool> pin_memory,
             std::optional<MemoryFormat> memory_format) {
  refuse_pinned("empty", pin_memory);
  DType t = dtype_or_default(dtype);
  Device d = device_or_default(device);
  MemoryFormat format = memory_format.value_or(MemoryFormat::Contiguous);
  if (format == MemoryFormat::Contiguous) return empty_tensor(size, t, d, "empty");
  CEPH_CHECK(format != MemoryFormat::Preserve, ErrorKind::kRuntime, "empty",
             "there is no tensor whose format could be preserved; use contiguous_format");
  for (int64_t n : size) {
    CEPH_CHECK(n >= 0, ErrorKind::kRuntime, "empty", "sizes must not be negative; got ", size);
  }
  return empty_strided_tensor(size, strides_for(size, format, "empty"), t, d, "empty");
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<DType> dtype,
                     std::optional<Layout>, std::optional<Device> device,
                     std::optional<bool> pin_memory) {
  refuse_pinned("empty_strided", pin_memory);
  return empty_strided_tensor(size, stride, dtype_or_default(dtype), device_or_default(device),
                              "empty_strided");
}

Tensor empty_like(const Tensor& self, std::optional<DType> dtype, std::optional<Layout>,
                  std::optional<Device> device, std::optional<bool> pin_memory,
                  std::optional<MemoryFormat> memory_format) {
  refuse_pinned("empty_like", pin_memory);
  return empty_strided_tensor(self.sizes(), strides_like("empty_like", self, memory_format),
                              dtype.value_or(self.dtype()),
                              device ? device_or_default(device) : self.device(), "empty_like");
}

// Dispatched on `self`: where that is a wrapper, its class makes one like it.
Tensor new_empty(const Tensor& self, IntArrayRef size, std::optional<DType> dtype,
                 std::optional<Layout>, std::optional<Device> device,
                 std::optional<bool> pin_memory) {
  refuse_pinned("new_empty", pin_memory);
  return empty_tensor(size, dtype.value_or(self.dtype()),
                      device ? device_or_default(device) : self.device(), "new_empty");
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              std::optional<DType> dtype, std::optional<Layout>, std::optional<Device> device,
              std::optional<bool> pin_memory) {
  refuse_pinned("arange", pin_memory);
  DType t = dtype.value_or(arange_dtype(start, end, step));
  check_arange_dtype(t);
  Device d = device_or_default(device);
  Tensor out = empty_tensor({arange_count(start, end, step)}, t, d, "arange");
  if (d.is_cpu()) kernels::arange_fill(out, start, step);
  return out;
}

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  return copied("clone", self, self.dtype(), self.device(), memory_format);
}

Tensor contiguous(const Tensor& self, MemoryFormat memory_format) {
  CEPH_CHECK(memory_format != MemoryFormat::Preserve, ErrorKind::kRuntime, "contiguous",
             "preserve_format says nothing about contiguity; use contiguous_format");
  if (is_laid_out("contiguous", self, memory_format)) return self;
  return ops::clone(self, memory_format);
}

Tensor to_copy(const Tensor& self, std::optional<DType> dtype, std::optional<Layout>,
               std::optional<Device> device, std::optional<bool> pin_memory, bool,
               std::optional<MemoryFormat> memory_format) {
  refuse_pinned("_to_copy", pin_memory);
  return copied("_to_copy", self, dtype.value_or(self.dtype()),
                device ? device_or_default(device) : self.device(), memory_format);
}

Tensor to_dtype(const Tensor& self, DType dtype, bool non_blocking, bool copy,
                std::optional<MemoryFormat> memory_format) {
  return to(self, dtype, self.device(), non_blocking, copy, memory_format);
}

Tensor to_device(const Tensor& self, Device device, std::optional<DType> dtype, bool non_blocking,
                 bool copy, std::optional<MemoryFormat> memory_format) {
  return to(self, dtype.value_or(self.dtype()), device_or_default(device), non_blocking, copy,
            memory_format);
}

Tensor to_other(const Tensor& self, const Tensor& other, bool non_blocking, bool copy,
                std::optional<MemoryFormat> memory_format) {
  return to(self, other.dtype(), other.device(), non_blocking, copy, memory_format);
}

Tensor to_options(const Tensor& self, std::optional<DType> dtype, std::optional<Layout>,
                  std::optional<Device> device, std::optional<bool> pin_memory, bool non_blocking,
                  bool copy, std::optional<MemoryFormat> memory_format) {
  refuse_pinned("to", pin_memory);
  return to(self, dtype.value_or(self.dtype()), device ? device_or_default(device) : self.device(),
            non_blocking, copy, memory_format);
}

Tensor copy_(const Tensor& self, const Tensor& src, bool) {
  check_broadcasts_to("copy_", src.sizes(), self.sizes());
  if (self.is_same(src)) return self;
  CEPH_CHECK(!overlaps_itself(self), ErrorKind::kRuntime, "copy_",
             "several elements of self (size ", self.sizes(), ", strides ", self.strides(),
             ") lie in one place; clone it first");
  CEPH_CHECK(overlap_between(self, src) != Overlap::Partial, ErrorKind::kRuntime, "copy_",
             "self and the source share some of their memory; clone the source first");
  kernels::copy_into(self, src);
  return self;
}

// Chosen when either side is a meta tensor.
Tensor copy_meta_(const Tensor& self, const Tensor& src, bool) {
  check_broadcasts_to("copy_", src.sizes(), self.sizes());
  if (!self.device().is_meta()) refuse_to_read_meta("copy_", src);
  return self;
}

Tensor fill_meta_(const Tensor& self, const Scalar& value) {
  kernels::check_representable("fill_", "value", value, self.dtype());
  return self;
}

Tensor fill_(const Tensor& self, const Scalar& value) {
  fill_meta_(self, value);
  kernels::fill("fill_", self, value);
  return self;
}

Scalar local_scalar_dense(const Tensor& self) {
  CEPH_CHECK(self.numel() == 1, ErrorKind::kRuntime, "item",
             "expected a tensor with one element; got ", self.numel(), " (size ", self.sizes(),
             "); use tolist for more");
  return kernels::number_in(self);
}

}  // namespace ceph::ops::impl
