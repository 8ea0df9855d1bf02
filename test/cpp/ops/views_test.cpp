#include "generated/ops/as_strided.h"
#include "generated/ops/detach.h"
#include "generated/ops/expand.h"
#include "generated/ops/permute.h"
#include "generated/ops/select.h"
#include "generated/ops/slice.h"
#include "generated/ops/squeeze.h"
#include "generated/ops/t.h"
#include "generated/ops/transpose.h"
#include "generated/ops/unsqueeze.h"
#include "generated/ops/view.h"
#include "kernels/values.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

// 0, 1, 2, ... in row-major order: a view's values are then positions in `self`.
Tensor counting(IntArrayRef sizes) {
  Tensor t = empty_tensor(sizes, DType::Int64, DeviceKind::CPU);
  for (int64_t i = 0; i < t.numel(); ++i) element<int64_t>(t, i) = i;
  return t;
}

using Values = std::vector<int64_t>;

void expect_view(const Tensor& view, const Tensor& base, IntArrayRef sizes, IntArrayRef strides,
                 int64_t offset) {
  EXPECT(view.sizes() == sizes);
  EXPECT(view.strides() == strides);
  EXPECT_EQ(view.storage_offset(), offset);
  EXPECT(view->storage() == base->storage());
}

ErrorKind kind_of(void (*body)()) {
  try {
    body();
  } catch (const Error& e) {
    return e.kind();
  }
  return ErrorKind::kInternal;
}

}  // namespace

TEST(view_infers_one_size_and_keeps_the_order) {
  Tensor x = counting({2, 3, 4});
  expect_view(ops::view(x, {4, -1}), x, {4, 6}, {6, 1}, 0);
  Tensor scalar = counting({});
  expect_view(ops::view(scalar, {1, 1}), scalar, {1, 1}, {1, 1}, 0);
}

TEST(view_refuses_wrong_sizes) {
  Tensor x = counting({2, 3, 4});
  EXPECT_THROWS(ops::view(x, {5, 5}), Error, "view: ");
  EXPECT_THROWS(ops::view(x, {-1, -1}), Error, "view: ");
  EXPECT_THROWS(ops::view(x, {-2, 12}), Error, "view: ");
  EXPECT_THROWS(ops::view(counting({0}), {0, -1}), Error, "view: ");
  EXPECT_THROWS(ops::view(x, {int64_t(1) << 40, int64_t(1) << 40}), Error, "view: ");
  EXPECT_THROWS(ops::view(ops::transpose(x, 0, 1), {24}), Error, "use reshape");
}

TEST(view_merges_only_what_lies_together) {
  Tensor x = ops::transpose(counting({2, 3, 4}), 0, 1);  // sizes [3, 2, 4], strides [4, 12, 1]
  expect_view(ops::view(x, {3, 2, 2, 2}), x, {3, 2, 2, 2}, {4, 12, 2, 1}, 0);
  EXPECT_THROWS(ops::view(x, {6, 4}), Error, "strides");
}

TEST(transpose_and_t_swap_dimensions) {
  Tensor x = counting({2, 3, 4});
  expect_view(ops::transpose(x, 0, -1), x, {4, 3, 2}, {1, 4, 12}, 0);
  expect_view(ops::transpose(x, 1, 1), x, {2, 3, 4}, {12, 4, 1}, 0);
  expect_view(ops::t(ops::select(x, 0, 1)), x, {4, 3}, {1, 4}, 12);
  Tensor scalar = counting({});
  expect_view(ops::transpose(scalar, 0, -1), scalar, {}, {}, 0);
  EXPECT_THROWS(ops::t(x), Error, "t: expected a tensor of at most 2 dimensions; got 3");
}

TEST(a_dimension_out_of_range_is_an_index_error) {
  EXPECT(kind_of([] { ops::transpose(counting({2, 3}), 0, 2); }) == ErrorKind::kIndex);
  EXPECT(kind_of([] { ops::select(counting({2, 3}), -3, 0); }) == ErrorKind::kIndex);
  EXPECT(kind_of([] { ops::squeeze(counting({2, 3}), 2); }) == ErrorKind::kIndex);
  EXPECT(kind_of([] { ops::unsqueeze(counting({2, 3}), 3); }) == ErrorKind::kIndex);
  EXPECT(kind_of([] { ops::permute(counting({2, 3}), {0, 5}); }) == ErrorKind::kIndex);
  EXPECT(kind_of([] { ops::slice(counting({}), 0); }) == ErrorKind::kIndex);
}

TEST(permute_wants_every_dimension_once) {
  Tensor x = counting({2, 3, 4});
  expect_view(ops::permute(x, {2, 0, -2}), x, {4, 2, 3}, {1, 12, 4}, 0);
  EXPECT_THROWS(ops::permute(x, {0, 1}), Error, "permute: every dimension must be named once");
  EXPECT_THROWS(ops::permute(x, {0, 1, -2}), Error, "got dimension 1 twice");
}

TEST(expand_repeats_by_stride_zero) {
  Tensor x = counting({3, 1});
  expect_view(ops::expand(x, {2, 3, 4}), x, {2, 3, 4}, {0, 1, 0}, 0);
  expect_view(ops::expand(x, {-1, 1}), x, {3, 1}, {1, 1}, 0);
  Tensor row = counting({3});
  expect_view(ops::expand(row, {1, 3}), row, {1, 3}, {3, 1}, 0);
  EXPECT_EQ(ops::expand(counting({1}), {0}).numel(), 0);
  EXPECT_THROWS(ops::expand(x, {4, 4}), Error, "differ at dimension 0");
  EXPECT_THROWS(ops::expand(x, {3}), Error, "a size for every dimension");
  EXPECT_THROWS(ops::expand(x, {-1, 3, 1}), Error, "a leading size");
  EXPECT_THROWS(ops::expand(x, {3, -2}), Error, "expand: ");
  EXPECT_THROWS(ops::expand(counting({1}), {int64_t(1) << 32, int64_t(1) << 32}), Error,
                "expand: ");
}

