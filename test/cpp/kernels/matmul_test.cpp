#include <cmath>

#include "base/thread_pool.h"
#include "generated/ops/bmm.h"
#include "generated/ops/expand.h"
#include "generated/ops/mm.h"
#include "kernels/values.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

// self * mat2 element by element in W, whose low bits are those of the result.
template <class T, class W>
std::vector<T> naive(const Tensor& a, const Tensor& b) {
  int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  std::vector<T> out;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      W sum(0);
      for (int64_t p = 0; p < k; ++p) {
        sum += static_cast<W>(element<T>(a, i * k + p)) * static_cast<W>(element<T>(b, p * n + j));
      }
      out.push_back(static_cast<T>(sum));
    }
  }
  return out;
}

// Small integers: every sum is exact in every dtype.
template <class T, class W>
void expect_exact(std::mt19937& random, int64_t m, int64_t n, int64_t k) {
  for (int la = 0; la < kLayouts; ++la) {
    for (int lb = 0; lb < kLayouts; ++lb) {
      Tensor a = laid_out_values<T>({m, k}, la, small_integers<T>(random, m * k, -2, 2));
      Tensor b = laid_out_values<T>({k, n}, lb, small_integers<T>(random, k * n, -2, 2));
      std::vector<T> expected = naive<T, W>(a, b);
      std::vector<T> got = values_of<T>(ops::mm(a, b));
      bool equal = true;
      for (size_t i = 0; i < got.size(); ++i)
        equal = equal && static_cast<W>(got[i]) == static_cast<W>(expected[i]);
      EXPECT(equal);
    }
  }
}

template <class T, class W>
void expect_sizes(std::mt19937& random) {
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {2, 3, 4},
                         {7, 5, 33},
                         {1, 17, 40},
                         {40, 1, 9},
                         {33, 65, 31},
                         {3, 0, 2},
                         {2, 2, 0}}) {
    expect_exact<T, W>(random, m, n, k);
  }
}

// |error| <= (2 sqrt(k) + 4) eps (|a| |b|), element by element.
template <class T>
bool within_bound(const Tensor& a, const Tensor& b, const Tensor& got) {
  int64_t m = a.size(0), k = a.size(1), n = b.size(1);
  double eps = std::is_same_v<T, float> ? 0x1p-23 : 0x1p-52;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      long double sum = 0, size = 0;
      for (int64_t p = 0; p < k; ++p) {
        long double product = (long double)element<T>(a, i * k + p) * element<T>(b, p * n + j);
        sum += product;
        size += std::abs(product);
      }
      double bound = (2 * std::sqrt(static_cast<double>(k)) + 4) * eps * static_cast<double>(size);
      if (!(std::abs(static_cast<double>(element<T>(got, i * n + j) - sum)) <= bound)) return false;
    }
  }
  return true;
}

}  // namespace

TEST(mm_is_exact_on_small_integers_in_every_layout) {
  std::mt19937 random(5);
  expect_sizes<uint8_t, int64_t>(random);
  expect_sizes<int8_t, int64_t>(random);
  expect_sizes<int32_t, int64_t>(random);
  expect_sizes<int64_t, int64_t>(random);
  expect_sizes<Half, float>(random);
  expect_sizes<BFloat16, float>(random);
  expect_sizes<float, double>(random);
  expect_sizes<double, double>(random);
  expect_sizes<std::complex<float>, std::complex<double>>(random);
  expect_sizes<std::complex<double>, std::complex<double>>(random);
}

TEST(integer_products_wrap) {
  Tensor a = tensor_of<int8_t>({1, 3}, {100, 100, 100}),
         ones = tensor_of<int8_t>({3, 1}, {1, 1, 1});
  EXPECT_EQ(element<int8_t>(ops::mm(a, ones), 0), 44);
  Tensor big = tensor_of<int64_t>({1, 1}, {INT64_MAX}), two = tensor_of<int64_t>({1, 1}, {2});
  EXPECT_EQ(element<int64_t>(ops::mm(big, two), 0), -2);
}

TEST(mm_keeps_the_error_bound) {
  std::mt19937 random(6);
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{64, 64, 64}, {130, 70, 300}, {1, 300, 500}, {200, 3, 257}}) {
    Tensor a = tensor_of<float>({m, k}, normal_values<float>(random, m * k));
    Tensor b = tensor_of<float>({k, n}, normal_values<float>(random, k * n));
    EXPECT(within_bound<float>(a, b, ops::mm(a, b)));
    Tensor c = tensor_of<double>({m, k}, normal_values<double>(random, m * k));
    Tensor d = tensor_of<double>({k, n}, normal_values<double>(random, k * n));
    EXPECT(within_bound<double>(c, d, ops::mm(c, d)));
  }
}

