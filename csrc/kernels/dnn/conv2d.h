#pragma once

#include "core/tensor.h"

namespace ceph::kernels::dnn {

// Sizes of a batched convolution whose arguments have been checked.
struct Conv2d {
  int64_t batch, groups, in_channels, out_channels;
  int64_t in_size[2], kernel[2], out_size[2];
  int64_t stride[2], padding[2], dilation[2];

  // Whether the kernel has one element: a product of matrices, of every step[0]-th row and
  // step[1]-th column of an image.
  bool is_pointwise() const {
    return kernel[0] == 1 && kernel[1] == 1 && padding[0] == 0 && padding[1] == 0;
  }
  // The same of whole images.
  bool is_product() const { return is_pointwise() && stride[0] == 1 && stride[1] == 1; }

  int64_t products_per_image() const {
    return out_channels * out_size[0] * out_size[1] * (in_channels / groups) * kernel[0] *
           kernel[1];
  }
};

// What is computed of the three operands: the output, or where that holds its gradient, the
// gradient of the input or of the weight.
enum class Wanted { kOutput, kInput, kWeight };

// The operands: input and output NCHW or, with `channels_last`, NHWC in memory, dense; weight
// dense; bias dense or undefined, where the output is wanted. All of one dtype.
struct Conv2dOperands {
  Tensor input, weight, bias, output;
  bool channels_last;
};

// Whether the library is there and may have an implementation for the dtype.
CEPH_API bool library_takes(DType dtype);

// With oneDNN: float32, and bfloat16 where the processor has the instructions. False, with nothing
// written, where it has no implementation: the caller then takes its own.
CEPH_API bool library_conv2d(const Conv2d& conv, const Conv2dOperands& t);
// The same for a gradient, of float32.
CEPH_API bool library_gradient(const Conv2d& conv, const Conv2dOperands& t, Wanted wanted);

// Unfolds the input and multiplies: every floating dtype that gemm sums in; not channels-last.
CEPH_API void own_conv2d(const Conv2d& conv, const Conv2dOperands& t,
                         Wanted wanted = Wanted::kOutput);

}  // namespace ceph::kernels::dnn
