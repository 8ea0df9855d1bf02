#include "kernels/pointwise.h"

#include <cstring>
#include <string>

#include "core/tensor_iterator.h"
#include "kernels/compared_numbers.h"
#include "kernels/copy.h"
#include "kernels/scalar_values.h"

namespace ceph::kernels {

namespace {

using Inputs = ArrayRef<const Tensor*>;
constexpr size_t kMaxInputs = TensorIterator::kMaxOperands - 1;

bool takes_part(const PointwiseOp& op, size_t input) { return op.promoted >> input & 1; }

std::string dtype_names(uint32_t dtypes) {
  std::string names;
  for (int i = 0; i < kNumDTypes; ++i) {
    if (!(dtypes >> i & 1)) continue;
    if (!names.empty()) names += ", ";
    names += name_of(static_cast<DType>(i));
  }
  return names;
}

PromotedTypes promotion(const PointwiseOp& op, const char* name, Inputs inputs) {
  SmallVector<const Tensor*, kMaxInputs> taking;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (takes_part(op, i)) taking.push_back(inputs[i]);
  }
  PromotedTypes types = promoted(op.promote, taking);
  CEPH_CHECK(op.dtypes >> static_cast<int>(types.compute) & 1, ErrorKind::kNotImplemented, name,
             "dtype ", types.compute, " is not supported; convert to one of ",
             dtype_names(op.dtypes));
  return types;
}

PointwiseLoop loop_for(const PointwiseOp& op, DType compute) {
  PointwiseLoop loop = op.loops[static_cast<int>(active_isa())][static_cast<int>(compute)];
  CEPH_INTERNAL(loop);
  return loop;
}

// ---- the short way: contiguous operands of one shape and dtype, and 0-dim ones ------------------

struct FlatCall {
  int64_t count = 1;
  IntArrayRef sizes;
  int operand_count = 0;
  char* data[TensorIterator::kMaxOperands];
  int64_t strides[2 * TensorIterator::kMaxOperands] = {};
  alignas(16) char numbers[kMaxInputs][16];  // 0-dim operands converted to the compute dtype
};

// Whether the inputs are such operands; then `call` describes them (the output's entry is left).
bool flatten(const PointwiseOp& op, Inputs inputs, DType compute, FlatCall& call) {
  bool found = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = *inputs[i];
    DType wanted = takes_part(op, i) ? compute : DType::Bool;
    if (!t.device().is_cpu()) return false;
    char* data = static_cast<char*>(t.data());
    if (t.dim() == 0) {
      if (t.dtype() != wanted) {
        convert_element(call.numbers[i], wanted, data, t.dtype());
        data = call.numbers[i];
      }
    } else {
      if (t.dtype() != wanted || !t.is_contiguous()) return false;
      if (found && !(t.sizes() == call.sizes)) return false;
      call.sizes = t.sizes();
      call.count = t.numel();
      call.strides[i + 1] = static_cast<int64_t>(item_size(wanted));
      found = true;
    }
    call.data[i + 1] = data;
  }
  call.operand_count = static_cast<int>(inputs.size()) + 1;
  return true;
}

// Whether `out` may be written while the inputs of `call` are read: apart from all, or the same.
bool may_write(const FlatCall& call, const Tensor& out) {
  auto begin = reinterpret_cast<uintptr_t>(out.data());
  auto bytes = static_cast<uintptr_t>(call.count) * item_size(out.dtype());
  for (int k = 1; k < call.operand_count; ++k) {
    auto other = reinterpret_cast<uintptr_t>(call.data[k]);
    // No item is wider than 16 bytes: enough for a 0-dim operand, whose stride is 0.
    auto length = call.strides[k] ? static_cast<uintptr_t>(call.count * call.strides[k]) : 16;
    bool apart = other + length <= begin || begin + bytes <= other;
    bool same = other == begin && call.strides[k] == static_cast<int64_t>(item_size(out.dtype()));
    if (!apart && !same) return false;
  }
  return true;
}

void run_flat(FlatCall& call, const Tensor& out, PointwiseLoop loop, const void* scalars) {
  call.data[0] = static_cast<char*>(out.data());
  call.strides[0] = static_cast<int64_t>(item_size(out.dtype()));
  if (call.count <= kGrain) {
    if (call.count != 0) loop(call.data, call.strides, call.count, 1, scalars);
    return;
  }
  parallel_for(0, call.count, kGrain, [&](int64_t first, int64_t last) {
    char* data[TensorIterator::kMaxOperands];
    for (int k = 0; k < call.operand_count; ++k) data[k] = call.data[k] + first * call.strides[k];
    loop(data, call.strides, last - first, 1, scalars);
  });
}

// ---- the general way
// ------------------------------------------------------------------------------

// The inputs in the dtypes that the loop reads. Meta tensors have nothing to convert.
class Converted {
 public:
  Converted(const PointwiseOp& op, Inputs inputs, DType compute) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      DType wanted = takes_part(op, i) ? compute : DType::Bool;
      bool plain = inputs[i]->dtype() == wanted || !inputs[i]->device().is_cpu();
      if (!plain) copies_[i] = cast(*inputs[i], wanted);
      list_.push_back(plain ? inputs[i] : &copies_[i]);
    }
  }
  Inputs list() const { return list_; }

 private:
  Tensor copies_[kMaxInputs];
  SmallVector<const Tensor*, kMaxInputs> list_;
};

