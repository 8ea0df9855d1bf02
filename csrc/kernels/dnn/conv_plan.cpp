#include "kernels/dnn/conv_plan.h"

#ifdef CEPHEID_DNNL_LIBRARY

#include <array>
#include <map>
#include <mutex>
#include <vector>

#include "kernels/dnn/primitives.h"

namespace ceph::kernels::dnn {
namespace {

// Plans that are kept; a program with more shapes than this starts over.
constexpr size_t kMaxPlans = 512;

using Key = std::array<int64_t, 19>;

Key key_of(const Conv2d& c, DType dtype, bool bias, bool channels_last) {
  return {c.batch,
          c.groups,
          c.in_channels,
          c.out_channels,
          c.in_size[0],
          c.in_size[1],
          c.kernel[0],
          c.kernel[1],
          c.out_size[0],
          c.out_size[1],
          c.stride[0],
          c.stride[1],
          c.padding[0],
          c.padding[1],
          c.dilation[0],
          c.dilation[1],
          static_cast<int64_t>(dtype),
          bias,
          channels_last};
}

Owned<dnnl_memory_desc_t> dense_desc(const std::vector<int64_t>& sizes, dnnl_data_type_t type,
                                     bool channels_last) {
  dnnl_dims_t dims, strides;
  int rank = static_cast<int>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), dims);
  int64_t step = 1;
  auto place = [&](int d) {
    strides[d] = step;
    step *= std::max<int64_t>(1, sizes[static_cast<size_t>(d)]);
  };
  if (channels_last) place(1);
  for (int d = rank - 1; d >= 0; --d) {
    if (!(channels_last && d == 1)) place(d);
  }
  dnnl_memory_desc_t out = nullptr;
  library()->memory_desc_create_with_strides(&out, rank, dims, type, strides);
  return Owned<dnnl_memory_desc_t>(out);
}

Owned<dnnl_memory_desc_t> any_desc(const std::vector<int64_t>& sizes, dnnl_data_type_t type) {
  dnnl_dims_t dims;
  std::copy(sizes.begin(), sizes.end(), dims);
  dnnl_memory_desc_t out = nullptr;
  library()->memory_desc_create_with_tag(&out, static_cast<int>(sizes.size()), dims, type,
                                         dnnl_format_tag_any);
  return Owned<dnnl_memory_desc_t>(out);
}

}  // namespace

std::shared_ptr<const ConvPlan> ConvPlan::find(const Conv2d& conv, DType dtype, bool bias,
                                               bool channels_last) {
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<const ConvPlan>>& plans =
      *new std::map<Key, std::shared_ptr<const ConvPlan>>();  // outlives the last user at exit
  Key key = key_of(conv, dtype, bias, channels_last);
  std::lock_guard<std::mutex> lock(mutex);
  auto at = plans.find(key);
  if (at != plans.end()) return at->second;
  if (plans.size() >= kMaxPlans) plans.clear();
  auto plan = std::make_shared<ConvPlan>();
  OneOpenMpThread one;
  if (!plan->build(conv, dtype, bias, channels_last)) plan = nullptr;
  plans.emplace(key, plan);
  return plan;
}

bool ConvPlan::build(const Conv2d& c, DType dtype, bool bias, bool channels_last) {
  dnnl_data_type_t type = data_type(dtype);
  std::vector<int64_t> in{c.batch, c.in_channels, c.in_size[0], c.in_size[1]};
  std::vector<int64_t> out{c.batch, c.out_channels, c.out_size[0], c.out_size[1]};
  std::vector<int64_t> filter{c.out_channels, c.in_channels, c.kernel[0], c.kernel[1]};
  if (c.groups > 1) {
    filter = {c.groups, c.out_channels / c.groups, c.in_channels / c.groups, c.kernel[0],
              c.kernel[1]};
  }
  input_.outside = dense_desc(in, type, channels_last);
  weight_.outside = dense_desc(filter, type, false);
  output_.outside = dense_desc(out, type, channels_last);
  // Channels-last tensors are taken as they are; others in whatever layout is fastest.
  input_.inside = channels_last ? clone(input_.outside.get()) : any_desc(in, type);
  weight_.inside = any_desc(filter, type);
  output_.inside = channels_last ? clone(output_.outside.get()) : any_desc(out, type);
  if (bias) bias_ = dense_desc({c.out_channels}, type, false);
  Owned<dnnl_primitive_desc_t> desc = describe(c);
  if (!desc) return false;
  auto chosen = [&](dnnl_query_t what) {
    return library()->primitive_desc_query_md(desc.get(), what, 0);
  };
  scratch_ = clone(chosen(dnnl_query_scratchpad_md));
  conv_ = primitive(desc);
  return conv_ && arrange(input_, chosen(dnnl_query_src_md), false) &&
         arrange(weight_, chosen(dnnl_query_weights_md), false) &&
         arrange(output_, chosen(dnnl_query_dst_md), true);
}

