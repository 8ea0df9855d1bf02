#include <bit>

#include "generated/ops/_local_scalar_dense.h"
#include "generated/ops/_to_copy.h"
#include "generated/ops/arange.h"
#include "generated/ops/clone.h"
#include "generated/ops/contiguous.h"
#include "generated/ops/copy_.h"
#include "generated/ops/empty.h"
#include "generated/ops/empty_like.h"
#include "generated/ops/empty_strided.h"
#include "generated/ops/fill_.h"
#include "generated/ops/to.h"
#include "kernels/values.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

Tensor permuted(IntArrayRef sizes, IntArrayRef strides) {
  return ops::empty_strided(sizes, strides, DType::Float32);
}

Tensor meta(IntArrayRef sizes) {
  return ops::empty(sizes, DType::Float32, std::nullopt, Device(DeviceKind::Meta));
}

template <class T>
std::vector<T> range(Scalar start, Scalar end, Scalar step) {
  return values_of<T>(ops::arange(start, end, step, dtype_of<T>::value));
}

}  // namespace

TEST(empty_takes_dtype_device_and_format) {
  Tensor x = ops::empty({2, 3, 4, 5}, DType::Int8, std::nullopt, Device(DeviceKind::Meta),
                        std::nullopt, MemoryFormat::ChannelsLast);
  EXPECT(x.dtype() == DType::Int8 && x.device().is_meta());
  EXPECT(x.strides() == IntArrayRef({60, 1, 15, 3}));
  EXPECT(ops::empty({2}).dtype() == default_dtype());
  EXPECT(ops::empty({2}, std::nullopt, std::nullopt, Device(DeviceKind::CPU, 0)).device() ==
         Device(DeviceKind::CPU));
}

TEST(empty_refuses_what_it_can_not_make) {
  EXPECT_THROWS(ops::empty({-2}), Error, "empty: ");
  EXPECT_THROWS(ops::empty({int64_t(1) << 62, 4}), Error, "empty: ");
  EXPECT_THROWS(ops::empty({2}, std::nullopt, std::nullopt, std::nullopt, true), Error,
                "pin_memory");
  auto in_format = [](IntArrayRef size, MemoryFormat format) {
    return ops::empty(size, std::nullopt, std::nullopt, std::nullopt, std::nullopt, format);
  };
  EXPECT_THROWS(in_format({2}, MemoryFormat::ChannelsLast), Error, "empty: ");
  EXPECT_THROWS(in_format({2}, MemoryFormat::Preserve), Error, "contiguous_format");
  EXPECT_THROWS(in_format({-1, 2, 3, 4}, MemoryFormat::ChannelsLast), Error,
                "must not be negative");
  EXPECT_THROWS(ops::empty_strided({2, 3}, {1}), Error, "empty_strided: ");
  EXPECT_THROWS(ops::empty_strided({2}, {-1}), Error, "empty_strided: ");
  EXPECT_THROWS(ops::empty_strided({3}, {INT64_MAX}), Error, "empty_strided: ");
}

TEST(a_copy_keeps_the_order_of_dimensions_unless_told) {
  Tensor x = permuted({4, 3, 2}, {1, 4, 12});
  EXPECT(ops::empty_like(x).strides() == x.strides());
  EXPECT(ops::clone(x).strides() == x.strides());
  EXPECT(ops::clone(x, MemoryFormat::Contiguous).strides() == IntArrayRef({6, 2, 1}));
  Tensor gaps = permuted({3, 4}, {2, 6});
  EXPECT(ops::clone(gaps).strides() == IntArrayRef({1, 3}));
  Tensor cast = ops::_to_copy(x, DType::Int32);
  EXPECT(cast.strides() == x.strides() && cast.dtype() == DType::Int32);
}

TEST(contiguous_returns_self_where_it_can) {
  Tensor x = ops::empty({2, 3});
  EXPECT(ops::contiguous(x).is_same(x));
  EXPECT(ops::contiguous(permuted({3, 2}, {1, 3})).is_contiguous());
  Tensor nchw = ops::empty({2, 3, 4, 5});
  Tensor nhwc = ops::contiguous(nchw, MemoryFormat::ChannelsLast);
  EXPECT(nhwc.strides() == IntArrayRef({60, 1, 15, 3}));
  EXPECT(ops::contiguous(nhwc, MemoryFormat::ChannelsLast).is_same(nhwc));
  EXPECT_THROWS(ops::contiguous(x, MemoryFormat::Preserve), Error, "contiguous: ");
  Tensor nothing = ops::empty({2, 0, 3, 4});  // without elements every order is the one asked for
  EXPECT(ops::contiguous(nothing, MemoryFormat::ChannelsLast).is_same(nothing));
}

TEST(to_copies_only_what_changes) {
  Tensor x = ops::empty({2});
  EXPECT(ops::to(x, DType::Float32).is_same(x));
  EXPECT(!ops::to(x, DType::Float32, false, /*copy=*/true).is_same(x));
  EXPECT(ops::to(x, Device(DeviceKind::CPU, 0)).is_same(x));
  EXPECT(ops::to(x, meta({1})).device().is_meta());
  EXPECT_THROWS(ops::to(meta({2}), Device(DeviceKind::CPU)), Error, "no data");
}

TEST(to_converts_values) {
  Tensor x = tensor_of<float>({4}, {1.75f, -1.75f, 0.f, 300.f});
  EXPECT(values_of<int32_t>(ops::to(x, DType::Int32)) == std::vector<int32_t>({1, -1, 0, 300}));
  EXPECT(values_of<bool>(ops::to(x, DType::Bool)) == std::vector<bool>({true, true, false, true}));
}

