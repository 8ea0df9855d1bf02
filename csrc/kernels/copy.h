#pragma once

#include "core/tensor.h"

namespace ceph::kernels {

// dst[i] = src[i] with `src` broadcast to dst's shape (RuntimeError otherwise), any strides, every
// pair of dtypes. A source that shares memory with dst is copied as if it had been read first; a
// dst that overlaps itself is refused. Versions are the caller's to bump.
//
// Note [Casts]
// float -> integer truncates toward zero; what lies outside the integer's range is not an error and
// not undefined: for integers up to 32 bits the value goes through int32 (uint32: int64), for 64
// bits through int64, where NaN and values out of range become the smallest integer, as x86 does;
// then it wraps modulo 2^bits. uint64 also takes [2^63, 2^64). Integers among themselves wrap.
// Anything -> bool is `!= 0` (NaN is true). Complex -> real drops the imaginary part. float ->
// narrower float rounds to nearest even; float8_e4m3fn has no infinity: too large becomes the
// largest.
CEPH_API void copy_into(const Tensor& dst, const Tensor& src);

// A new tensor of `dtype` with src's values: dense, in the layout that src has (permuted stays
// permuted). For src of that dtype already it is a clone.
CEPH_API Tensor cast(const Tensor& src, DType dtype);

// `t` itself where it is contiguous and of that dtype, else a copy that is.
CEPH_API Tensor contiguous_as(const Tensor& t, DType dtype);

// One element.
CEPH_API void convert_element(void* to, DType to_dtype, const void* from, DType from_dtype);
// `count` contiguous elements; the two ranges don't overlap.
CEPH_API void convert_elements(void* to, DType to_dtype, const void* from, DType from_dtype,
                               int64_t count);

}  // namespace ceph::kernels
