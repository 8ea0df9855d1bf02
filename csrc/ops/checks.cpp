#include "ops/checks.h"

#include <cmath>

#include "core/layout.h"
#include "core/type_promotion.h"
#include "kernels/cpu/representable.h"
#include "kernels/inspect.h"

namespace ceph::ops::checks {
namespace {

DType common_dtype(const Tensor& a, const Tensor& b) {
  const Tensor* both[] = {&a, &b};
  return result_type(ArrayRef<const Tensor*>(both, 2));
}

bool has_values(const Tensor& t) { return t.device().is_cpu(); }

bool is_integer_number(const Tensor& t) { return t->is_wrapped_number() && is_integral(t.dtype()); }

Scalar number_in(const Tensor& t) {
  return t.dtype() == DType::UInt64 ? Scalar(*static_cast<const uint64_t*>(t.data()))
                                    : Scalar(*static_cast<const int64_t*>(t.data()));
}

// Note [Numbers beyond a dtype]
// A Python integer takes the dtype of the tensors beside it. Sums and products are modulo 2^n, and
// so may be their operands; order, quotients and choices are not: there a number that would wrap
// is refused, since the result would be wrong.
void check_in_range(const char* op, const Tensor& t, DType dtype) {
  if (!is_integer_number(t) || !is_integral(dtype)) return;
  const Scalar number = number_in(t);
  CEPH_CHECK(number.representable_in(dtype), ErrorKind::kRuntime, op,
             "a number must be in the range of ", name_of(dtype), "; got ", number,
             "; convert the tensor to a wider dtype first");
}

void check_writable_number(const char* op, const Tensor& t, DType dtype) {
  if (is_integer_number(t) && is_integral(dtype)) {
    kernels::check_representable(op, "the number", number_in(t), dtype);
  }
}

void check_ends(const char* op, const Tensor& self, const Tensor& end) {
  CEPH_CHECK(self.dtype() == end.dtype(), ErrorKind::kRuntime, op,
             "self and end must have one dtype; got ", name_of(self.dtype()), " and ",
             name_of(end.dtype()), "; convert one to the other's");
}

// A number that products are multiplied by: an integer beside integers, real beside real numbers,
// and in the range of the dtype.
void check_factor(const char* op, const char* name, const Scalar& factor, DType dtype) {
  CEPH_CHECK(!is_integral(dtype, /*with_bool=*/true) ||
                 !(factor.is_floating() || factor.is_complex()),
             ErrorKind::kRuntime, op, name, " must be an integer for a result of ", name_of(dtype),
             "; got ", factor, "; convert an operand to a floating dtype first");
  CEPH_CHECK(!factor.is_complex() || is_complex(dtype), ErrorKind::kRuntime, op, name,
             " must be real for a result of ", name_of(dtype), "; got ", factor);
  kernels::check_representable(op, name, factor, dtype);
}

void check_same_dtype(const char* op, const char* name, const Tensor& t, const Tensor& input) {
  CEPH_CHECK(!t.defined() || t.dtype() == input.dtype(), ErrorKind::kRuntime, op, name,
             " must have the input's dtype; got ", name_of(t.dtype()), " and an input of ",
             name_of(input.dtype()), "; convert one to the other's");
}

}  // namespace

void arithmetic_alpha(const char* op, const Tensor& self, const Tensor& other,
                      const Scalar& alpha) {
  DType dtype = common_dtype(self, other);
  bool exact = is_integral(dtype, /*with_bool=*/true);
  CEPH_CHECK(!alpha.is_bool() || dtype == DType::Bool, ErrorKind::kRuntime, op,
             "a bool alpha needs a bool result; got alpha ", alpha, " and a result of ",
             name_of(dtype));
  CEPH_CHECK(!exact || !(alpha.is_floating() || alpha.is_complex()), ErrorKind::kRuntime, op,
             "alpha must be an integer for a result of ", name_of(dtype), "; got ", alpha,
             "; convert an operand to a floating dtype first");
  CEPH_CHECK(!alpha.is_complex() || is_complex(dtype), ErrorKind::kRuntime, op,
             "alpha must be real for a result of ", name_of(dtype), "; got ", alpha);
  kernels::check_representable(op, "alpha", alpha, dtype);
}

void subtract_alpha(const char* op, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  CEPH_CHECK(self.dtype() != DType::Bool && other.dtype() != DType::Bool, ErrorKind::kRuntime, op,
             "bool tensors can't be subtracted; got self ", name_of(self.dtype()), " and other ",
             name_of(other.dtype()), "; use logical_not, logical_xor or the ^ operator");
  arithmetic_alpha(op, self, other, alpha);
}

void integer_power(const char* op, const Tensor& self, const Tensor& exponent) {
  const DType dtype = common_dtype(self, exponent);
  check_writable_number(op, exponent, dtype);
  check_writable_number(op, self, dtype);
  if (!is_integral(dtype) || !has_values(exponent)) return;
  CEPH_CHECK(!kernels::any_negative(exponent), ErrorKind::kRuntime, op,
             "integers can't be raised to negative integer powers; convert self (",
             name_of(self.dtype()), ") to a floating dtype first");
}

void integer_division(const char* op, const Tensor& self, const Tensor& other) {
  const DType dtype = common_dtype(self, other);
  check_in_range(op, other, dtype);
  check_in_range(op, self, dtype);
  if (!is_integral(dtype, /*with_bool=*/true) || !has_values(other)) return;
  if (self.numel() == 0) return;  // nothing is divided
  CEPH_CHECK(!kernels::any_zero(other), ErrorKind::kRuntime, op, "division by zero of integers (",
             name_of(self.dtype()), " by ", name_of(other.dtype()),
             "); convert an operand to a floating dtype for inf and nan");
}

void ordered_numbers(const char* op, const Tensor& self, const Tensor& other) {
  const DType dtype = common_dtype(self, other);
  check_in_range(op, self, dtype);
  check_in_range(op, other, dtype);
}

void condition_is_bool(const char* op, const Tensor& condition, const Tensor& self,
                       const Tensor& other) {
  CEPH_CHECK(condition.dtype() == DType::Bool, ErrorKind::kRuntime, op,
             "condition must be a bool tensor; got ", name_of(condition.dtype()),
             "; compare it with zero first");
  const DType dtype = common_dtype(self, other);
  check_writable_number(op, self, dtype);
  check_writable_number(op, other, dtype);
}

void product_factors(const char* op, const Tensor& self, const Tensor&, const Tensor&,
                     const Scalar& beta, const Scalar& alpha) {
  check_factor(op, "beta", beta, self.dtype());
  check_factor(op, "alpha", alpha, self.dtype());
}

void product_value(const char* op, const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                   const Scalar& value) {
  const Tensor* all[] = {&self, &tensor1, &tensor2};
  DType dtype = result_type(ArrayRef<const Tensor*>(all, 3));
  check_factor(op, "value", value, dtype);
}

void lerp_number(const char* op, const Tensor& self, const Tensor& end, const Scalar& weight) {
  check_ends(op, self, end);
  CEPH_CHECK(!weight.is_complex() || is_complex(self.dtype()), ErrorKind::kRuntime, op,
             "weight must be real for a result of ", name_of(self.dtype()), "; got ", weight);
}

void lerp_tensor(const char* op, const Tensor& self, const Tensor& end, const Tensor& weight) {
  check_ends(op, self, end);
  bool number = weight.dim() == 0 && common_dtype(self, weight) == self.dtype();
  CEPH_CHECK(weight.dtype() == self.dtype() || number, ErrorKind::kRuntime, op,
             "weight must have the dtype of self; got ", name_of(weight.dtype()), " and ",
             name_of(self.dtype()), "; convert the weight");
}

void norm_order(const char* op, const Tensor& self, const Scalar& ord,
                std::optional<IntArrayRef> dim, bool, std::optional<DType>) {
  CEPH_CHECK(!ord.is_complex(), ErrorKind::kRuntime, op, "ord must be a real number; got ", ord);
  const double order = ord.to_double(op);
  if (self.numel() != 0 || (order >= 0 && order < INFINITY)) return;
  bool nothing = !dim || dim->empty();
  for (int64_t d : dim.value_or(IntArrayRef())) {
    nothing |= self.dim() > 0 && self.size(wrap_dim(d, self.dim(), op)) == 0;
  }
  CEPH_CHECK(!nothing, ErrorKind::kRuntime, op, "the norm of order ", ord,
             " of no elements has no value; got shape ", self.sizes(),
             ", name a dim whose size isn't 0");
}

void class_indices(const char* op, const Tensor& input, const Tensor& target, const Tensor& weight,
                   int64_t, std::string_view) {
  CEPH_CHECK(target.dtype() == DType::Int64 || target.dtype() == DType::UInt8, ErrorKind::kRuntime,
             op, "target must hold classes as int64 or uint8; got ", name_of(target.dtype()),
             "; convert it with target.long()");
  check_same_dtype(op, "weight", weight, input);
}

void class_targets(const char* op, const Tensor& input, const Tensor& target, const Tensor& weight,
                   int64_t ignore_index, std::string_view reduction, double) {
  if (!(target.sizes() == input.sizes())) {
    return class_indices(op, input, target, weight, ignore_index, reduction);
  }
  check_same_dtype(op, "a target of the input's shape", target, input);
  check_same_dtype(op, "weight", weight, input);
}

}  // namespace ceph::ops::checks
