#include "generated/kernels/conv.h"

#include <cstring>

#include "core/layout.h"
#include "kernels/copy.h"
#include "kernels/dnn/conv2d.h"

// Convolutions, over the one seam to the library (kernels/dnn/conv2d.h). Here operands are brought
// into a form that it takes.

namespace ceph::kernels {
namespace {

// [c, h, w] as [1, c, h, w].
Tensor batched(const Tensor& t) {
  if (t.dim() == 4) return t;
  DimVector sizes = t.sizes(), strides = t.strides();
  sizes.insert(0, 1);
  strides.insert(0, t.numel());
  return view_of(t, sizes, strides, t.storage_offset());
}

Tensor dense_like(const Tensor& t, bool channels_last) {
  MemoryFormat format = channels_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous;
  return empty_strided_tensor(t.sizes(), strides_for(t.sizes(), format, "conv2d"), t.dtype(),
                              t.device(), "conv2d");
}

// Whether the elements lie in the order of the format without gaps.
bool is_dense(const Tensor& t, bool channels_last) {
  if (!channels_last) return t.is_contiguous();
  DimVector wanted = strides_for(t.sizes(), MemoryFormat::ChannelsLast, "conv2d");
  for (size_t d = 0; d < wanted.size(); ++d) {
    if (t.sizes()[d] != 1 && t.strides()[d] != wanted[d]) return false;
  }
  return true;
}

Tensor dense(const Tensor& t, bool channels_last = false) {
  if (!t.defined() || is_dense(t, channels_last)) return t;
  Tensor copy = dense_like(t, channels_last);
  copy_into(copy, t);
  return copy;
}

dnn::Conv2d problem(const Tensor& input, const Tensor& weight, IntArrayRef stride,
                    IntArrayRef padding, IntArrayRef dilation, int64_t groups, const Tensor& out) {
  dnn::Conv2d conv{input.size(0), groups, input.size(1), weight.size(0), {}, {}, {}, {}, {}, {}};
  for (int64_t d = 0; d < 2; ++d) {
    size_t i = static_cast<size_t>(d);
    conv.in_size[i] = input.size(2 + d);
    conv.kernel[i] = weight.size(2 + d);
    conv.out_size[i] = out.size(2 + d);
    conv.stride[i] = stride[stride.size() == 1 ? 0 : i];
    conv.padding[i] = padding[padding.size() == 1 ? 0 : i];
    conv.dilation[i] = dilation[dilation.size() == 1 ? 0 : i];
  }
  return conv;
}

// Whether a product of matrices is faster than the library's kernels, which want another layout.
bool multiplies(const dnn::Conv2d& conv, DType dtype) {
  return conv.is_pointwise() && conv.groups == 1 && dtype == DType::Float32;
}

// False, with nothing written, where the library has no implementation.
bool run_library(const dnn::Conv2d& conv, const Tensor& input, const Tensor& weight,
                 const Tensor& bias, const Tensor& out) {
  if (conv.in_channels == 0 || !dnn::library_takes(out.dtype())) return false;
  bool last = !input.is_contiguous() && is_dense(input, true);
  Tensor to = is_dense(out, last) ? out : dense_like(out, last);
  if (!dnn::library_conv2d(conv, {dense(input, last), dense(weight), dense(bias), to, last})) {
    return false;
  }
  if (!to.is_same(out)) copy_into(out, to);
  return true;
}

void run_own(const dnn::Conv2d& conv, const Tensor& input, const Tensor& weight, const Tensor& bias,
             const Tensor& out) {
  Tensor to = out.is_contiguous() ? out : dense_like(out, false);
  const dnn::Conv2dOperands t{dense(input), dense(weight), dense(bias), to, false};
  dnn::own_conv2d(conv, t, dnn::Wanted::kOutput);
  if (!to.is_same(out)) copy_into(out, to);
}

void run(const dnn::Conv2d& conv, const Tensor& input, const Tensor& weight, const Tensor& bias,
         const Tensor& out) {
  if (input.is_contiguous() && multiplies(conv, out.dtype())) {
    return run_own(conv, input, weight, bias, out);
  }
  if (run_library(conv, input, weight, bias, out)) return;
  bool narrow = out.dtype() == DType::Float16 || out.dtype() == DType::BFloat16;
  if (!narrow) return run_own(conv, input, weight, bias, out);
  // Sums in float32, rounded once.
  Tensor wide =
      empty_strided_tensor(out.sizes(), preserved_strides(out), DType::Float32, out.device());
  run(conv, cast(input, DType::Float32), cast(weight, DType::Float32),
      bias.defined() ? cast(bias, DType::Float32) : bias, wide);
  copy_into(out, wide);
}

// Writes the gradient that is wanted; the others are read.
void run_gradient(const dnn::Conv2d& conv, const Tensor& input, const Tensor& weight,
                  const Tensor& output, dnn::Wanted wanted) {
  const Tensor& to = wanted == dnn::Wanted::kInput ? input : weight;
  if (to.dtype() == DType::Float16 || to.dtype() == DType::BFloat16) {
    // Sums in float32, rounded once.
    auto wide = [&](const Tensor& t) {
      if (!t.is_same(to)) return cast(t, DType::Float32);
      return empty_strided_tensor(t.sizes(), t.strides(), DType::Float32, t.device());
    };
    const Tensor x = wide(input), w = wide(weight);
    run_gradient(conv, x, w, wide(output), wanted);
    return copy_into(to, to.is_same(input) ? x : w);
  }
  const bool library = dnn::library_takes(to.dtype());
  const bool last = library && !output.is_contiguous() && is_dense(output, true);
  auto form = [&](const Tensor& t, bool channels_last) {
    return t.is_same(to) && !is_dense(t, channels_last) ? dense_like(t, channels_last)
                                                        : dense(t, channels_last);
  };
  dnn::Conv2dOperands t{form(input, last), form(weight, false), {}, form(output, last), last};
  const bool as_product = multiplies(conv, to.dtype()) && !last;
  if (as_product || !library || !dnn::library_gradient(conv, t, wanted)) {
    t = {form(input, false), form(weight, false), {}, form(output, false), false};
    dnn::own_conv2d(conv, t, wanted);
  }
  const Tensor& made = wanted == dnn::Wanted::kInput ? t.input : t.weight;
  if (!made.is_same(to)) copy_into(to, made);
}

void gradient(const Tensor& input, const Tensor& weight, const Tensor& output, IntArrayRef stride,
              IntArrayRef padding, IntArrayRef dilation, int64_t groups, dnn::Wanted wanted) {
  const Tensor& to = wanted == dnn::Wanted::kInput ? input : weight;
  if (to.numel() == 0) return;
  if (output.numel() == 0) {
    std::memset(to.data(), 0, static_cast<size_t>(to.numel()) * item_size(to.dtype()));
    return;
  }
  const dnn::Conv2d conv = problem(input, weight, stride, padding, dilation, groups, output);
  run_gradient(conv, input, weight, output, wanted);
}

}  // namespace

void conv2d_input(IntArrayRef, const Tensor& weight, const Tensor& grad_output, IntArrayRef stride,
                  IntArrayRef padding, IntArrayRef dilation, int64_t groups, const Tensor& out) {
  gradient(out, weight, grad_output, stride, padding, dilation, groups, dnn::Wanted::kInput);
}

void conv2d_weight(const Tensor& input, IntArrayRef, const Tensor& grad_output, IntArrayRef stride,
                   IntArrayRef padding, IntArrayRef dilation, int64_t groups, const Tensor& out) {
  gradient(input, out, grad_output, stride, padding, dilation, groups, dnn::Wanted::kWeight);
}

void conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,
            IntArrayRef padding, IntArrayRef dilation, int64_t groups, const Tensor& out) {
  CEPH_CHECK(!bias.defined() || bias.dtype() == input.dtype(), ErrorKind::kRuntime, "conv2d",
             "bias must have the input's dtype; got input ", name_of(input.dtype()), " and bias ",
             name_of(bias.dtype()));
  if (out.numel() == 0) return;
  Tensor x = batched(input), y = batched(out);
  run(problem(x, weight, stride, padding, dilation, groups, y), x, weight, bias, y);
}

}  // namespace ceph::kernels
