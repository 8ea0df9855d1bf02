#pragma once

#include "core/tensor.h"

namespace ceph {

// dtype of the result of operands, as documented: tensors with dimensions outweigh 0-dim tensors,
// which outweigh wrapped numbers, unless the lighter one is of a higher kind (bool < int < float <
// complex).
CEPH_API DType result_type(ArrayRef<const Tensor*> operands);

// The named promotion rules of op entries (csrc/ops/rules.yaml), for structured ops.
namespace promote {
inline DType same(const Tensor& self) { return self.dtype(); }
inline DType fixed(DType dtype) { return dtype; }
// sum, cumsum, prod: integers and bool -> int64, else same; `dtype` wins.
CEPH_API DType accumulate(const Tensor& self, std::optional<DType> dtype);
// mean: floating or complex only, after `dtype`.
CEPH_API DType mean(const char* op, const Tensor& self, std::optional<DType> dtype);
CEPH_API DType softmax(const char* op, const Tensor& self, std::optional<DType> dtype);
// var, vector_norm: real dtype of what `mean` gives; a dtype that is asked for holds all of self.
CEPH_API DType real(const char* op, const Tensor& self);
CEPH_API DType norm(const char* op, const Tensor& self, std::optional<DType> dtype);
// logsumexp: integers and bool -> default dtype, else same.
CEPH_API DType floating(const Tensor& self);
// any, all: uint8 stays uint8, else bool.
CEPH_API DType truth(const Tensor& self);
// operands of one dtype: the dtype; else RuntimeError "expected one dtype; got float32 and int64".
// The third may be None.
CEPH_API DType equal_dtypes(const char* op, const Tensor& a, const Tensor& b, const Tensor& c = {});
// cat: promotion over all of a list.
CEPH_API DType list(TensorList tensors);
}  // namespace promote

// The pointwise rules.
enum class Promote : uint8_t {
  kDefault,         // result_type
  kIntToFloat,      // result_type, integers and bool -> default dtype
  kComplexToFloat,  // computed in result_type, result real (abs)
  kCompare,         // computed in result_type, result bool
};
struct PromotedTypes {
  DType compute;
  DType result;
};
CEPH_API PromotedTypes promoted(Promote rule, ArrayRef<const Tensor*> operands);

// RuntimeError "op: result type float32 can't be cast to the output's dtype int64; ..." if not
// can_cast.
CEPH_API void check_can_cast(const char* op, DType result, DType output);

}  // namespace ceph
