#include "ops/structured.h"

#include "generated/ops/copy_.h"
#include "kernels/copy.h"

namespace ceph::ops {
namespace {

std::string names_of(uint32_t dtypes) {
  std::string text;
  for (int i = 0; i < kNumDTypes; ++i) {
    if (!(dtypes >> i & 1)) continue;
    if (!text.empty()) text += ", ";
    text += name_of(static_cast<DType>(i));
  }
  return text;
}

void check_inplace_shape(const char* op, const Tensor& self, IntArrayRef sizes) {
  CEPH_CHECK(self.sizes() == sizes, ErrorKind::kRuntime, op,
             "the result must have self's shape; got self ", self.sizes(), " and result ", sizes,
             ", use the form that returns a new tensor");
}

// Whether the kernel may write to `out` itself.
bool writable_directly(const Tensor& out, const OutputSpec& spec, bool overlapping) {
  return !overlapping && out.dtype() == spec.dtype && out.sizes() == IntArrayRef(spec.sizes);
}

// Whether out shares memory with an operand; partial overlap is refused.
bool check_overlap(const char* op, const Tensor& out, ArrayRef<const Tensor*> operands) {
  bool shared = false;
  for (const Tensor* operand : operands) {
    Overlap overlap = overlap_between(out, *operand);
    CEPH_CHECK(overlap != Overlap::Partial, ErrorKind::kRuntime, op,
               "the output must not share part of its memory with an operand; clone one of them");
    shared = shared || overlap == Overlap::Full;
  }
  return shared;
}

}  // namespace

void check_dtype(const char* op, DType dtype, uint32_t allowed) {
  CEPH_CHECK(allowed >> static_cast<int>(dtype) & 1, ErrorKind::kNotImplemented, op, "dtype ",
             dtype, " is not supported; convert to one of ", names_of(allowed));
}

Device common_device(const char* op, ArrayRef<const Tensor*> operands) {
  if (operands.empty()) return Device();
  Device device = operands[0]->device();
  for (const Tensor* operand : operands) {
    CEPH_CHECK(operand->device() == device, ErrorKind::kRuntime, op,
               "operands must be on one device; got ", device, " and ", operand->device(),
               ", move one with to()");
  }
  return device;
}

Output::Output(const char* op, const Tensor& out, const OutputSpec& spec,
               ArrayRef<const Tensor*> operands, Resize resize)
    : op_(op), out_(out) {
  CEPH_CHECK(out.device() == spec.device, ErrorKind::kRuntime, op,
             "the output must be on the operands' device; got output ", out.device(),
             " and operands ", spec.device, ", move one with to()");
  check_writable(op, out);
  check_can_cast(op, spec.dtype, out.dtype());
  if (resize == Resize::kNo) check_inplace_shape(op, out, spec.sizes);
  check_no_internal_overlap(op, out);
  bool overlapping = check_overlap(op, out, operands);
  target_ = writable_directly(out, spec, overlapping) ? out : allocate(op, spec);
}

void Output::finish() {
  if (!target_.is_same(out_)) {
    if (!(out_.sizes() == target_.sizes())) resize_output(op_, out_, target_.sizes());
    if (out_.device().is_cpu()) kernels::copy_into(out_, target_);
  }
  out_->bump_version();
}

void check_distinct(const char* op, const Tensor& a, const Tensor& b) {
  CEPH_CHECK(overlap_between(a, b) == Overlap::None, ErrorKind::kRuntime, op,
             "the outputs must not share memory; give each a tensor of its own");
}

void check_writable(const char* op, const Tensor& written) {
  CEPH_CHECK(!written->has_storage() || written->storage()->writable(), ErrorKind::kRuntime, op,
             "the tensor that is written has read-only memory; clone it first");
}

void check_no_internal_overlap(const char* op, const Tensor& self) {
  CEPH_CHECK(!overlaps_itself(self), ErrorKind::kRuntime, op,
             "the tensor that is written has several elements in one place; got shape ",
             self.sizes(), " with strides ", self.strides(), ", clone it first");
}

void check_expands(const char* op, const Tensor& operand, const Tensor& self) {
  DimVector sizes = broadcast_shapes(self.sizes(), operand.sizes(), op);
  check_inplace_shape(op, self, sizes);
}

Tensor expanded(const char* op, const Tensor& self, const Tensor& other) {
  DimVector sizes = broadcast_shapes(self.sizes(), other.sizes(), op);
  size_t leading = sizes.size() - self.sizes().size();
  DimVector strides(leading, 0);
  for (size_t d = 0; d < self.sizes().size(); ++d) {
    bool stretched = self.sizes()[d] != sizes[leading + d];
    strides.push_back(stretched ? 0 : self.strides()[d]);
  }
  return view_of(self, sizes, strides, self.storage_offset());
}

Tensor empty_as(const char* op, const Tensor& like) {
  return empty_strided_tensor(like.sizes(), preserved_strides(like), like.dtype(), like.device(),
                              op);
}

Tensor unshared(const Tensor& operand, const Tensor& written) {
  if (!operand.defined() || overlap_between(operand, written) == Overlap::None) return operand;
  return kernels::cast(operand, operand.dtype());
}

std::vector<Tensor> unshared(TensorList operands, const Tensor& written) {
  std::vector<Tensor> apart;
  apart.reserve(operands.size());
  for (const Tensor& operand : operands) apart.push_back(unshared(operand, written));
  return apart;
}

size_t each_count(const char* op, std::initializer_list<size_t> lengths) {
  const size_t count = *lengths.begin();
  CEPH_CHECK(count > 0, ErrorKind::kRuntime, op,
             "a list must hold a tensor at least; got an empty one");
  for (size_t length : lengths) {
    CEPH_CHECK(length == count, ErrorKind::kRuntime, op, "lists must be equally long; got ", count,
               " and ", length, " entries");
  }
  return count;
}

void write_result(const char* op, const Tensor& out, const Tensor& result, Resize resize) {
  CEPH_CHECK(out.device() == result.device(), ErrorKind::kRuntime, op,
             "the output must be on the operands' device; got output ", out.device(),
             " and operands ", result.device(), ", move one with to()");
  check_writable(op, out);
  check_can_cast(op, result.dtype(), out.dtype());
  if (resize == Resize::kNo) {
    check_inplace_shape(op, out, result.sizes());
  } else if (!(out.sizes() == result.sizes())) {
    resize_output(op, out, result.sizes());
  }
  ops::copy_(out, result);
}

}  // namespace ceph::ops
