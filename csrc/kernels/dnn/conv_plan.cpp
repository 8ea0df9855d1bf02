#include "kernels/dnn/conv_plan.h"

#ifdef CEPHEID_DNNL_LIBRARY

#include <array>
#include <map>
#include <mutex>
#include <vector>

namespace ceph::kernels::dnn {
namespace {

// Plans that are kept; a program with more shapes than this starts over.
constexpr size_t kMaxPlans = 512;

using Key = std::array<int64_t, 21>;

Key key_of(const Conv2d& c, const ConvPlan::Form& form) {
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
          static_cast<int64_t>(form.dtype),
          static_cast<int64_t>(form.wanted),
          form.bias,
          form.channels_last,
          form.image_step};
}

Owned<dnnl_memory_desc_t> dense_desc(const std::vector<int64_t>& sizes, dnnl_data_type_t type,
                                     bool channels_last, int64_t image_step = 0) {
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
  if (image_step != 0) strides[0] = image_step;
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

std::shared_ptr<const ConvPlan> ConvPlan::find(const Conv2d& conv, const Form& form) {
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<const ConvPlan>>& plans =
      *new std::map<Key, std::shared_ptr<const ConvPlan>>();  // outlives the last user at exit
  Key key = key_of(conv, form);
  std::lock_guard<std::mutex> lock(mutex);
  auto at = plans.find(key);
  if (at != plans.end()) return at->second;
  if (plans.size() >= kMaxPlans) plans.clear();
  auto plan = std::make_shared<ConvPlan>();
  OneOpenMpThread one;
  if (!plan->build(conv, form)) plan = nullptr;
  plans.emplace(key, plan);
  return plan;
}

bool ConvPlan::build(const Conv2d& c, const Form& form) {
  dnnl_data_type_t type = data_type(form.dtype);
  std::vector<int64_t> in{c.batch, c.in_channels, c.in_size[0], c.in_size[1]};
  std::vector<int64_t> out{c.batch, c.out_channels, c.out_size[0], c.out_size[1]};
  std::vector<int64_t> filter{c.out_channels, c.in_channels, c.kernel[0], c.kernel[1]};
  if (c.groups > 1) {
    filter = {c.groups, c.out_channels / c.groups, c.in_channels / c.groups, c.kernel[0],
              c.kernel[1]};
  }
  wanted_ = form.wanted;
  if (wanted_ == Wanted::kInput) written_ = &input_;
  if (wanted_ == Wanted::kWeight) written_ = &weight_;
  const bool last = form.channels_last;
  input_.outside = dense_desc(in, type, last);
  weight_.outside = dense_desc(filter, type, false);
  output_.outside = dense_desc(out, type, last, form.image_step);
  // Channels-last tensors are taken as they are; others in whatever layout is fastest.
  input_.inside = last ? clone(input_.outside.get()) : any_desc(in, type);
  weight_.inside = any_desc(filter, type);
  output_.inside = last ? clone(output_.outside.get()) : any_desc(out, type);
  if (form.bias) bias_ = dense_desc({c.out_channels}, type, false);
  Owned<dnnl_primitive_desc_t> desc = describe(c);
  if (!desc) return false;
  auto chosen = [&](dnnl_query_t what) {
    return library()->primitive_desc_query_md(desc.get(), what, 0);
  };
  const bool forward = wanted_ == Wanted::kOutput;
  scratch_ = clone(chosen(dnnl_query_scratchpad_md));
  conv_ = primitive(desc);
  return conv_ &&
         arrange(input_,
                 chosen(wanted_ == Wanted::kInput ? dnnl_query_diff_src_md : dnnl_query_src_md)) &&
         arrange(weight_, chosen(wanted_ == Wanted::kWeight ? dnnl_query_diff_weights_md
                                                            : dnnl_query_weights_md)) &&
         arrange(output_, chosen(forward ? dnnl_query_dst_md : dnnl_query_diff_dst_md));
}

Owned<dnnl_primitive_desc_t> ConvPlan::describe(const Conv2d& c) const {
  dnnl_dims_t stride, gap, padding;
  for (int d = 0; d < 2; ++d) {
    stride[d] = c.stride[d];
    gap[d] = c.dilation[d] - 1;
    padding[d] = c.padding[d];
  }
  const Library& f = *library();
  const Owned<dnnl_primitive_attr_t> attr = caller_scratch();
  const bool forward = wanted_ == Wanted::kOutput;
  dnnl_primitive_desc_t made = nullptr;
  f.convolution_forward_primitive_desc_create(
      &made, f.engine, forward ? dnnl_forward_inference : dnnl_forward_training,
      dnnl_convolution_direct, input_.inside.get(), weight_.inside.get(), bias_.get(),
      output_.inside.get(), stride, gap, padding, padding, attr.get());
  Owned<dnnl_primitive_desc_t> of_output(made);
  if (forward || !of_output) return of_output;
  dnnl_primitive_desc_t gradient = nullptr;
  if (wanted_ == Wanted::kInput) {
    f.convolution_backward_data_primitive_desc_create(
        &gradient, f.engine, dnnl_convolution_direct, input_.inside.get(), weight_.inside.get(),
        output_.inside.get(), stride, gap, padding, padding, of_output.get(), attr.get());
  } else {
    f.convolution_backward_weights_primitive_desc_create(
        &gradient, f.engine, dnnl_convolution_direct, input_.inside.get(), weight_.inside.get(),
        nullptr, output_.inside.get(), stride, gap, padding, padding, of_output.get(), attr.get());
  }
  return Owned<dnnl_primitive_desc_t>(gradient);
}

bool ConvPlan::arrange(Operand& operand, const_dnnl_memory_desc_t chosen) {
  operand.inside = clone(chosen);
  if (library()->memory_desc_equal(operand.outside.get(), chosen)) return true;
  const bool writes = &operand == written_;
  const_dnnl_memory_desc_t from = writes ? chosen : operand.outside.get();
  const_dnnl_memory_desc_t to = writes ? operand.outside.get() : chosen;
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

ConvPlan::Held ConvPlan::hold(Run& step, const Operand& operand, void* data) const {
  if (!operand.reorder) return {Tensor(), data};
  Held held{bytes_for("conv2d", operand.inside), nullptr};
  held.data = held.own.data();
  if (&operand != written_) {
    step.with(DNNL_ARG_FROM, operand.outside, data)
        .with(DNNL_ARG_TO, operand.inside, held.data)
        .execute(operand.reorder);
  }
  return held;
}

void ConvPlan::run(char* input, char* weight, char* bias, char* output) const {
  OneOpenMpThread one;
  Run step("conv2d");
  const Tensor scratch = bytes_for("conv2d", scratch_);
  const Held in = hold(step, input_, input), out = hold(step, output_, output);
  const Held filter =
      wanted_ == Wanted::kWeight ? hold(step, weight_, weight) : Held{Tensor(), weight};
  const bool forward = wanted_ == Wanted::kOutput;
  step.with(wanted_ == Wanted::kInput ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC, input_.inside, in.data)
      .with(wanted_ == Wanted::kWeight ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, weight_.inside,
            filter.data)
      .with(forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST, output_.inside, out.data)
      .with(DNNL_ARG_SCRATCHPAD, scratch_, scratch.data());
  if (bias) step.with(DNNL_ARG_BIAS, bias_, bias);
  step.execute(conv_);
  if (!written_->reorder) return;
  const auto [held, result] = forward                     ? std::pair(out.data, output)
                              : wanted_ == Wanted::kInput ? std::pair(in.data, input)
                                                          : std::pair(filter.data, weight);
  step.with(DNNL_ARG_FROM, written_->inside, held)
      .with(DNNL_ARG_TO, written_->outside, result)
      .execute(written_->reorder);
}

}  // namespace ceph::kernels::dnn

#endif
