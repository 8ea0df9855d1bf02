#include <cmath>
#include <limits>

#include "generated/ops/cumsum.h"
#include "generated/ops/layer_norm.h"
#include "generated/ops/softmax.h"
#include "isa.h"
#include "kernels/copy.h"
#include "kernels/inspect.h"
#include "testing.h"
#include "values.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
Tensor random_tensor(IntArrayRef sizes, int layout, double offset = 0, double scale = 1) {
  Tensor t = laid_out(sizes, dtype_of<T>::value, layout);
  std::mt19937 random(11);
  std::normal_distribution<double> normal(offset, scale);
  for (int64_t i = 0; i < t.numel(); ++i) element<T>(t, i) = static_cast<T>(normal(random));
  return t;
}

}  // namespace

TEST(softmax_is_accurate_far_below_the_largest) {
  for_each_isa([] {
    for (int64_t n : {1, 2, 17, 1000, 5000}) {
      Tensor x = random_tensor<float>({n}, 0, 50, 15);
      std::vector<float> in = values_of<float>(x), out = values_of<float>(ops::softmax(x, 0));
      long double sum = 0;
      for (float value : in) sum += std::exp(static_cast<long double>(value));
      for (size_t i = 0; i < in.size(); ++i) {
        long double expected = std::exp(static_cast<long double>(in[i])) / sum;
        // Beside the relative bound, the rounding of a subnormal power and of its quotient.
        EXPECT(std::abs(out[i] - expected) <= 4 * 0x1p-23L * expected + 0x1p-148L);
      }
    }
  });
}

TEST(rows_give_the_same_bits_in_every_layout) {
  for_each_isa([] {
    for (int64_t dim = 0; dim < 3; ++dim) {
      Tensor softmax = ops::softmax(random_tensor<float>({5, 67, 33}, 0), dim);
      Tensor sums = ops::cumsum(random_tensor<float>({5, 67, 33}, 0), dim);
      for (int layout = 1; layout < kLayouts; ++layout) {
        Tensor x = random_tensor<float>({5, 67, 33}, layout);
        EXPECT(kernels::all_equal(ops::softmax(x, dim), softmax));
        EXPECT(kernels::all_equal(ops::cumsum(x, dim), sums));
      }
    }
  });
}

TEST(softmax_of_rows_without_a_finite_largest_is_nan) {
  for_each_isa([] {
    Tensor x = tensor_of<float>({4, 2}, {-kInf, -kInf, kNan, 1, kInf, 1, -kInf, 1});
    std::vector<float> y = values_of<float>(ops::softmax(x, 1));
    for (size_t i = 0; i < 6; ++i) EXPECT(std::isnan(y[i]));
    EXPECT(y[6] == 0 && y[7] == 1);
  });
}

TEST(cumsum_does_not_lose_small_terms) {
  for_each_isa([] {
    std::vector<double> values(100000, 1e-16);
    values[0] = 1;
    std::vector<double> sums =
        values_of<double>(ops::cumsum(tensor_of<double>({100000}, values), 0));
    EXPECT(std::abs(sums.back() - (1 + 99999e-16)) <= 0x1p-52);
    std::vector<float> tenths(100000, 0.1f);
    std::vector<float> running =
        values_of<float>(ops::cumsum(tensor_of<float>({100000}, tenths), 0));
    EXPECT_EQ(running.back(), static_cast<float>(100000 * static_cast<double>(0.1f)));
  });
}

TEST(cumsum_of_infinities) {
  for_each_isa([] {
    Tensor x = tensor_of<double>({5}, {1, kInf, 1, -kInf, 2});
    std::vector<double> y = values_of<double>(ops::cumsum(x, 0));
    EXPECT(y[0] == 1 && y[1] == kInf && y[2] == kInf && std::isnan(y[3]) && std::isnan(y[4]));
  });
}

TEST(cumsum_of_integers_and_bools_counts_in_int64) {
  for_each_isa([] {
    Tensor bytes = tensor_of<int8_t>({4}, {100, 100, 100, -1});
    EXPECT_EQ(values_of<int64_t>(ops::cumsum(bytes, 0)),
              std::vector<int64_t>({100, 200, 300, 299}));
    EXPECT_EQ(values_of<int8_t>(ops::cumsum(bytes, 0, DType::Int8)),
              std::vector<int8_t>({100, -56, 44, 43}));
  });
}

TEST(layer_norm_of_a_large_mean) {
  for_each_isa([] {
    for (double offset : {0.0, 1e4}) {
      for (int64_t n : {5, 129, 3000}) {
        Tensor x = random_tensor<float>({2, n}, 0, offset);
        Tensor w = random_tensor<float>({n}, 0, 1), b = random_tensor<float>({n}, 0, -1);
        std::vector<float> in = values_of<float>(x);
        std::vector<float> y = values_of<float>(ops::layer_norm(x, {n}, w, b));
        for (int64_t row = 0; row < 2; ++row) {
          double mean = 0, square = 0;
          for (int64_t i = 0; i < n; ++i) mean += in[size_t(row * n + i)] / double(n);
          for (int64_t i = 0; i < n; ++i) square += std::pow(in[size_t(row * n + i)] - mean, 2);
          double scale = 1 / std::sqrt(square / double(n) + 1e-5);
          for (int64_t i = 0; i < n; ++i) {
            double normal = (in[size_t(row * n + i)] - mean) * scale;
            double expected = normal * element<float>(w, i) + element<float>(b, i);
            double size = std::abs(normal * element<float>(w, i)) + std::abs(element<float>(b, i));
            EXPECT(std::abs(y[size_t(row * n + i)] - expected) <= 8 * 0x1p-23 * (size + 0.1));
          }
        }
      }
    }
  });
}

TEST(layer_norm_without_weight_or_bias_and_in_other_layouts) {
  for_each_isa([] {
    Tensor plain = ops::layer_norm(random_tensor<double>({4, 3, 50}, 0), {3, 50});
    for (int layout = 1; layout < kLayouts; ++layout) {
      Tensor x = random_tensor<double>({4, 3, 50}, layout);
      EXPECT(kernels::all_equal(ops::layer_norm(x, {3, 50}), plain));
    }
    Tensor same = tensor_of<float>({1, 4}, {7, 7, 7, 7});
    EXPECT_EQ(values_of<float>(ops::layer_norm(same, {4})), std::vector<float>(4, 0));
  });
}
