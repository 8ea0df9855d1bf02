#include <cmath>

#include "base/thread_pool.h"
#include "generated/ops/conv2d.h"
#include "kernels/dnn/conv2d.h"
#include "kernels/values.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

struct Case {
  int64_t batch, channels, height, width, filters, kernel_h, kernel_w;
  std::array<int64_t, 2> stride{1, 1}, padding{0, 0}, dilation{1, 1};
  int64_t groups = 1;
  bool bias = true;
};

const std::vector<Case> kCases = {
    {1, 1, 3, 3, 1, 1, 1},
    {2, 3, 8, 7, 4, 3, 3},
    {3, 4, 9, 5, 6, 3, 2, {2, 1}, {1, 2}},
    {1, 6, 11, 11, 9, 3, 3, {1, 1}, {2, 2}, {2, 2}, 3},
    {2, 8, 6, 6, 8, 3, 3, {2, 2}, {1, 1}, {1, 1}, 8, false},
    {1, 16, 14, 14, 64, 3, 3, {1, 1}, {1, 1}},
    {4, 2, 5, 5, 3, 5, 5, {1, 1}, {0, 0}, {1, 1}, 1, false},
};

struct Operands {
  Tensor input, weight, bias;
};

template <class T>
Operands operands(const Case& c, int layout) {
  std::mt19937 random(11);
  auto make = [&](IntArrayRef sizes) {
    int64_t count = 1;
    for (int64_t n : sizes) count *= n;
    return laid_out_values<T>(sizes, layout, small_integers<T>(random, count, -3, 3));
  };
  Operands t;
  t.input = make({c.batch, c.channels, c.height, c.width});
  t.weight = make({c.filters, c.channels / c.groups, c.kernel_h, c.kernel_w});
  if (c.bias) t.bias = make({c.filters});
  return t;
}

template <class T>
double naive_at(const Case& c, const Operands& t, int64_t n, int64_t k, int64_t y, int64_t x) {
  int64_t per_group = c.channels / c.groups, group = k / (c.filters / c.groups);
  double sum = c.bias ? static_cast<double>(element<T>(t.bias, k)) : 0;
  for (int64_t i = 0; i < per_group; ++i) {
    for (int64_t r = 0; r < c.kernel_h; ++r) {
      for (int64_t s = 0; s < c.kernel_w; ++s) {
        int64_t iy = y * c.stride[0] - c.padding[0] + r * c.dilation[0];
        int64_t ix = x * c.stride[1] - c.padding[1] + s * c.dilation[1];
        if (iy < 0 || iy >= c.height || ix < 0 || ix >= c.width) continue;
        int64_t from = ((n * c.channels + group * per_group + i) * c.height + iy) * c.width + ix;
        int64_t weight = ((k * per_group + i) * c.kernel_h + r) * c.kernel_w + s;
        sum += static_cast<double>(element<T>(t.input, from)) *
               static_cast<double>(element<T>(t.weight, weight));
      }
    }
  }
  return sum;
}

// Sums of small integers are exact, so every path gives the same numbers.
template <class T>
bool matches(const Case& c, const Operands& t, const Tensor& out) {
  for (int64_t i = 0; i < out.numel(); ++i) {
    int64_t x = i % out.size(3), y = i / out.size(3) % out.size(2);
    int64_t k = i / (out.size(3) * out.size(2)) % c.filters;
    int64_t n = i / (out.size(3) * out.size(2) * c.filters);
    T expected = static_cast<T>(naive_at<T>(c, t, n, k, y, x));
    if (static_cast<double>(element<T>(out, i)) != static_cast<double>(expected)) return false;
  }
  return true;
}

template <class T>
void expect_convolves() {
  for (const Case& c : kCases) {
    for (int layout = 0; layout < kLayouts; ++layout) {
      Operands t = operands<T>(c, layout);
      Tensor out =
          ops::conv2d(t.input, t.weight, t.bias, c.stride, c.padding, c.dilation, c.groups);
      EXPECT(matches<T>(c, t, out));
    }
  }
}

Tensor channels_last(const Tensor& t) {
  Tensor out = empty_strided_tensor(
      t.sizes(), strides_for(t.sizes(), MemoryFormat::ChannelsLast, "test"), t.dtype(), t.device());
  for (int64_t i = 0; i < t.numel(); ++i) element<float>(out, i) = element<float>(t, i);
  return out;
}

kernels::dnn::Conv2d problem(const Case& c, const Tensor& out) {
  return {c.batch,
          c.groups,
          c.channels,
          c.filters,
          {c.height, c.width},
          {c.kernel_h, c.kernel_w},
          {out.size(2), out.size(3)},
          {c.stride[0], c.stride[1]},
          {c.padding[0], c.padding[1]},
          {c.dilation[0], c.dilation[1]}};
}

}  // namespace

TEST(conv2d_is_exact_on_small_integers) {
  expect_convolves<float>();
  expect_convolves<double>();
  expect_convolves<Half>();
  expect_convolves<BFloat16>();
}