void run_general(const PointwiseOp& op, const char* name, Tensor& out, Inputs inputs,
                 const PromotedTypes& types, const void* scalars, bool resize) {
  Converted converted(op, inputs, types.compute);
  TensorIterator it = TensorIterator::build(name, {&out}, {types.result}, converted.list(), resize);
  if (!out.device().is_cpu()) return;
  PointwiseLoop loop = loop_for(op, types.compute);
  it.for_each([&](char* const* data, const int64_t* strides, int64_t size0, int64_t size1) {
    loop(data, strides, size0, size1, scalars);
  });
}

DimVector broadcast_shape(const char* name, Inputs inputs) {
  DimVector shape = inputs[0]->sizes();
  for (const Tensor* t : inputs.slice(1, inputs.size() - 1)) {
    shape = broadcast_shapes(shape, t->sizes(), name);
  }
  return shape;
}

// The result is of another dtype than the output: it is finished before the output is written.
void write_converted(const PointwiseOp& op, const char* name, const Tensor& out, Inputs inputs,
                     const PromotedTypes& types, const void* scalars) {
  DimVector shape = broadcast_shape(name, inputs);
  bool fits = out.sizes() == IntArrayRef(shape);
  CEPH_CHECK(!fits || !overlaps_itself(out), ErrorKind::kRuntime, name,
             "several elements of the output (size ", out.sizes(), ", strides ", out.strides(),
             ") lie in one place; clone it first");
  for (const Tensor* t : inputs) {
    CEPH_CHECK(overlap_between(out, *t) != Overlap::Partial, ErrorKind::kRuntime, name,
               "the output and an input share some of their memory; clone one of them first");
  }
  Tensor result;
  run_general(op, name, result, inputs, types, scalars, false);
  CEPH_CHECK(out.device() == result.device(), ErrorKind::kRuntime, name,
             "the output must be on the operands' device; got output ", out.device(),
             " and operands ", result.device(), ", move one with to()");
  if (!fits) resize_output(name, out, shape);
  if (out.device().is_cpu()) copy_into(out, result);
}

void write_output(const PointwiseOp& op, const char* name, const Tensor& out, Inputs inputs,
                  ArrayRef<Scalar> scalars, const PromotedTypes& types, bool resize) {
  check_can_cast(name, types.result, out.dtype());
  ScalarValues values(name, types.compute, scalars);
  if (out.dtype() == types.result && out.is_contiguous() && out.device().is_cpu()) {
    FlatCall call;
    if (flatten(op, inputs, types.compute, call) && out.sizes() == call.sizes &&
        may_write(call, out)) {
      return run_flat(call, out, loop_for(op, types.compute), values.data());
    }
  }
  if (out.dtype() != types.result) {
    return write_converted(op, name, out, inputs, types, values.data());
  }
  Tensor written = out;
  run_general(op, name, written, inputs, types, values.data(), resize);
}

void check_inplace(const PointwiseOp& op, const char* name, const Tensor& self, Inputs inputs,
                   const PromotedTypes& types) {
  CEPH_CHECK(op.promote != Promote::kComplexToFloat || !is_complex(self.dtype()),
             ErrorKind::kRuntime, name, "the result of ", self.dtype(), " is real; use ", op.name,
             ", which returns a new tensor");
  check_can_cast(name, types.result, self.dtype());
  if (inputs.size() == 1) return;
  bool same = true;
  for (const Tensor* t : inputs) same = same && (t->dim() == 0 || t->sizes() == self.sizes());
  if (same) return;
  DimVector shape = broadcast_shape(name, inputs);
  CEPH_CHECK(self.sizes() == IntArrayRef(shape), ErrorKind::kRuntime, name, "self ", self.sizes(),
             " can't hold the broadcast shape ", IntArrayRef(shape), "; use ", op.name,
             ", which returns a new tensor");
}

}  // namespace

Tensor pointwise(const PointwiseOp& op, Inputs inputs, ArrayRef<Scalar> scalars) {
  PromotedTypes types = promotion(op, op.name, inputs);
  ComparedNumbers compared(op, inputs, types.compute);
  inputs = compared.list();
  ScalarValues values(op.name, types.compute, scalars);
  FlatCall call;
  if (flatten(op, inputs, types.compute, call)) {
    Tensor out = empty_tensor(call.sizes, types.result, inputs[0]->device(), op.name);
    run_flat(call, out, loop_for(op, types.compute), values.data());
    return out;
  }
  Tensor out;
  run_general(op, op.name, out, inputs, types, values.data(), false);
  return out;
}

void pointwise_out(const PointwiseOp& op, const Tensor& out, Inputs inputs,
                   ArrayRef<Scalar> scalars) {
  PromotedTypes types = promotion(op, op.name, inputs);
  ComparedNumbers compared(op, inputs, types.compute);
  write_output(op, op.name, out, compared.list(), scalars, types, true);
}

void pointwise_inplace(const PointwiseOp& op, const Tensor& self, Inputs inputs,
                       ArrayRef<Scalar> scalars) {
  const std::string name = std::string(op.name) + "_";
  PromotedTypes types = promotion(op, name.c_str(), inputs);
  check_inplace(op, name.c_str(), self, inputs, types);
  ComparedNumbers compared(op, inputs, types.compute);
  write_output(op, name.c_str(), self, compared.list(), scalars, types, false);
}

Tensor pointwise_meta(const PointwiseOp& op, Inputs inputs, ArrayRef<Scalar> scalars) {
  return pointwise(op, inputs, scalars);
}

void pointwise_out_meta(const PointwiseOp& op, const Tensor& out, Inputs inputs,
                        ArrayRef<Scalar> scalars) {
  pointwise_out(op, out, inputs, scalars);
}

void pointwise_inplace_meta(const PointwiseOp& op, const Tensor& self, Inputs inputs,
                            ArrayRef<Scalar> scalars) {
  pointwise_inplace(op, self, inputs, scalars);
}

}  // namespace ceph::kernels
