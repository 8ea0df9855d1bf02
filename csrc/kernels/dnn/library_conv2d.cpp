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

// Output channels of a piece, of a single image or where the weight is larger than all images; all
// of them where it can't be split.
int64_t filters_per_piece(const Conv2d& conv, const Conv2dOperands& t) {
  int64_t k = conv.out_channels;
  bool splits = conv.groups == 1 && !t.channels_last && k % 32 == 0 && k > 32 &&
                (conv.batch == 1 || t.weight.numel() > t.input.numel()) &&
                conv.batch * conv.products_per_image() >= 4 * kPiece;
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

// The output, or the gradient of the input: each image has its own.
bool run_batch(const Conv2d& conv, const Conv2dOperands& t, int64_t images, Wanted wanted) {
  Conv2d piece = conv;
  piece.batch = images;
  auto plan = ConvPlan::find(piece, {t.output.dtype(), wanted, t.bias.defined(), t.channels_last});
  if (!plan) return false;
  const Tensor weight = plan->arranged_weight(t.weight);
  int64_t item = static_cast<int64_t>(item_size(t.output.dtype()));
  int64_t in_step = t.input.numel() / conv.batch * images * item;
  int64_t out_step = t.output.numel() / conv.batch * images * item;
  char *input = static_cast<char*>(t.input.data()), *output = static_cast<char*>(t.output.data());
  char* bias = t.bias.defined() ? static_cast<char*>(t.bias.data()) : nullptr;
  parallel_for(0, conv.batch / images, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      plan->run(input + i * in_step, static_cast<char*>(weight.data()), bias,
                output + i * out_step);
    }
  });
  return true;
}

bool run_filters(const Conv2d& conv, const Conv2dOperands& t, int64_t filters) {
  Conv2d piece = conv;
  piece.out_channels = filters;
  int64_t plane = conv.out_size[0] * conv.out_size[1];
  auto plan = ConvPlan::find(piece, {t.output.dtype(), Wanted::kOutput, t.bias.defined(), false,
                                     conv.out_channels * plane});
  if (!plan) return false;
  int64_t item = static_cast<int64_t>(item_size(t.output.dtype()));
  char *input = static_cast<char*>(t.input.data()), *output = static_cast<char*>(t.output.data());
  char* bias = t.bias.defined() ? static_cast<char*>(t.bias.data()) : nullptr;
  parallel_for(0, conv.out_channels / filters, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      Tensor weight =
          view_of(t.weight, {filters, conv.in_channels, conv.kernel[0], conv.kernel[1]},
                  t.weight.strides(), t.weight.storage_offset() + i * filters * t.weight.stride(0));
      const Tensor arranged = plan->arranged_weight(weight);
      plan->run(input, static_cast<char*>(arranged.data()),
                bias ? bias + i * filters * item : nullptr, output + i * filters * plane * item);
    }
  });
  return true;
}

// Output channels of a piece of the weight's gradient; all of them where it can't be split.
int64_t filters_of_gradient(const Conv2d& conv, bool channels_last) {
  const int64_t k = conv.out_channels;
  if (conv.groups != 1 || channels_last || k % 32 != 0) return k;
  return k % 128 == 0 ? k / 4 : k / 2;
}

// Each piece has its own part of the weight, and reads its channels of the output's gradient.
bool weight_by_filters(const Conv2d& conv, const Conv2dOperands& t, int64_t filters) {
  Conv2d piece = conv;
  piece.out_channels = filters;
  const int64_t plane = conv.out_size[0] * conv.out_size[1];
  auto plan = ConvPlan::find(
      piece, {DType::Float32, Wanted::kWeight, false, false, conv.out_channels * plane});
  if (!plan) return false;
  char* input = static_cast<char*>(t.input.data());
  float *weight = t.weight.data_as<float>(), *output = t.output.data_as<float>();
  const int64_t step = filters * (t.weight.numel() / conv.out_channels);
  parallel_for(0, conv.out_channels / filters, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      plan->run(input, reinterpret_cast<char*>(weight + i * step), nullptr,
                reinterpret_cast<char*>(output + i * filters * plane));
    }
  });
  return true;
}

// Sums over parts of the batch, then over the parts: how many there are depends on the shape only.
bool weight_by_images(const Conv2d& conv, const Conv2dOperands& t) {
  Conv2d piece = conv;
  piece.batch = conv.batch % 4 == 0 ? conv.batch / 4 : conv.batch;
  const int64_t parts = conv.batch / piece.batch, size = t.weight.numel();
  auto plan = ConvPlan::find(piece, {DType::Float32, Wanted::kWeight, false, t.channels_last});
  if (!plan) return false;
  const Tensor sums =
      parts == 1 ? t.weight
                 : empty_tensor({parts, size}, DType::Float32, DeviceKind::CPU, "conv2d_weight");
  const int64_t in_step = t.input.numel() / parts, out_step = t.output.numel() / parts;
  float *input = t.input.data_as<float>(), *output = t.output.data_as<float>();
  float* sum = sums.data_as<float>();
  parallel_for(0, parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      plan->run(reinterpret_cast<char*>(input + i * in_step),
                reinterpret_cast<char*>(sum + i * size), nullptr,
                reinterpret_cast<char*>(output + i * out_step));
    }
  });
  float* weight = t.weight.data_as<float>();
  for (int64_t i = 0; parts > 1 && i < size; ++i) {
    weight[i] = (sum[i] + sum[size + i]) + (sum[2 * size + i] + sum[3 * size + i]);
  }
  return true;
}

}  // namespace

bool library_takes(DType dtype) {
  return (dtype == DType::Float32 || dtype == DType::BFloat16) && library() != nullptr;
}

bool library_conv2d(const Conv2d& conv, const Conv2dOperands& t) {
  if (!fits_library(conv, t) || splits_a_pair(conv, t.output.dtype())) return false;
  int64_t filters = filters_per_piece(conv, t);
  if (filters < conv.out_channels) return run_filters(conv, t, filters);
  return run_batch(conv, t, images_per_piece(conv), Wanted::kOutput);
}

bool library_gradient(const Conv2d& conv, const Conv2dOperands& t, Wanted wanted) {
  if (!fits_library(conv, t)) return false;
  if (wanted == Wanted::kInput) return run_batch(conv, t, images_per_piece(conv), wanted);
  int64_t filters = filters_of_gradient(conv, t.channels_last);
  if (filters < conv.out_channels) return weight_by_filters(conv, t, filters);
  return weight_by_images(conv, t);
}

#else

bool library_takes(DType) { return false; }

bool library_conv2d(const Conv2d&, const Conv2dOperands&) { return false; }

bool library_gradient(const Conv2d&, const Conv2dOperands&, Wanted) { return false; }

#endif

}  // namespace ceph::kernels::dnn
