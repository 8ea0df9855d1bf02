#include "generated/kernels/conv.h"
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
  dnn::own_conv2d(conv, {dense(input), dense(weight), dense(bias), to, false});
  if (!to.is_same(out)) copy_into(out, to);
}

void run(const dnn::Conv2d& conv, const Tensor& input, const Tensor& weight, const Tensor& bias,
         const Tensor& out) {
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

}  // namespace

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
