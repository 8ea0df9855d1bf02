#pragma once

#include "core/tensor.h"

namespace ceph::kernels::dnn {

// Sizes of a batched convolution whose arguments have been checked.
struct Conv2d {
  int64_t batch, groups, in_channels, out_channels;
  int64_t in_size[2], kernel[2], out_size[2];
  int64_t stride[2], padding[2], dilation[2];

  int64_t products_per_image() const {
    return out_channels * out_size[0] * out_size[1] * (in_channels / groups) * kernel[0] *
           kernel[1];
  }
};

// The operands: input and output NCHW or, with `channels_last`, NHWC in memory, dense; weight
// dense; bias dense or undefined. All of one dtype.
struct Conv2dOperands {
  Tensor input, weight, bias, output;
  bool channels_last;
};

// Whether the library is there and may have an implementation for the dtype.
CEPH_API bool library_takes(DType dtype);

// With oneDNN: float32, and bfloat16 where the processor has the instructions. False, with nothing
// written, where it has no implementation: the caller then takes its own.
CEPH_API bool library_conv2d(const Conv2d& conv, const Conv2dOperands& t);

// Unfolds the input and multiplies: every floating dtype that gemm sums in; not channels-last.
CEPH_API void own_conv2d(const Conv2d& conv, const Conv2dOperands& t);

}  // namespace ceph::kernels::dnn
