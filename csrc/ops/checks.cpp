#include "ops/checks.h"

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
  if (!is_integral(common_dtype(self, exponent)) || !has_values(exponent)) return;
  CEPH_CHECK(!kernels::any_negative(exponent), ErrorKind::kRuntime, op,
             "integers can't be raised to negative integer powers; convert self (",
             name_of(self.dtype()), ") to a floating dtype first");
}

void integer_division(const char* op, const Tensor& self, const Tensor& other) {
  if (!is_integral(common_dtype(self, other), /*with_bool=*/true) || !has_values(other)) return;
  CEPH_CHECK(!kernels::any_zero(other), ErrorKind::kRuntime, op, "division by zero of integers (",
             name_of(self.dtype()), " by ", name_of(other.dtype()),
             "); convert an operand to a floating dtype for inf and nan");
}

void condition_is_bool(const char* op, const Tensor& condition, const Tensor&, const Tensor&) {
  CEPH_CHECK(condition.dtype() == DType::Bool, ErrorKind::kRuntime, op,
             "condition must be a bool tensor; got ", name_of(condition.dtype()),
             "; compare it with zero first");
}

}  // namespace ceph::ops::checks