TEST(arange_counts_exactly) {
  EXPECT(range<int64_t>(2, 11, 3) == std::vector<int64_t>({2, 5, 8}));
  EXPECT(range<int64_t>(5, 0, -2) == std::vector<int64_t>({5, 3, 1}));
  EXPECT(range<int64_t>(5, 5, -1).empty());
  int64_t big = int64_t(1) << 62;
  EXPECT(range<int64_t>(INT64_MIN, INT64_MAX, big) ==
         std::vector<int64_t>({INT64_MIN, -big, 0, big}));
  EXPECT(range<double>(0.0, 1.0, 0.25) == std::vector<double>({0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(ops::arange(0, 5.5, 2).dtype(), default_dtype());
  EXPECT_EQ(ops::arange(0, 5, 2).dtype(), DType::Int64);
}

TEST(arange_refuses_ranges_without_an_end) {
  EXPECT_THROWS(ops::arange(0, 5, 0), Error, "step must not be zero");
  EXPECT_THROWS(ops::arange(0, 5, -1), Error, "step must lead from start to end");
  EXPECT_THROWS(ops::arange(0, INFINITY, 1), Error, "finite");
  EXPECT_THROWS(ops::arange(0, NAN, 1), Error, "finite");
  EXPECT_THROWS(ops::arange(0, 5, NAN), Error, "finite");
  EXPECT_THROWS(ops::arange(0, 1e30, 1), Error, "arange: ");
  EXPECT_THROWS(ops::arange(0, int64_t(1) << 62, 1), Error, "arange: ");
  EXPECT_THROWS(ops::arange(0, 2, 1, DType::Bool), Error, "got bool");
  EXPECT_THROWS(ops::arange(0, 2, 1, DType::Float8E5M2), Error, "got float8_e5m2");
}

TEST(copy_broadcasts_the_source_and_checks_first) {
  Tensor x = tensor_of<float>({2, 2}, {1, 2, 3, 4});
  ops::copy_(x, tensor_of<int64_t>({2}, {7, 8}));
  EXPECT(values_of<float>(x) == std::vector<float>({7, 8, 7, 8}));
  EXPECT_THROWS(ops::copy_(x, ops::empty({3})), Error, "copy_: ");
  EXPECT_THROWS(ops::copy_(x, ops::empty({2, 2, 2})), Error, "copy_: ");
  EXPECT_THROWS(ops::copy_(x, meta({2, 2})), Error, "no data");
  ops::copy_(meta({2}), x = ops::empty({2}));
}

TEST(copy_refuses_overlaps) {
  Tensor x = tensor_of<float>({4}, {1, 2, 3, 4});
  Tensor head = view_of(x, {3}, {1}, 0), tail = view_of(x, {3}, {1}, 1);
  EXPECT_THROWS(ops::copy_(tail, head), Error, "share some of their memory");
  EXPECT_THROWS(ops::copy_(view_of(x, {3}, {0}, 0), head), Error, "clone it first");
  ops::copy_(view_of(x, {2}, {2}, 0), view_of(x, {2}, {2}, 1));  // interleaved, no element shared
  EXPECT(values_of<float>(x) == std::vector<float>({2, 2, 4, 4}));
}

TEST(fill_takes_numbers_that_fit) {
  Tensor x = ops::empty({2}, DType::UInt8);
  ops::fill_(x, -1);
  EXPECT(values_of<uint8_t>(x) == std::vector<uint8_t>({255, 255}));
  EXPECT_THROWS(ops::fill_(x, 300), Error, "value must be representable in uint8; got 300");
  EXPECT_THROWS(ops::fill_(x, -300), Error, "representable");
  EXPECT_THROWS(ops::fill_(x, NAN), Error, "representable");
  EXPECT_THROWS(ops::fill_(ops::empty({1}, DType::Float16), 1e30), Error, "representable");
  EXPECT_THROWS(ops::fill_(ops::empty({1}), std::complex<double>(1, 1)), Error, "representable");
  EXPECT_THROWS(ops::fill_(ops::empty({1}, DType::Int64), 1e30), Error, "representable");
  EXPECT(values_of<uint8_t>(x) == std::vector<uint8_t>({255, 255}));
  ops::fill_(ops::empty({1}, DType::Float16), INFINITY);
  Tensor real = ops::empty({1}, DType::Float32);
  ops::fill_(real, std::complex<double>(2, 0));
  EXPECT_EQ(values_of<float>(real).at(0), 2.0f);
}

TEST(item_reads_one_element_of_every_dtype) {
  EXPECT_EQ(ops::_local_scalar_dense(tensor_of<uint64_t>({1, 1}, {UINT64_MAX})).tag(),
            Scalar::Tag::UInt64);
  EXPECT(ops::_local_scalar_dense(tensor_of<bool>({}, {true})).is_bool());
  EXPECT_EQ(ops::_local_scalar_dense(tensor_of<Half>({}, {Half(1.5f)})).to_double(), 1.5);
  EXPECT_EQ(ops::_local_scalar_dense(tensor_of<double>({}, {0.1})).to_double(), 0.1);
  const Tensor nan = tensor_of<Float8E4M3FN>({}, {Float8E4M3FN::from_bits(0x7f)});
  EXPECT_EQ(std::bit_cast<uint64_t>(ops::_local_scalar_dense(nan).to_double()),
            uint64_t(0x7ff8) << 48);  // the quiet NaN
  using C = std::complex<float>;
  EXPECT(ops::_local_scalar_dense(tensor_of<C>({}, {C(1, 2)})).to_complex() ==
         std::complex<double>(1, 2));
  EXPECT_THROWS(ops::_local_scalar_dense(ops::empty({2})), Error,
                "item: expected a tensor with one");
  EXPECT_THROWS(ops::_local_scalar_dense(ops::empty({0})), Error, "got 0");
}
