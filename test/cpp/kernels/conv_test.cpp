#include <malloc.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/thread_pool.h"
#include "generated/ops/conv2d.h"
#include "generated/ops/full_like.h"
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

// One image whose filters are computed in several pieces.
const Case kSplit = {1, 32, 20, 20, 96, 3, 3};

int64_t out_size(const Case& c, size_t d, int64_t in, int64_t kernel) {
  return (in + 2 * c.padding[d] - c.dilation[d] * (kernel - 1) - 1) / c.stride[d] + 1;
}

template <class T>
Tensor filled_output(const Case& c, float value) {
  Tensor out = empty_tensor({c.batch, c.filters, out_size(c, 0, c.height, c.kernel_h),
                             out_size(c, 1, c.width, c.kernel_w)},
                            dtype_of<T>::value, DeviceKind::CPU);
  std::fill_n(out.data_as<T>(), out.numel(), T(value));
  return out;
}

// Bytes that the process has taken from malloc; 0 where the C library doesn't say.
size_t heap_in_use() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}

// Runs the tests whose name has `name` in a new process of this binary, with `setting` in front of
// the environment; its exit status, -1 where there is none.
int run_alone(const char* name, std::string setting) {
  std::vector<char*> variables{setting.data()};
  for (char** at = environ; *at; ++at) {
    const size_t length = setting.find('=') + 1;
    if (std::strncmp(*at, setting.c_str(), length) != 0) variables.push_back(*at);
  }
  variables.push_back(nullptr);
  std::string file = "/proc/self/exe", filter = name;
  char* arguments[] = {file.data(), filter.data(), nullptr};
  pid_t child;
  if (posix_spawn(&child, file.c_str(), nullptr, nullptr, arguments, variables.data()) != 0)
    return -1;
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
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

TEST(the_library_is_there_for_float32) {
  EXPECT(kernels::dnn::library_takes(DType::Float32));
  EXPECT(kernels::dnn::library_takes(DType::BFloat16));  // it may have one
  EXPECT(!kernels::dnn::library_takes(DType::Float64));
}

TEST(the_library_itself_computes_float32) {
  // The own path would give the same numbers, so the seam is asked which one did.
  std::vector<Case> cases = kCases;
  cases.push_back(kSplit);
  cases.push_back({1024, 1, 16, 16, 1, 1, 1});  // many small images
  for (const Case& c : cases) {
    Operands t = operands<float>(c, 0);
    Tensor out = filled_output<float>(c, -77);
    EXPECT(kernels::dnn::library_conv2d(problem(c, out), {t.input, t.weight, t.bias, out, false}));
    EXPECT(matches<float>(c, t, out));
  }
}

TEST(the_library_computes_gradients_as_the_own_path_does) {
  using kernels::dnn::Wanted;
  std::vector<Case> cases = kCases;
  cases.push_back(kSplit);
  cases.push_back({8, 2, 9, 24, 6, 5, 3});  // parts of the batch
  for (const Case& c : cases) {
    const Operands t = operands<float>(c, 0);
    const Tensor grad =
        ops::conv2d(t.input, t.weight, {}, c.stride, c.padding, c.dilation, c.groups);
    for (Wanted wanted : {Wanted::kInput, Wanted::kWeight}) {
      const bool of_input = wanted == Wanted::kInput;
      const Tensor like = of_input ? t.input : t.weight;
      const Tensor own = ops::full_like(like, -77), library = ops::full_like(like, -77);
      auto with = [&](const Tensor& made) {
        return kernels::dnn::Conv2dOperands{
            of_input ? made : t.input, of_input ? t.weight : made, {}, grad, false};
      };
      kernels::dnn::own_conv2d(problem(c, grad), with(own), wanted);
      EXPECT(kernels::dnn::library_gradient(problem(c, grad), with(library), wanted));
      EXPECT(values_of<float>(own) == values_of<float>(library));
    }
  }
}

TEST(the_library_takes_no_gradient_of_far_steps) {
  Case c{1, 1, 3, 3, 1, 1, 1, {1 << 17, 1 << 17}};
  const Operands t = operands<float>(c, 0);
  const Tensor grad = filled_output<float>(c, 2), like = ops::full_like(t.input, -77);
  const kernels::dnn::Conv2dOperands of_input{like, t.weight, {}, grad, false};
  const auto wanted = kernels::dnn::Wanted::kInput;
  EXPECT(!kernels::dnn::library_gradient(problem(c, grad), of_input, wanted));
  for (float v : values_of<float>(like)) EXPECT(v == -77);
}

TEST(without_an_implementation_the_library_writes_nothing) {
  // Its limit is read once in a process: this test runs in one of its own.
  constexpr const char* kLimit = "ONEDNN_MAX_CPU_ISA";
  const char* limit = std::getenv(kLimit);
  if (!limit || std::strcmp(limit, "AVX2") != 0) {
    EXPECT_EQ(run_alone("without_an_implementation", std::string(kLimit) + "=AVX2"), 0);
    return;
  }
  for (const Case& c : {kCases[5], kSplit}) {
    Operands t = operands<BFloat16>(c, 0);
    Tensor out = filled_output<BFloat16>(c, -77);
    EXPECT(!kernels::dnn::library_conv2d(problem(c, out), {t.input, t.weight, t.bias, out, false}));
    for (const BFloat16& v : values_of<BFloat16>(out)) EXPECT(static_cast<float>(v) == -77);
    EXPECT(matches<BFloat16>(c, t, ops::conv2d(t.input, t.weight, t.bias, c.stride, c.padding)));
  }
}

TEST(plans_of_many_shapes_are_not_kept_for_ever) {
  constexpr size_t kMuch = size_t(1) << 20;
  const Tensor one = tensor_of<float>({1, 1, 1, 1}, {2.f});
  const size_t before = heap_in_use();
  size_t most = before, last = before;
  bool dropped = false;
  for (int64_t n = 1; n <= 600; ++n) {
    ops::conv2d(empty_tensor({1, 1, 3, n}, DType::Float32, DeviceKind::CPU), one);
    const size_t now = heap_in_use();
    dropped = dropped || now + kMuch < last;
    most = std::max(most, now);
    last = now;
  }
  if (most < before + kMuch) return;  // an allocator that is not counted, of a sanitizer say
  EXPECT(dropped);
}

TEST(conv2d_takes_one_number_for_both_directions) {
  const Case c = {1, 2, 9, 8, 3, 3, 2, {2, 2}, {1, 1}, {2, 2}};
  Operands t = operands<float>(c, 0);
  const int64_t stride[] = {2, 5}, padding[] = {1, 6}, dilation[] = {2, 7};  // the first of each
  Tensor out = ops::conv2d(t.input, t.weight, t.bias, IntArrayRef(stride, 1),
                           IntArrayRef(padding, 1), IntArrayRef(dilation, 1));
  EXPECT(matches<float>(c, t, out));
}

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
