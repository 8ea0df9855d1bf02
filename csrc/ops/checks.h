#pragma once

#include <optional>
#include <string_view>

#include "core/tensor.h"

// Argument checks of op entries (`check: name`): generated code calls them with the arguments of
// the schema in order before anything is allocated or written.

namespace ceph::ops::checks {

// add: alpha fits the result's dtype. Bool alpha only for bool results, no floating alpha for
// integral ones, no complex alpha for real ones, and in the range of the dtype.
CEPH_API void arithmetic_alpha(const char* op, const Tensor& self, const Tensor& other,
                               const Scalar& alpha);
// sub: the rules of arithmetic_alpha, and no bool operand.
CEPH_API void subtract_alpha(const char* op, const Tensor& self, const Tensor& other,
                             const Scalar& alpha);
// pow: an integral result has no negative exponents (1/2 is no integer) and no number beyond it.
CEPH_API void integer_power(const char* op, const Tensor& self, const Tensor& exponent);
// floor_divide and the like: an integral divisor has no zeros; a number is in the dtype's range.
CEPH_API void integer_division(const char* op, const Tensor& self, const Tensor& other);
// maximum, minimum and so clamp: a number is in the range of an integral dtype.
CEPH_API void ordered_numbers(const char* op, const Tensor& self, const Tensor& other);
// where: the condition is bool, and a number can be written to an integral result.
CEPH_API void condition_is_bool(const char* op, const Tensor& condition, const Tensor& self,
                                const Tensor& other);
// addcmul and the like: the factor fits the result's dtype.
CEPH_API void product_value(const char* op, const Tensor& self, const Tensor& tensor1,
                            const Tensor& tensor2, const Scalar& value);
// lerp: both ends have one dtype; the weight fits it, and has it unless it is 0-dim.
CEPH_API void lerp_number(const char* op, const Tensor& self, const Tensor& end,
                          const Scalar& weight);
CEPH_API void lerp_tensor(const char* op, const Tensor& self, const Tensor& end,
                          const Tensor& weight);

// addmm: beta and alpha are numbers of the operands' kind, and in the range of their dtype.
CEPH_API void product_factors(const char* op, const Tensor& self, const Tensor& mat1,
                              const Tensor& mat2, const Scalar& beta, const Scalar& alpha);
// vector_norm: a real order; infinite and negative ones have no value for no elements.
CEPH_API void norm_order(const char* op, const Tensor& self, const Scalar& ord,
                         std::optional<IntArrayRef> dim, bool keepdim, std::optional<DType> dtype);
// nll_loss: targets are classes, of int64 or uint8; the weight has the input's dtype.
CEPH_API void class_indices(const char* op, const Tensor& input, const Tensor& target,
                            const Tensor& weight, int64_t ignore_index, std::string_view reduction);
// cross_entropy: the same, or shares of the input's dtype and shape.
CEPH_API void class_targets(const char* op, const Tensor& input, const Tensor& target,
                            const Tensor& weight, int64_t ignore_index, std::string_view reduction,
                            double label_smoothing);

}  // namespace ceph::ops::checks
