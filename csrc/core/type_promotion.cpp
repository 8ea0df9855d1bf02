#include "core/type_promotion.h"

namespace ceph {
namespace {

// Promotion of one weight class of operands.
struct Joined {
  std::optional<DType> dtype;

  void add(DType t) { dtype = dtype ? promote_types(*dtype, t) : t; }
};

int kind_of(DType t) {
  if (is_complex(t)) return 3;
  if (is_floating(t)) return 2;
  return t == DType::Bool ? 0 : 1;
}

DType complex_of(DType t) { return t == DType::Float64 ? DType::Complex128 : DType::Complex64; }

// `heavy` decides unless `light` is of a higher kind; then the result has light's kind.
Joined outweigh(Joined heavy, Joined light) {
  if (!heavy.dtype) return light;
  if (!light.dtype || kind_of(*light.dtype) <= kind_of(*heavy.dtype)) return heavy;
  if (is_floating(*heavy.dtype)) {
    // A complex number among floating tensors takes their precision.
    CEPH_CHECK(!is_float8(*heavy.dtype), ErrorKind::kRuntime, "result_type",
               "there is no complex type of ", *heavy.dtype, "; convert one operand explicitly");
    return {complex_of(*heavy.dtype)};
  }
  return {promote_types(*heavy.dtype, *light.dtype)};
}

DType dtype_as_number(DType t) {
  if (is_complex(t)) return complex_of(default_dtype());
  return is_floating(t) ? default_dtype() : t;
}

bool integral_or_bool(DType t) { return is_integral(t, true); }

}  // namespace

DType result_type(ArrayRef<const Tensor*> operands) {
  CEPH_INTERNAL(!operands.empty());
  const DType first = operands[0]->dtype();
  bool same = !(*operands[0])->is_wrapped_number();
  for (const Tensor* t : operands) same &= t->dtype() == first && !(*t)->is_wrapped_number();
  if (same) return first;
  Joined with_dims, zero_dim, numbers;
  for (const Tensor* t : operands) {
    if ((*t)->is_wrapped_number())
      numbers.add(dtype_as_number(t->dtype()));
    else
      (t->dim() == 0 ? zero_dim : with_dims).add(t->dtype());
  }
  return *outweigh(outweigh(with_dims, zero_dim), numbers).dtype;
}

DType promote::accumulate(const Tensor& self, std::optional<DType> dtype) {
  if (dtype) return *dtype;
  return integral_or_bool(self.dtype()) ? DType::Int64 : self.dtype();
}

DType promote::mean(const char* op, const Tensor& self, std::optional<DType> dtype) {
  const DType out = dtype.value_or(self.dtype());
  CEPH_CHECK(!integral_or_bool(out), ErrorKind::kRuntime, op, dtype ? "dtype" : "the input dtype",
             " must be floating point or complex; got ", out);
  return out;
}

DType promote::softmax(const char* op, const Tensor& self, std::optional<DType> dtype) {
  const DType out = dtype.value_or(self.dtype());
  CEPH_CHECK(is_floating(out), ErrorKind::kRuntime, op, dtype ? "dtype" : "the input dtype",
             " must be floating point; got ", out);
  return out;
}

DType promote::real(const char* op, const Tensor& self) {
  return real_of(mean(op, self, std::nullopt));
}

DType promote::norm(const char* op, const Tensor& self, std::optional<DType> dtype) {
  const DType own = mean(op, self, std::nullopt), out = mean(op, self, dtype);
  CEPH_CHECK(is_complex(own) == is_complex(out), ErrorKind::kRuntime, op,
             "dtype must be complex for complex input, else real; got input ", own, " and dtype ",
             out);
  CEPH_CHECK(promote_types(own, out) == out, ErrorKind::kRuntime, op,
             "dtype must hold the input's numbers; got input ", own, " and dtype ", out);
  return real_of(out);
}

DType promote::floating(const Tensor& self) {
  return integral_or_bool(self.dtype()) ? default_dtype() : self.dtype();
}

DType promote::truth(const Tensor& self) {
  return self.dtype() == DType::UInt8 ? DType::UInt8 : DType::Bool;
}

DType promote::equal_dtypes(const char* op, const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor& other = b.dtype() == a.dtype() && c.defined() ? c : b;
  CEPH_CHECK(a.dtype() == other.dtype(), ErrorKind::kRuntime, op, "expected one dtype; got ",
             a.dtype(), " and ", other.dtype());
  return a.dtype();
}

DType promote::list(TensorList tensors) {
  SmallVector<const Tensor*, 16> operands;
  for (const Tensor& t : tensors) operands.push_back(&t);
  return result_type(operands);
}

PromotedTypes promoted(Promote rule, ArrayRef<const Tensor*> operands) {
  const DType common = result_type(operands);
  switch (rule) {
  case Promote::kDefault:
    return {common, common};
  case Promote::kIntToFloat: {
    const DType out = integral_or_bool(common) ? default_dtype() : common;
    return {out, out};
  }
  case Promote::kComplexToFloat:
    return {common, real_of(common)};
  case Promote::kCompare:
    return {common, DType::Bool};
  }
  CEPH_INTERNAL(false && "unknown promotion rule");
  return {common, common};
}

void check_can_cast(const char* op, DType result, DType output) {
  CEPH_CHECK(can_cast(result, output), ErrorKind::kRuntime, op, "result type ", result,
             " can't be cast to the output's dtype ", output);
}

}  // namespace ceph