TEST(conv2d_takes_channels_last_as_it_is) {
  for (const Case& c : kCases) {
    Operands t = operands<float>(c, 0);
    Tensor out = ops::conv2d(channels_last(t.input), t.weight, t.bias, c.stride, c.padding,
                             c.dilation, c.groups);
    EXPECT(matches<float>(c, t, out));
  }
}

TEST(the_own_path_agrees_with_the_library) {
  for (const Case& c : kCases) {
    Operands t = operands<float>(c, 0);
    Tensor like = ops::conv2d(t.input, t.weight, t.bias, c.stride, c.padding, c.dilation, c.groups);
    Tensor out = empty_tensor(like.sizes(), DType::Float32, DeviceKind::CPU);
    kernels::dnn::own_conv2d(problem(c, out), {t.input, t.weight, t.bias, out, false});
    EXPECT(matches<float>(c, t, out));
  }
}

TEST(the_library_is_there_for_float32) { EXPECT(kernels::dnn::library_takes(DType::Float32)); }

TEST(conv2d_writes_outputs_of_any_strides) {
  const Case& c = kCases[2];
  Operands t = operands<float>(c, 0);
  Tensor like = ops::conv2d(t.input, t.weight, t.bias, c.stride, c.padding, c.dilation, c.groups);
  EXPECT(matches<float>(c, t, like));
  Tensor unbatched =
      ops::conv2d(view_of(t.input, t.input.sizes().slice(1, 3), t.input.strides().slice(1, 3), 0),
                  t.weight, t.bias, c.stride, c.padding, c.dilation, c.groups);
  EXPECT(unbatched.sizes() == like.sizes().slice(1, 3));
  for (int64_t i = 0; i < unbatched.numel(); ++i)
    EXPECT_EQ(element<float>(unbatched, i), element<float>(like, i));
}

TEST(conv2d_of_nothing) {
  auto of = [](IntArrayRef sizes) { return empty_tensor(sizes, DType::Float32, DeviceKind::CPU); };
  EXPECT(ops::conv2d(of({0, 1, 3, 3}), of({1, 1, 2, 2})).sizes() == IntArrayRef({0, 1, 2, 2}));
  Tensor bias = tensor_of<float>({2}, {3.f, 4.f});
  Tensor out = ops::conv2d(of({1, 0, 2, 2}), of({2, 0, 2, 2}), bias);
  EXPECT(values_of<float>(out) == std::vector<float>({3.f, 4.f}));
}

TEST(conv2d_with_huge_steps_reads_only_the_padding) {
  int64_t huge = int64_t(1) << 40;
  Tensor ones = tensor_of<float>({1, 1, 1, 1}, {5.f});
  Tensor out = ops::conv2d(ones, ones, Tensor(), {huge, huge}, {huge, huge});
  EXPECT(out.sizes() == IntArrayRef({1, 1, 3, 3}));
  EXPECT(values_of<float>(out) == std::vector<float>({0, 0, 0, 0, 25.f, 0, 0, 0, 0}));
}

TEST(conv2d_does_not_depend_on_the_number_of_threads) {
  std::mt19937 random(12);
  int before = num_threads();
  for (int64_t batch : {1, 6}) {
    Tensor x =
        tensor_of<float>({batch, 32, 20, 20}, normal_values<float>(random, batch * 32 * 400));
    Tensor w = tensor_of<float>({64, 32, 3, 3}, normal_values<float>(random, 64 * 32 * 9));
    set_num_threads(1);
    std::vector<float> one = values_of<float>(ops::conv2d(x, w));
    set_num_threads(4);
    EXPECT(values_of<float>(ops::conv2d(x, w)) == one);
  }
  set_num_threads(before);
}

TEST(conv2d_refuses_what_does_not_belong_together) {
  auto of = [](IntArrayRef sizes, DType t = DType::Float32) {
    return empty_tensor(sizes, t, DeviceKind::CPU);
  };
  EXPECT_THROWS(ops::conv2d(of({1, 1, 3, 3}), of({1, 1, 4, 4})), Error, "the kernel must fit");
  EXPECT_THROWS(ops::conv2d(of({1, 2, 3, 3}), of({1, 1, 2, 2})), Error, "input channels must be");
  EXPECT_THROWS(ops::conv2d(of({3, 3}), of({1, 1, 2, 2})), Error, "input must have 4 dimensions");
  EXPECT_THROWS(ops::conv2d(of({1, 1, 3, 3}), of({1, 1, 2, 2}), of({1}, DType::Float64)), Error,
                "conv2d: ");
  EXPECT_THROWS(ops::conv2d(of({1, 1, 3, 3}), of({1, 1, 2, 2}), of({2})), Error,
                "bias must have one element");
  EXPECT_THROWS(ops::conv2d(of({1, 1, 3, 3}), of({1, 1, 2, 2}), Tensor(), {0}), Error,
                "stride must be at least 1");
}