TEST(expand_compares_a_dimension_of_any_number) {
  DimVector sizes(40000, 1);
  sizes.back() = 2;
  Tensor x = view_of(counting({2}), sizes, contiguous_strides(sizes), 0);
  EXPECT_EQ(ops::expand(x, sizes).numel(), 2);
  sizes.back() = 3;
  EXPECT_THROWS(ops::expand(x, sizes), Error, "differ at dimension 39999");
}

TEST(select_takes_one_position) {
  Tensor x = counting({2, 3, 4});
  expect_view(ops::select(x, 1, -1), x, {2, 4}, {12, 1}, 8);
  EXPECT(values_of<int64_t>(ops::select(x, -1, 2)) == Values({2, 6, 10, 14, 18, 22}));
  EXPECT_THROWS(ops::select(x, 0, 2), Error, "select: index 2 is out of range for dimension 0");
  EXPECT_THROWS(ops::select(x, 0, -3), Error, "of size 2");
  EXPECT_THROWS(ops::select(x, 0, INT64_MIN), Error, "select: index");
  EXPECT_THROWS(ops::select(counting({}), 0, 0), Error, "item()");
}

TEST(slice_clamps_as_python_does) {
  Tensor x = counting({7});
  auto cut = [&](std::optional<int64_t> a, std::optional<int64_t> b, int64_t step) {
    return values_of<int64_t>(ops::slice(x, 0, a, b, step));
  };
  EXPECT(cut(2, 5, 1) == Values({2, 3, 4}));
  EXPECT(cut(-3, std::nullopt, 2) == Values({4, 6}));
  EXPECT(cut(-100, 100, 3) == Values({0, 3, 6}));
  EXPECT(cut(INT64_MIN, INT64_MAX, INT64_MAX) == Values({0}));
  EXPECT(cut(5, 2, 1).empty());
  EXPECT_EQ(ops::slice(x, 0, 100, std::nullopt, 1).storage_offset(), 7);
  EXPECT_THROWS(ops::slice(x, 0, 0, 1, 0), Error, "step must be greater than zero; got 0");
  EXPECT(kind_of([] { ops::slice(counting({2}), 0, 0, 1, -1); }) == ErrorKind::kValue);
}

TEST(squeeze_and_unsqueeze_move_no_element) {
  Tensor x = counting({2, 1, 3});
  expect_view(ops::squeeze(x, 1), x, {2, 3}, {3, 1}, 0);
  expect_view(ops::squeeze(x, 0), x, {2, 1, 3}, {3, 3, 1}, 0);
  expect_view(ops::unsqueeze(x, -1), x, {2, 1, 3, 1}, {3, 3, 1, 1}, 0);
  expect_view(ops::unsqueeze(x, 0), x, {1, 2, 1, 3}, {6, 3, 3, 1}, 0);
  Tensor scalar = counting({});
  expect_view(ops::squeeze(scalar, -1), scalar, {}, {}, 0);
  expect_view(ops::unsqueeze(scalar, 0), scalar, {1}, {1}, 0);
}

TEST(as_strided_stays_inside_the_storage) {
  Tensor x = counting({2, 3, 4});
  expect_view(ops::as_strided(x, {2, 2}, {1, 1}, 21), x, {2, 2}, {1, 1}, 21);
  Tensor tail = ops::select(x, 0, 1);
  expect_view(ops::as_strided(tail, {2}, {3}), x, {2}, {3}, 12);
}

TEST(as_strided_refuses_what_lies_outside) {
  Tensor x = counting({2, 3, 4});
  EXPECT_THROWS(ops::as_strided(x, {2}, {1}, 23), Error, "but it has 192");
  EXPECT_THROWS(ops::as_strided(x, {25}, {1}), Error, "must lie in the storage");
  EXPECT_THROWS(ops::as_strided(x, {2}, {1, 2}), Error, "the same length");
  EXPECT_THROWS(ops::as_strided(x, {2}, {-1}), Error, "must not be negative");
  EXPECT_THROWS(ops::as_strided(x, {-2}, {1}), Error, "must not be negative");
  EXPECT_THROWS(ops::as_strided(x, {2}, {1}, -1), Error, "storage_offset");
  int64_t huge = int64_t(1) << 62;
  EXPECT_THROWS(ops::as_strided(x, {huge}, {huge}), Error, "as_strided: ");
  EXPECT_EQ(ops::as_strided(x, {0}, {1}, 1000).numel(), 0);
}

TEST(views_of_an_empty_tensor_with_wild_strides_do_not_overflow) {
  int64_t huge = int64_t(1) << 62;
  Tensor x = ops::as_strided(counting({4}), {0, 3}, {1, huge}, 0);
  EXPECT_EQ(ops::unsqueeze(x, 1).numel(), 0);
  EXPECT_EQ(ops::slice(x, 1, 1, 2, 4).numel(), 0);
  EXPECT_THROWS(ops::select(x, 1, 2), Error, "the offset of the result must fit");
}

TEST(a_view_shares_version_and_writes) {
  Tensor x = counting({4});
  Tensor alias = ops::detach(x);
  EXPECT(!alias.is_same(x));
  element<int64_t>(alias, 2) = 40;
  EXPECT_EQ(element<int64_t>(x, 2), 40);
  alias->bump_version();
  EXPECT_EQ(x->version(), alias->version());
}
