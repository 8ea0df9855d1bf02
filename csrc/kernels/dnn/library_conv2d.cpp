#include <algorithm>

#include "base/thread_pool.h"
#include "kernels/dnn/conv_plan.h"

namespace ceph::kernels::dnn {

#ifdef CEPHEID_DNNL_LIBRARY

namespace {

// Products that make a piece of work of its own.
constexpr int64_t kPiece = 1 << 21;

// Images of a piece: a divisor of the batch, so that all pieces have one plan; the batch itself
// where images are too small to be worth splitting.
int64_t images_per_piece(const Conv2d& conv) {
  int64_t one = std::max<int64_t>(1, conv.products_per_image());
  int64_t wanted = std::max<int64_t>(1, kPiece / one);
  while (wanted < conv.batch && conv.batch % wanted != 0) ++wanted;
  return std::min(wanted, conv.batch);
}

// Output channels of a piece of a single image; all of them where it can't be split.
int64_t filters_per_piece(const Conv2d& conv, bool channels_last) {
  int64_t k = conv.out_channels;
  bool splits = conv.groups == 1 && !channels_last && k % 32 == 0 && k > 32 &&
                conv.products_per_image() >= 4 * kPiece;
  if (!splits) return k;
  for (int64_t size = 64; size < k; size += 32) {
    if (k % size == 0) return size;
  }
  return 32;
}

// The library's bfloat16 kernels multiply channels in pairs. Of an odd number the last meets the
// next pixel's first, times zero, which is NaN where that is not finite.
bool splits_a_pair(const Conv2d& conv, DType dtype) {
  return dtype == DType::BFloat16 && conv.in_channels / conv.groups % 2 != 0;
}

// The library computes places in 32 bits.
bool fits_library(const Conv2d& conv, const Conv2dOperands& t) {
  constexpr int64_t kMost = 1 << 16;
  for (size_t d = 0; d < 2; ++d) {
    if (std::max({conv.stride[d], conv.padding[d], conv.dilation[d]}) > kMost) return false;
  }
  int64_t image = std::max(t.input.numel(), t.output.numel()) / conv.batch;
  return std::max(image, t.weight.numel()) <= INT32_MAX / 8;
}

bool run_batch(const Conv2d& conv, const Conv2dOperands& t, int64_t images) {
  Conv2d piece = conv;
  piece.batch = images;
  auto plan = ConvPlan::find(piece, t.output.dtype(), t.bias.defined(), t.channels_last);
  if (!plan) return false;
  Tensor weight = plan->arranged_weight(t.weight);
  int64_t item = static_cast<int64_t>(item_size(t.output.dtype()));
  int64_t in_step = t.input.numel() / conv.batch * images * item;
  int64_t out_step = t.output.numel() / conv.batch * images * item;
  char *input = static_cast<char*>(t.input.data()), *output = static_cast<char*>(t.output.data());
  char* bias = t.bias.defined() ? static_cast<char*>(t.bias.data()) : nullptr;
  parallel_for(0, conv.batch / images, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      plan->run(input + i * in_step, weight, bias, output + i * out_step);
    }
  });
  return true;
}

bool run_filters(const Conv2d& conv, const Conv2dOperands& t, int64_t filters) {
  Conv2d piece = conv;
  piece.out_channels = filters;
  auto plan = ConvPlan::find(piece, t.output.dtype(), t.bias.defined(), false);
  if (!plan) return false;
  int64_t item = static_cast<int64_t>(item_size(t.output.dtype()));
  int64_t plane = conv.out_size[0] * conv.out_size[1];
  char *input = static_cast<char*>(t.input.data()), *output = static_cast<char*>(t.output.data());
  char* bias = t.bias.defined() ? static_cast<char*>(t.bias.data()) : nullptr;
  parallel_for(0, conv.out_channels / filters, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      Tensor weight =
          view_of(t.weight, {filters, conv.in_channels, conv.kernel[0], conv.kernel[1]},
                  t.weight.strides(), t.weight.storage_offset() + i * filters * t.weight.stride(0));
      plan->run(input, plan->arranged_weight(weight), bias ? bias + i * filters * item : nullptr,
                output + i * filters * plane * item);
    }
  });
  return true;
}

}  // namespace

bool library_takes(DType dtype) {
  return (dtype == DType::Float32 || dtype == DType::BFloat16) && library() != nullptr;
}

bool library_conv2d(const Conv2d& conv, const Conv2dOperands& t) {
  if (!fits_library(conv, t) || splits_a_pair(conv, t.output.dtype())) return false;
  int64_t filters = conv.batch == 1 ? filters_per_piece(conv, t.channels_last) : conv.out_channels;
  if (filters < conv.out_channels) return run_filters(conv, t, filters);
  return run_batch(conv, t, images_per_piece(conv));
}

#else

bool library_takes(DType) { return false; }

bool library_conv2d(const Conv2d&, const Conv2dOperands&) { return false; }

#endif

}  // namespace ceph::kernels::dnn