TEST(float16_sums_are_kept_in_float32) {
  int64_t k = 4096;
  Tensor row = ops::expand(tensor_of<Half>({1, 1}, {Half(1.f)}), {1, k});
  EXPECT_EQ(static_cast<float>(element<Half>(
                ops::mm(row, ops::expand(tensor_of<Half>({1, 1}, {Half(1.f)}), {k, 1})), 0)),
            4096.f);
}

TEST(mm_writes_outputs_of_any_strides_and_never_reads_them) {
  std::mt19937 random(7);
  for (int64_t n : {3, 40}) {
    Tensor a = tensor_of<float>({n, n}, small_integers<float>(random, n * n));
    Tensor b = tensor_of<float>({n, n}, small_integers<float>(random, n * n));
    for (int layout = 0; layout < kLayouts; ++layout) {
      Tensor out = laid_out_values<float>({n, n}, layout,
                                          std::vector<float>(static_cast<size_t>(n * n), NAN));
      ops::mm_out(out, a, b);
      EXPECT(values_of<float>(out) == (naive<float, double>(a, b)));
    }
  }
}

TEST(mm_propagates_nan_and_infinity) {
  for (int64_t n : {2, 20}) {
    Tensor a = tensor_of<float>({n, n}, std::vector<float>(static_cast<size_t>(n * n), 0));
    Tensor b = tensor_of<float>({n, n}, std::vector<float>(static_cast<size_t>(n * n), 1));
    element<float>(b, 0) = NAN;
    element<float>(b, 1) = INFINITY;
    Tensor out = ops::mm(a, b);
    EXPECT(std::isnan(element<float>(out, 0)) && std::isnan(element<float>(out, 1)));
    if (n > 2) EXPECT_EQ(element<float>(out, n - 1), 0.f);
  }
}

TEST(an_empty_sum_is_zero) {
  Tensor out = ops::mm(empty_tensor({2, 0}, DType::Float32, DeviceKind::CPU),
                       empty_tensor({0, 3}, DType::Float32, DeviceKind::CPU));
  EXPECT(values_of<float>(out) == std::vector<float>(6, 0.f));
}

TEST(bmm_multiplies_each_matrix_of_the_batch) {
  std::mt19937 random(8);
  for (int64_t n : {3, 24}) {
    int64_t count = 5;
    Tensor a =
        laid_out_values<float>({count, n, 4}, 1, small_integers<float>(random, count * n * 4));
    Tensor b =
        laid_out_values<float>({count, 4, n}, 2, small_integers<float>(random, count * n * 4));
    Tensor out = ops::bmm(a, b);
    for (int64_t i = 0; i < count; ++i) {
      auto part = [&](const Tensor& t) {
        return view_of(t, t.sizes().slice(1, 2), t.strides().slice(1, 2),
                       t.storage_offset() + i * t.stride(0));
      };
      EXPECT(values_of<float>(part(out)) == (naive<float, double>(part(a), part(b))));
    }
  }
}

TEST(mm_does_not_depend_on_the_number_of_threads) {
  std::mt19937 random(9);
  Tensor a = tensor_of<float>({300, 200}, normal_values<float>(random, 300 * 200));
  Tensor b = tensor_of<float>({200, 310}, normal_values<float>(random, 200 * 310));
  int before = num_threads();
  set_num_threads(1);
  std::vector<float> one = values_of<float>(ops::mm(a, b));
  set_num_threads(4);
  EXPECT(values_of<float>(ops::mm(a, b)) == one);
  set_num_threads(before);
}

TEST(mm_refuses_shapes_and_dtypes_that_do_not_belong_together) {
  auto of = [](IntArrayRef sizes, DType t) { return empty_tensor(sizes, t, DeviceKind::CPU); };
  DType f = DType::Float32;
  EXPECT_THROWS(ops::mm(of({2, 3}, f), of({2, 3}, f)), Error, "inner sizes must agree");
  EXPECT_THROWS(ops::mm(of({2}, f), of({2, 3}, f)), Error, "mm: ");
  EXPECT_THROWS(ops::mm(of({2, 3}, f), of({3, 2}, DType::Float64)), Error, "mm: ");
  EXPECT_THROWS(ops::mm(of({2, 3}, DType::Bool), of({3, 2}, DType::Bool)), Error, "mm: ");
  EXPECT_THROWS(ops::bmm(of({1, 2, 3}, f), of({2, 3, 2}, f)), Error, "batch sizes must agree");
}
