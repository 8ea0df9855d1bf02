#pragma once

#include "core/type_promotion.h"
#include "kernels/cpu_features.h"

namespace ceph::kernels {

// Note [Pointwise ops]
// The generator turns the `scalar:` body of an op entry into a functor and instantiates
// pointwise_loop (generic/pointwise.h) once per compute dtype and ISA. The instances are named by
// one PointwiseOp per op, and the functions below do everything else: promotion, conversion of
// operands of another dtype, checks, shape, overlap, allocation, threads.
//
// A unit for one ISA is, in this order:
//   #include "kernels/generic/prelude.h"     every header that the region needs
//   #include "kernels/<isa>/begin.h"         opens the target region and ceph::kernels::<isa>
//   #include "kernels/generic/math.h"        overloads for float, double, integers, bool, complex
//   #include "kernels/generic/pointwise.h"   pointwise_loop
//   functors and tables
//   #include "kernels/end.h"                 closes both
// In a region only raw pointers and the functions of these headers are used: nothing that could
// leave a shared (weak) copy of a function with instructions that the baseline doesn't have.

// data and strides as TensorIterator::Loop: the output, then the inputs. `scalars` is an array of
// values of the arithmetic type: the C++ type of the compute dtype, float for float16 and bfloat16.
using PointwiseLoop = void (*)(char* const* data, const int64_t* strides, int64_t size0,
                               int64_t size1, const void* scalars);

struct PointwiseOp {
  const char* name;
  Promote promote;
  uint32_t dtypes;   // bit per DType: the compute dtypes that work
  uint8_t promoted;  // bit per input: takes part in promotion and is cast to the compute dtype;
                     // the others (the condition of `where`) are bool and stay so
  const PointwiseLoop* loops[kNumIsas];  // each: kNumDTypes loops by compute dtype, null = none
};

// Errors, raised before anything is written: TypeError when the compute dtype isn't in `dtypes`;
// RuntimeError for shapes that don't broadcast, for a result that can't be cast to the output's
// dtype, for an output that overlaps itself or partially overlaps an input, and in place when the
// shape would grow. Callers bump versions.
CEPH_API Tensor pointwise(const PointwiseOp& op, ArrayRef<const Tensor*> inputs,
                          ArrayRef<Scalar> scalars = {});
CEPH_API void pointwise_out(const PointwiseOp& op, const Tensor& out,
                            ArrayRef<const Tensor*> inputs, ArrayRef<Scalar> scalars = {});
// inputs[0] is self.
CEPH_API void pointwise_inplace(const PointwiseOp& op, const Tensor& self,
                                ArrayRef<const Tensor*> inputs, ArrayRef<Scalar> scalars = {});

// The same checks, shapes and dtypes for tensors without data.
CEPH_API Tensor pointwise_meta(const PointwiseOp& op, ArrayRef<const Tensor*> inputs,
                               ArrayRef<Scalar> scalars = {});
CEPH_API void pointwise_out_meta(const PointwiseOp& op, const Tensor& out,
                                 ArrayRef<const Tensor*> inputs, ArrayRef<Scalar> scalars = {});
CEPH_API void pointwise_inplace_meta(const PointwiseOp& op, const Tensor& self,
                                     ArrayRef<const Tensor*> inputs, ArrayRef<Scalar> scalars = {});

}  // namespace ceph::kernels
