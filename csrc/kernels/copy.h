#pragma once

#include "core/tensor.h"

namespace ceph::kernels {

// dst[i] = src[i] with `src` broadcast to dst's shape (RuntimeError otherwise), any strides, every
// pair of dtypes. A source that shares memory with dst is copied as if it had been read first; a
// dst that overlaps itself is refused. Versions are the caller's to bump.
//
// Note [Casts]
// float -> integer truncates toward zero and wraps modulo 2^bits, through int64 (uint64 for
// uint64); NaN, infinities and values outside int64 become INT64_MIN before wrapping, as x86 does.
// Anything -> bool is `!= 0` (NaN is true). Complex -> real drops the imaginary part. float ->
// narrower float rounds to nearest even; float8_e4m3fn has no infinity: too large becomes NaN.
CEPH_API void copy_into(const Tensor& dst, const Tensor& src);

// A new tensor of `dtype` with src's values: dense, in the layout that src has (permuted stays
// permuted). For src of that dtype already it is a clone.
CEPH_API Tensor cast(const Tensor& src, DType dtype);

}  // namespace ceph::kernels
