#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "generated/ops/sort.h"
#include "kernels/values.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

bool is_nan(double v) { return std::isnan(v); }

// The documented order: NaN is the largest value, -0 and 0 are equal.
bool less(double a, double b) { return is_nan(b) ? !is_nan(a) : a < b; }

template <class T>
std::vector<int64_t> expected_order(const std::vector<T>& values, bool descending) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    double a = static_cast<double>(values[static_cast<size_t>(i)]);
    double b = static_cast<double>(values[static_cast<size_t>(j)]);
    return descending ? less(b, a) : less(a, b);
  });
  return order;
}

// Bits of a value, so that -0 and the payload of a NaN count.
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
void expect_sorted(const Tensor& self, int64_t dim, bool descending) {
  auto [values, indices] = ops::sort(self, dim, descending);
  int64_t length = self.dim() == 0 ? 1 : self.size(dim),
          lines = self.numel() / std::max<int64_t>(1, length);
  int64_t after = 1;
  for (int64_t d = dim + 1; dim >= 0 && d < self.dim(); ++d) after *= self.size(d);
  for (int64_t line = 0; line < lines; ++line) {
    int64_t first = line / after * after * length + line % after;
    std::vector<T> row;
    for (int64_t i = 0; i < length; ++i) row.push_back(element<T>(self, first + i * after));
    std::vector<int64_t> order = expected_order(row, descending);
    for (int64_t i = 0; i < length; ++i) {
      EXPECT_EQ(element<int64_t>(indices, first + i * after), order[static_cast<size_t>(i)]);
      T expected = row[static_cast<size_t>(order[static_cast<size_t>(i)])];
      EXPECT(same_bits(element<T>(values, first + i * after), expected));
    }
  }
}

template <class T>
void expect_sorts(std::mt19937& random) {
  for (int64_t n : {0, 1, 2, 31, 256, 257, 1025}) {
    for (bool descending : {false, true}) {
      expect_sorted<T>(tensor_of<T>({n}, small_integers<T>(random, n)), 0, descending);
      expect_sorted<T>(tensor_of<T>({n}, normal_values<T>(random, n)), 0, descending);
    }
  }
  for (int layout = 0; layout < kLayouts; ++layout) {
    Tensor t = laid_out_values<T>({5, 7, 3}, layout, small_integers<T>(random, 105));
    for (int64_t dim = 0; dim < 3; ++dim) expect_sorted<T>(t, dim, dim == 1);
  }
}

template <class T>
std::vector<T> specials() {
  T nan = static_cast<T>(std::nanf("")), inf = static_cast<T>(INFINITY);
  return {static_cast<T>(0.f),
          nan,
          static_cast<T>(-0.f),
          static_cast<T>(1.f),
          static_cast<T>(-INFINITY),
          static_cast<T>(-nan),
          inf,
          static_cast<T>(-1.f),
          nan,
          static_cast<T>(0.f)};
}

}  // namespace

TEST(sort_is_stable_for_every_dtype_length_and_layout) {
  std::mt19937 random(1);
  expect_sorts<uint8_t>(random);
  expect_sorts<int8_t>(random);
  expect_sorts<int16_t>(random);
  expect_sorts<int32_t>(random);
  expect_sorts<int64_t>(random);
  expect_sorts<Half>(random);
  expect_sorts<BFloat16>(random);
  expect_sorts<float>(random);
  expect_sorts<double>(random);
}

TEST(sort_puts_nan_last_and_takes_zeros_as_equal) {
  for (bool descending : {false, true}) {
    expect_sorted<float>(tensor_of<float>({10}, specials<float>()), 0, descending);
    expect_sorted<double>(tensor_of<double>({10}, specials<double>()), 0, descending);
    expect_sorted<Half>(tensor_of<Half>({10}, specials<Half>()), 0, descending);
    expect_sorted<BFloat16>(tensor_of<BFloat16>({10}, specials<BFloat16>()), 0, descending);
  }
}

TEST(sort_knows_a_nan_of_the_smallest_payload) {
  const auto halves = [](std::initializer_list<int> bits) {
    std::vector<Half> out;
    for (int b : bits) out.push_back(Half::from_bits(static_cast<uint16_t>(b)));
    return tensor_of<Half>({static_cast<int64_t>(bits.size())}, out);
  };
  // 1, NaN with a sign, -inf, NaN, inf
  Tensor x = halves({0x3c00, 0xfc01, 0xfc00, 0x7c01, 0x7c00});
  EXPECT(values_of<int64_t>(std::get<1>(ops::sort(x))) == std::vector<int64_t>({2, 0, 4, 1, 3}));
  expect_sorted<Half>(x, 0, false);
  expect_sorted<Half>(x, 0, true);
}

TEST(sort_of_extremes_and_bools) {
  expect_sorted<int64_t>(tensor_of<int64_t>({5}, {INT64_MAX, INT64_MIN, 0, -1, INT64_MIN}), 0,
                         false);
  expect_sorted<int64_t>(tensor_of<int64_t>({5}, {INT64_MAX, INT64_MIN, 0, -1, INT64_MIN}), 0,
                         true);
  expect_sorted<bool>(tensor_of<bool>({4}, {true, false, true, false}), 0, false);
  expect_sorted<bool>(tensor_of<bool>({4}, {true, false, true, false}), 0, true);
}

TEST(sort_of_a_scalar_and_of_nothing) {
  auto [value, index] = ops::sort(tensor_of<float>({}, {3.f}));
  EXPECT_EQ(element<float>(value, 0), 3.f);
  EXPECT_EQ(element<int64_t>(index, 0), 0);
  EXPECT_EQ(
      std::get<0>(ops::sort(empty_tensor({3, 0}, DType::Float32, DeviceKind::CPU), 0)).numel(), 0);
  EXPECT_THROWS(ops::sort(tensor_of<float>({}, {3.f}), 1), Error, "sort: ");
}

TEST(sort_of_many_lines_does_not_depend_on_the_threads) {
  std::mt19937 random(2);
  Tensor t = tensor_of<float>({300, 301}, normal_values<float>(random, 300 * 301));
  expect_sorted<float>(t, 0, false);
  expect_sorted<float>(t, 1, true);
}