Owned<dnnl_primitive_desc_t> ConvPlan::describe(const Conv2d& c) const {
  dnnl_dims_t stride, gap, padding;
  for (int d = 0; d < 2; ++d) {
    stride[d] = c.stride[d];
    gap[d] = c.dilation[d] - 1;
    padding[d] = c.padding[d];
  }
  Owned<dnnl_primitive_attr_t> attr = caller_scratch();
  dnnl_primitive_desc_t out = nullptr;
  library()->convolution_forward_primitive_desc_create(
      &out, library()->engine, dnnl_forward_inference, dnnl_convolution_direct, input_.inside.get(),
      weight_.inside.get(), bias_.get(), output_.inside.get(), stride, gap, padding, padding,
      attr.get());
  return Owned<dnnl_primitive_desc_t>(out);
}

bool ConvPlan::arrange(Operand& operand, const_dnnl_memory_desc_t chosen, bool is_output) {
  operand.inside = clone(chosen);
  if (library()->memory_desc_equal(operand.outside.get(), chosen)) return true;
  const_dnnl_memory_desc_t from = is_output ? chosen : operand.outside.get();
  const_dnnl_memory_desc_t to = is_output ? operand.outside.get() : chosen;
  dnnl_primitive_desc_t desc = nullptr;
  dnnl_engine_t engine = library()->engine;
  library()->reorder_primitive_desc_create(&desc, from, engine, to, engine, nullptr);
  operand.reorder = primitive(Owned<dnnl_primitive_desc_t>(desc));
  return operand.reorder != nullptr;
}

Tensor ConvPlan::arranged_weight(const Tensor& weight) const {
  if (!weight_.reorder) return weight;
  OneOpenMpThread one;
  Tensor out = bytes_for("conv2d", weight_.inside);
  Run("conv2d")
      .with(DNNL_ARG_FROM, weight_.outside, weight.data())
      .with(DNNL_ARG_TO, weight_.inside, out.data())
      .execute(weight_.reorder);
  return out;
}

void ConvPlan::run(char* input, const Tensor& weight, char* bias, char* output) const {
  OneOpenMpThread one;
  Run step("conv2d");
  Tensor in, out, scratch = bytes_for("conv2d", scratch_);
  void *from = input, *to = output;
  if (input_.reorder) {
    in = bytes_for("conv2d", input_.inside);
    from = in.data();
    step.with(DNNL_ARG_FROM, input_.outside, input)
        .with(DNNL_ARG_TO, input_.inside, from)
        .execute(input_.reorder);
  }
  if (output_.reorder) {
    out = bytes_for("conv2d", output_.inside);
    to = out.data();
  }
  step.with(DNNL_ARG_SRC, input_.inside, from)
      .with(DNNL_ARG_WEIGHTS, weight_.inside, weight.data())
      .with(DNNL_ARG_DST, output_.inside, to)
      .with(DNNL_ARG_SCRATCHPAD, scratch_, scratch.data());
  if (bias) step.with(DNNL_ARG_BIAS, bias_, bias);
  step.execute(conv_);
  if (output_.reorder) {
    step.with(DNNL_ARG_FROM, output_.inside, to)
        .with(DNNL_ARG_TO, output_.outside, output)
        .execute(output_.reorder);
  }
}

}  // namespace ceph::kernels::dnn

#endif
