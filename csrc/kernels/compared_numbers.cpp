#include "kernels/compared_numbers.h"

#include "core/layout.h"
#include "kernels/fill.h"

namespace ceph::kernels {

namespace {

// 1 or -1 for a number above or below what `compute` holds; 0 for every other operand.
int side_beyond(const Tensor& t, DType compute) {
  if (!t->is_wrapped_number() || !is_integral(t.dtype())) return 0;
  bool large = t.dtype() == DType::UInt64;
  Scalar value = large ? Scalar(*static_cast<const uint64_t*>(t.data()))
                       : Scalar(*static_cast<const int64_t*>(t.data()));
  if (value.representable_in(compute)) return 0;
  return large || value.to_int64() > 0 ? 1 : -1;
}

Tensor zeros_of_layout(const Tensor& like, DType dtype) {
  Tensor zeros =
      empty_strided_tensor(like.sizes(), preserved_strides(like), dtype, like.device(), "compare");
  if (zeros.device().is_cpu()) zero(zeros);
  return zeros;
}

}  // namespace

void ComparedNumbers::replace(DType& compute) {
  for (size_t i = 0; i < list_.size() && list_.size() == 2; ++i) {
    int side = side_beyond(*list_[i], compute);
    if (side == 0) continue;
    compute = DType::Int8;
    tensors_[i] = wrapped_number(int64_t(side));
    tensors_[1 - i] = zeros_of_layout(*list_[1 - i], compute);
    pointers_[0] = &tensors_[0];
    pointers_[1] = &tensors_[1];
    list_ = Inputs(pointers_, 2);
    return;
  }
}

}  // namespace ceph::kernels
