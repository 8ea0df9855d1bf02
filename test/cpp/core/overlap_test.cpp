#include <iostream>
#include <set>

#include "core/geometry.h"
#include "core/layout.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

std::set<int64_t> bytes_of(const Tensor& t) {
  std::set<int64_t> out;
  for (const int64_t at : byte_offsets(t)) {
    for (size_t b = 0; b < item_size(t.dtype()); ++b) out.insert(at + static_cast<int64_t>(b));
  }
  return out;
}

bool brute_self(const Tensor& t) {
  return bytes_of(t).size() != static_cast<size_t>(t.numel()) * item_size(t.dtype());
}

Overlap brute_between(const Tensor& a, const Tensor& b) {
  const std::set<int64_t> in_a = bytes_of(a);
  for (const int64_t byte : bytes_of(b)) {
    if (!in_a.count(byte)) continue;
    const bool full = a.sizes() == b.sizes() && item_size(a.dtype()) == item_size(b.dtype()) &&
                      byte_offsets(a) == byte_offsets(b);
    return full ? Overlap::Full : Overlap::Partial;
  }
  return Overlap::None;
}

Storage bytes(size_t count, DeviceKind kind = DeviceKind::CPU) {
  return make_intrusive<StorageImpl>(count, kind,
                                     kind == DeviceKind::CPU ? cpu_allocator() : meta_allocator());
}

}  // namespace

TEST(self_overlap_against_brute_force) {
  std::mt19937 random(1);
  const Storage storage = bytes(1 << 16);
  int overlapping = 0;
  for (int round = 0; round < 60000; ++round) {
    const Geometry g = random_geometry(random, draw(random, 1, 40));
    const Tensor t = tensor_over(storage, DType::Float32, g);
    const bool expected = brute_self(t);
    overlapping += expected;
    if (overlaps_itself(t) != expected) {
      EXPECT_EQ(round, -1);
      detail::print_value(std::cout, g.sizes);
      detail::print_value(std::cout, g.strides);
    }
  }
  EXPECT(overlapping > 5000 && overlapping < 55000);
}

TEST(overlap_of_two_against_brute_force) {
  std::mt19937 random(2);
  const Storage storage = bytes(1 << 16);
  const DType dtypes[] = {DType::UInt8, DType::Float16, DType::Float32, DType::Complex128};
  int seen[3] = {};
  for (int round = 0; round < 60000; ++round) {
    const int64_t most = draw(random, 1, 40);
    Geometry in_a = random_geometry(random, most), in_b = random_geometry(random, most);
    if (draw(random, 0, 9) == 0) in_b = in_a;
    const Tensor a = tensor_over(storage, dtypes[draw(random, 0, 3)], in_a);
    const Tensor b = tensor_over(storage, dtypes[draw(random, 0, 3)], in_b);
    const Overlap expected = brute_between(a, b);
    ++seen[static_cast<int>(expected)];
    if (overlap_between(a, b) != expected) EXPECT_EQ(round, -1);
    if (overlap_between(b, a) != expected) EXPECT_EQ(round, -2);
  }
  for (const int count : seen) EXPECT(count > 300);
}

TEST(interleaved_slices_are_apart) {
  const Storage storage = bytes(4000);
  const Tensor even = tensor_over(storage, DType::Float32, {{100}, {2}, 0});
  const Tensor odd = tensor_over(storage, DType::Float32, {{100}, {2}, 1});
  const Tensor wide_odd = tensor_over(storage, DType::Float64, {{50}, {2}, 1});
  EXPECT(overlap_between(even, odd) == Overlap::None);
  EXPECT(overlap_between(even, even) == Overlap::Full);
  EXPECT(overlap_between(even, wide_odd) == Overlap::Partial);
  const Tensor left = tensor_over(storage, DType::Float32, {{10, 5}, {10, 1}, 0});
  const Tensor right = tensor_over(storage, DType::Float32, {{10, 5}, {10, 1}, 5});
  EXPECT(overlap_between(left, right) == Overlap::None);
}

TEST(long_interleaved_slices_are_decided) {
  // Without merging or pruning the search gives up here and says Partial.
  const Storage storage = bytes(size_t(1) << 25, DeviceKind::Meta);
  const auto pair = [&](const DimVector& sizes, const DimVector& strides) {
    const Tensor even = tensor_over(storage, DType::Float32, {sizes, strides, 0});
    const Tensor odd = tensor_over(storage, DType::Float32, {sizes, strides, 1});
    EXPECT(overlap_between(even, odd) == Overlap::None);
    EXPECT(overlap_between(odd, even) == Overlap::None);
  };
  pair({2000, 1000}, {2000, 2});
  pair({2000000}, {2});
}

TEST(what_has_no_storage_shares_nothing) {
  const Tensor t = tensor_over(bytes(8), DType::Float32, {{2}, {1}, 0});
  auto impl = make_intrusive<TensorImpl>(Storage(), DType::Float32, Device(DeviceKind::CPU),
                                         DispatchKeySet(DispatchKey::CPU));
  impl->set_geometry({2}, {1}, 0);
  const Tensor wrapper(std::move(impl));
  EXPECT(overlap_between(wrapper, t) == Overlap::None);
  EXPECT(overlap_between(t, wrapper) == Overlap::None);
  EXPECT(overlap_between(wrapper, wrapper) == Overlap::None);
}

TEST(huge_extents_are_decided) {
  // Meta tensors have geometry without memory: beyond 2^31 elements, near 2^62 bytes of reach.
  const Storage storage = bytes(size_t(1) << 62, DeviceKind::Meta);
  const int64_t big = int64_t(1) << 33;
  const Tensor rows = tensor_over(storage, DType::UInt8, {{big, 3}, {big, 2}, 0});
  const Tensor others = tensor_over(storage, DType::UInt8, {{big, 3}, {big, 2}, 1});
  EXPECT(!overlaps_itself(rows));
  EXPECT(overlap_between(rows, others) == Overlap::None);
  const Tensor crossing = tensor_over(storage, DType::UInt8, {{3, 3}, {big - 1, big + 1}, 0});
  EXPECT(!overlaps_itself(crossing));
  EXPECT(overlap_between(rows, crossing) == Overlap::Partial);
}

TEST(foreign_memory_is_compared_by_address) {
  char memory[64];
  const auto wrap = [&](char* at) {
    return make_intrusive<StorageImpl>(at, size_t(16), Device(DeviceKind::CPU), nullptr, nullptr,
                                       true);
  };
  const Tensor a = tensor_over(wrap(memory), DType::Float32, {{4}, {1}, 0});
  const Tensor same = tensor_over(wrap(memory), DType::Float32, {{4}, {1}, 0});
  const Tensor shifted = tensor_over(wrap(memory + 8), DType::Float32, {{4}, {1}, 0});
  const Tensor apart = tensor_over(wrap(memory + 16), DType::Float32, {{4}, {1}, 0});
  EXPECT(overlap_between(a, same) == Overlap::Full);
  EXPECT(overlap_between(a, shifted) == Overlap::Partial);
  EXPECT(overlap_between(a, apart) == Overlap::None);
}
