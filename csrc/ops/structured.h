#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/op_scope.h"
#include "core/dispatcher.h"
#include "core/layout.h"
#include "core/type_promotion.h"

// What generated registrations (register/<family>.cpp) call around a kernel: the checks before it,
// the memory that it writes, and the way of its result into an output.

namespace ceph::ops {

// The dispatcher's entry of one variant.
template <class Signature>
OperatorEntry entry(std::string_view schema) {
  return OperatorEntry(OperatorEntry::SignatureTag<Signature>(), "aten", schema);
}

// One bit per dtype.
constexpr uint32_t dtype_bits(std::initializer_list<DType> dtypes) {
  uint32_t bits = 0;
  for (DType dtype : dtypes) bits |= 1u << static_cast<int>(dtype);
  return bits;
}

// NotImplementedError unless `dtype` is one of `allowed`.
CEPH_API void check_dtype(const char* op, DType dtype, uint32_t allowed);

// The tensors among a call's operands, None left out.
using Operands = SmallVector<const Tensor*, 6>;

namespace detail {
inline void add_operands(Operands& list, const Tensor& t) {
  if (t.defined()) list.push_back(&t);
}
inline void add_operands(Operands& list, TensorList tensors) {
  for (const Tensor& t : tensors) add_operands(list, t);
}
}  // namespace detail

template <class... T>
Operands operands(const T&... tensors) {
  Operands list;
  (detail::add_operands(list, tensors), ...);
  return list;
}

// The one device of all operands; RuntimeError where they are on several.
CEPH_API Device common_device(const char* op, ArrayRef<const Tensor*> operands);

// Shapes as shape rules take them: of an optional tensor, of a list.
inline std::optional<IntArrayRef> sizes_of(const Tensor& t) {
  return t.defined() ? std::optional<IntArrayRef>(t.sizes()) : std::nullopt;
}
inline SmallVector<IntArrayRef, 8> sizes_of(TensorList tensors) {
  SmallVector<IntArrayRef, 8> sizes;
  for (const Tensor& t : tensors) sizes.push_back(t.sizes());
  return sizes;
}

// What a result will be.
struct OutputSpec {
  DimVector sizes;
  DType dtype;
  Device device;
};

inline Tensor allocate(const char* op, const OutputSpec& spec) {
  return empty_tensor(spec.sizes, spec.dtype, spec.device, op);
}

enum class Resize { kNo, kYes };

// Note [Writing an output]
// An op that is refused has changed nothing. So everything about `out` is checked first: its
// device, that the result's dtype can be cast to its own, that it doesn't overlap itself, that it
// doesn't partially overlap an operand (a full overlap is fine), and in place its shape. Then the
// kernel fills `target()`: `out` itself where that can't be told from a fresh tensor, else a
// temporary, which `finish` casts and copies. A kernel may therefore refuse what it finds in the
// data (an index out of range) as long as it does so before its own first write.
class CEPH_API Output {
 public:
  Output(const char* op, const Tensor& out, const OutputSpec& spec,
         ArrayRef<const Tensor*> operands, Resize resize = Resize::kYes);
  static Output inplace(const char* op, const Tensor& self, const OutputSpec& spec,
                        ArrayRef<const Tensor*> operands) {
    return Output(op, self, spec, operands, Resize::kNo);
  }

  const Tensor& target() const { return target_; }
  // Brings the result into the output and bumps its version.
  void finish();

 private:
  const char* op_;
  Tensor out_;
  Tensor target_;
};

// Two outputs of one call must not share memory.
CEPH_API void check_distinct(const char* op, const Tensor& a, const Tensor& b);
// RuntimeError where the tensor's memory is read-only (a foreign buffer).
CEPH_API void check_writable(const char* op, const Tensor& written);
// A tensor that is written in place must not have two elements in one place.
CEPH_API void check_no_internal_overlap(const char* op, const Tensor& self);
// In-place forms can't grow: `operand` must broadcast to self's shape.
CEPH_API void check_expands(const char* op, const Tensor& operand, const Tensor& self);

// `self` expanded to the shape that it and `other` broadcast to.
CEPH_API Tensor expanded(const char* op, const Tensor& self, const Tensor& other);
// Uninitialised, with the shape, dtype, device and layout of `like`.
CEPH_API Tensor empty_as(const char* op, const Tensor& like);
// The operand itself, or a copy where it shares memory with `written`.
CEPH_API Tensor unshared(const Tensor& operand, const Tensor& written);
CEPH_API std::vector<Tensor> unshared(TensorList operands, const Tensor& written);

// The common length of lists that an op goes through together; RuntimeError where they differ, or
// are empty.
CEPH_API size_t each_count(const char* op, std::initializer_list<size_t> lengths);

// Composites: writes a finished result to `out`, after the checks of an output, through the
// dispatcher (either may be a wrapper subclass).
CEPH_API void write_result(const char* op, const Tensor& out, const Tensor& result, Resize resize);

}  // namespace ceph::ops
