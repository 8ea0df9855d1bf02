#include "generated/ops/cat.h"
#include "generated/ops/expand.h"
#include "generated/ops/gather.h"
#include "generated/ops/index.h"
#include "generated/ops/index_put.h"
#include "generated/ops/index_select.h"
#include "generated/ops/masked_fill.h"
#include "generated/ops/nonzero.h"
#include "kernels/values.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

using Ints = std::vector<int64_t>;

Tensor counting(IntArrayRef sizes, int layout = 0) {
  Tensor t = laid_out(sizes, DType::Int64, layout);
  for (int64_t i = 0; i < t.numel(); ++i) element<int64_t>(t, i) = i;
  return t;
}

Tensor ints(const Ints& values) {
  return tensor_of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

Tensor mask(IntArrayRef sizes, const std::vector<bool>& values) {
  return tensor_of<bool>(sizes, values);
}

Tensor at(const Tensor& self, const std::vector<Tensor>& indices) {
  return ops::index(self, indices);
}

void expect(const Tensor& got, IntArrayRef sizes, const Ints& values) {
  EXPECT(got.sizes() == sizes);
  EXPECT(values_of<int64_t>(got) == values);
}

const Tensor kAll;  // a full slice

}  // namespace

TEST(index_dimensions_stay_in_place_when_adjacent) {
  Tensor x = counting({2, 3, 4});
  expect(at(x, {ints({1, -2})}), {2, 3, 4},
         {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expect(at(x, {kAll, ints({2}), ints({0, 3})}), {2, 2}, {8, 11, 20, 23});
  expect(at(x, {kAll, kAll, ints({3, 0})}), {2, 3, 2}, {3, 0, 7, 4, 11, 8, 15, 12, 19, 16, 23, 20});
}

TEST(index_dimensions_go_to_the_front_when_apart) {
  Tensor x = counting({2, 3, 4});
  expect(at(x, {ints({1, 0}), kAll, ints({3, 0})}), {2, 3}, {15, 19, 23, 0, 4, 8});
}

TEST(indices_broadcast_together) {
  Tensor x = counting({3, 4});
  Tensor rows = tensor_of<int64_t>({2, 1}, {0, 2});
  expect(at(x, {rows, ints({1, 3})}), {2, 2}, {1, 3, 9, 11});
  EXPECT_THROWS(at(x, {ints({0, 1}), ints({0, 1, 2})}), Error, "got shapes [2] and [3]");
}

TEST(index_reads_every_layout_alike) {
  Tensor plain = counting({3, 4, 5});
  for (int layout = 0; layout < kLayouts; ++layout) {
    Tensor x = counting({3, 4, 5}, layout);
    for (const std::vector<Tensor>& indices : {std::vector<Tensor>{ints({2, 0, 2})},
                                               {kAll, ints({1, 1})},
                                               {ints({0, 1}), kAll, ints({4, 2})},
                                               {ints({0, 2}), ints({1, 3}), ints({4, 0})}}) {
      EXPECT(values_of<int64_t>(at(x, indices)) == values_of<int64_t>(at(plain, indices)));
    }
  }
}

TEST(index_tensors_may_have_any_layout_and_int32) {
  Tensor x = counting({10});
  Tensor strided = laid_out_values<int32_t>({2, 2}, 2, {7, -1, 0, 3});
  expect(at(x, {strided}), {2, 2}, {7, 9, 0, 3});
}

TEST(masks_count_as_their_coordinates) {
  Tensor x = counting({2, 3});
  expect(at(x, {mask({2, 3}, {true, false, true, false, true, false})}), {3}, {0, 2, 4});
  expect(at(x, {kAll, mask({3}, {false, true, true})}), {2, 2}, {1, 2, 4, 5});
  expect(at(x, {tensor_of<uint8_t>({2}, {0, 1})}), {1, 3}, {3, 4, 5});
  expect(at(x, {mask({}, {true})}), {1, 2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(at(x, {mask({}, {false})}).numel(), 0);
  EXPECT_THROWS(at(x, {mask({3}, {true, true, true})}), Error, "differ at dimension 0");
}

TEST(a_mask_over_a_meta_tensor_is_refused) {
  // The shape depends on values that are not there.
  Tensor x = empty_tensor({3, 4}, DType::Float32, DeviceKind::Meta);
  Tensor without_values = empty_tensor({3}, DType::Bool, DeviceKind::Meta);
  EXPECT_THROWS(at(x, {without_values}), Error, "index: the shape of the result depends");
  EXPECT(at(x, {empty_tensor({5}, DType::Int64, DeviceKind::Meta)}).sizes() == IntArrayRef({5, 4}));
}

TEST(index_refuses_before_reading) {
  Tensor x = counting({2, 3});
  EXPECT_THROWS(at(x, {ints({0, 2})}), Error, "index 2 is out of range for dimension 0 of size 2");
  EXPECT_THROWS(at(x, {kAll, ints({-4})}), Error, "index -4 is out of range for dimension 1");
  EXPECT_THROWS(at(x, {ints({INT64_MIN})}), Error, "out of range");
  EXPECT_THROWS(at(x, {kAll, kAll, ints({0})}), Error, "too many indices");
  EXPECT_THROWS(at(x, {tensor_of<float>({1}, {0.f})}), Error,
                "must be int64, int32, bool or uint8");
  Tensor empty = counting({3, 0});
  EXPECT_THROWS(at(empty, {ints({5})}), Error, "out of range");
  EXPECT_EQ(at(empty, {ints({2, 1})}).numel(), 0);
}

TEST(index_put_writes_and_the_last_one_stays) {
  Tensor x = tensor_of<int64_t>({4}, {0, 0, 0, 0});
  ops::index_put_(x, std::vector<Tensor>{ints({1, 3, 1})}, ints({5, 6, 7}));
  expect(x, {4}, {0, 7, 0, 6});
  Tensor y = counting({2, 3}, 1);
  ops::index_put_(y, std::vector<Tensor>{kAll, ints({0, 2})}, ints({-1, -2}));
  expect(y, {2, 3}, {-1, 1, -2, -1, 4, -2});
}

TEST(index_put_accumulates_duplicates) {
  Tensor x = counting({3});
  std::vector<Tensor> twice{ints({0, 0, 2})};
  expect(ops::index_put(x, twice, ints({10, 20, 30}), true), {3}, {30, 1, 32});
  Tensor flags = mask({2}, {false, false});
  ops::index_put_(flags, std::vector<Tensor>{ints({1, 1})}, mask({2}, {true, false}), true);
  EXPECT(values_of<bool>(flags) == std::vector<bool>({false, true}));
  expect(x, {3}, {0, 1, 2});
}

TEST(index_put_behind_a_full_slice_goes_row_by_row) {
  // Values broadcast along the index's last dimension: its positions are not one line.
  Tensor places = tensor_of<int64_t>({2, 3}, {6, 0, 2, 5, 1, 3});
  Tensor values = tensor_of<int64_t>({2, 2, 1}, {-1, -2, -3, -4});
  expect(ops::index_put(counting({2, 7}), std::vector<Tensor>{kAll, places}, values), {2, 7},
         {-1, -2, -1, -2, 4, -2, -1, -3, -4, -3, -4, 11, -4, -3});
  // Two elements to a place.
  Tensor pairs = tensor_of<int64_t>({2, 2, 2}, {-1, -2, -3, -4, -5, -6, -7, -8});
  expect(ops::index_put(counting({2, 3, 2}), std::vector<Tensor>{kAll, ints({2, 0})}, pairs),
         {2, 3, 2}, {-3, -4, 2, 3, -1, -2, -7, -8, 8, 9, -5, -6});
}

TEST(index_put_adds_once_behind_a_full_slice) {
  Tensor values = tensor_of<int64_t>({2, 3}, {10, 20, 30, 40, 50, 60});
  expect(ops::index_put(counting({2, 3}), std::vector<Tensor>{kAll, ints({2, 0, 1})}, values, true),
         {2, 3}, {20, 31, 12, 53, 64, 45});
}

TEST(index_put_sums_narrow_floats_in_float32) {
  int64_t n = 5000;
  Tensor x = tensor_of<Half>({1}, {Half(0.f)});
  Tensor zeros = tensor_of<int64_t>({n}, Ints(static_cast<size_t>(n), 0));
  Tensor ones = ops::expand(tensor_of<Half>({1}, {Half(1.f)}), {n});
  ops::index_put_(x, std::vector<Tensor>{zeros}, ones, true);
  EXPECT_EQ(static_cast<float>(element<Half>(x, 0)), 5000.f);
}

TEST(a_refused_index_put_has_written_nothing) {
  Tensor x = counting({3});
  EXPECT_THROWS(ops::index_put_(x, std::vector<Tensor>{ints({0, 3})}, ints({7, 7})), Error,
                "index_put");
  EXPECT_THROWS(ops::index_put_(x, std::vector<Tensor>{ints({0})}, tensor_of<float>({1}, {7.f})),
                Error, "self's dtype");
  EXPECT_THROWS(ops::index_put_(x, std::vector<Tensor>{ints({0, 1})}, ints({7, 8, 9})), Error,
                "must broadcast");
  expect(x, {3}, {0, 1, 2});
}

TEST(large_writes_do_not_depend_on_how_they_are_split) {
  std::mt19937 random(3);
  int64_t rows = 50, columns = 3000, n = 400;
  Tensor x =
      tensor_of<float>({rows, columns}, std::vector<float>(static_cast<size_t>(rows * columns), 0));
  Ints where;
  for (int64_t i = 0; i < n; ++i) where.push_back(static_cast<int64_t>(random() % 50));
  Tensor values = tensor_of<float>({n, columns}, small_integers<float>(random, n * columns));
  ops::index_put_(x, std::vector<Tensor>{ints(where)}, values, true);
  for (int64_t j = 0; j < columns; j += 501) {
    std::vector<float> sums(50, 0);
    for (int64_t i = 0; i < n; ++i)
      sums[static_cast<size_t>(where[static_cast<size_t>(i)])] +=
          element<float>(values, i * columns + j);
    for (int64_t r = 0; r < rows; ++r)
      EXPECT_EQ(element<float>(x, r * columns + j), sums[static_cast<size_t>(r)]);
  }
}

TEST(index_select_and_gather_follow_the_index) {
  for (int layout = 0; layout < kLayouts; ++layout) {
    Tensor x = counting({2, 3}, layout);
    expect(ops::index_select(x, 1, ints({2, 0, 0})), {2, 3}, {2, 0, 0, 5, 3, 3});
    expect(ops::gather(x, 0, tensor_of<int64_t>({3, 2}, {1, 0, 0, 1, 1, 1})), {3, 2},
           {3, 1, 0, 4, 3, 4});
    expect(ops::gather(x, -1, tensor_of<int32_t>({1, 2}, {2, 1})), {1, 2}, {2, 1});
  }
}

TEST(index_select_and_gather_refuse_what_is_out_of_range) {
  Tensor x = counting({2, 3});
  EXPECT_THROWS(ops::index_select(x, 0, ints({2})), Error, "index_select: index 2 is out of range");
  EXPECT_THROWS(ops::index_select(x, 0, ints({-1})), Error, "index -1 is out of range");
  EXPECT_THROWS(ops::gather(x, 1, tensor_of<int64_t>({1, 1}, {3})), Error, "gather: index 3");
  EXPECT_THROWS(ops::gather(x, 1, tensor_of<float>({1, 1}, {0.f})), Error,
                "must be int32 or int64");
}

TEST(masked_fill_writes_under_the_mask_only) {
  Tensor x = counting({2, 3}, 2);
  ops::masked_fill_(x, mask({3}, {true, false, true}), 9);
  expect(x, {2, 3}, {9, 1, 9, 9, 4, 9});
  Tensor wider = ops::masked_fill(counting({2}), mask({2, 2}, {true, false, false, true}), -1);
  expect(wider, {2, 2}, {-1, 1, 0, -1});
}

TEST(masked_fill_refuses_masks_and_values_that_do_not_fit) {
  Tensor x = counting({2});
  EXPECT_THROWS(ops::masked_fill_(x, ints({1, 0}), 1), Error,
                "mask must be a bool tensor; got int64");
  Tensor bytes = tensor_of<uint8_t>({2}, {1, 2});
  EXPECT_THROWS(ops::masked_fill_(bytes, mask({2}, {true, true}), 300), Error,
                "representable in uint8");
  EXPECT_THROWS(ops::masked_fill_(view_of(x, {3}, {0}, 0), mask({3}, {true, true, true}), 1), Error,
                "masked_fill");
}

TEST(nonzero_lists_coordinates_in_order) {
  Tensor x = laid_out_values<float>({2, 2}, 1, {0.f, NAN, -0.f, 3.f});
  expect(ops::nonzero(x), {2, 2}, {0, 1, 1, 1});
  EXPECT(ops::nonzero(tensor_of<float>({}, {3.f})).sizes() == IntArrayRef({1, 0}));
  EXPECT(ops::nonzero(tensor_of<float>({}, {0.f})).sizes() == IntArrayRef({0, 0}));
  EXPECT(ops::nonzero(counting({0, 3})).sizes() == IntArrayRef({0, 2}));
  EXPECT_EQ(ops::nonzero(tensor_of<Half>({2}, {Half(-0.f), Half(6e-8f)})).size(0), 1);
}

TEST(nonzero_of_eight_bits_takes_minus_zero_as_zero) {
  const auto expect_last_two = [](auto type) {
    using T = decltype(type);
    Tensor x = tensor_of<T>(
        {4}, {T::from_bits(0x00), T::from_bits(0x80), T::from_bits(0x38), T::from_bits(0xb8)});
    expect(ops::nonzero(x), {2, 1}, {2, 3});
  };
  expect_last_two(Float8E4M3FN());
  expect_last_two(Float8E5M2());
}

TEST(cat_lays_end_to_end_and_promotes) {
  std::vector<Tensor> parts{counting({2, 1}, 1), counting({2, 2})};
  expect(ops::cat(parts, 1), {2, 3}, {0, 0, 1, 1, 2, 3});
  std::vector<Tensor> with_empty{counting({0}), counting({1, 2})};
  expect(ops::cat(with_empty, 1), {1, 2}, {0, 1});
  std::vector<Tensor> mixed{ints({1}), tensor_of<float>({1}, {1.5f})};
  EXPECT(values_of<float>(ops::cat(mixed)) == std::vector<float>({1.f, 1.5f}));
}
