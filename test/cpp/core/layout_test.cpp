#include "core/layout.h"

#include <map>

#include "core/geometry.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

DimVector v(std::initializer_list<int64_t> list) { return list; }
constexpr Device kCpu{DeviceKind::CPU};

Tensor strided(IntArrayRef sizes, IntArrayRef strides) {
  return empty_strided_tensor(sizes, strides, DType::Float32, kCpu);
}

// Whether strides of `sizes` exist that visit the same bytes in the same order, by trying what the
// order forces: the address of every element.
bool viewable(const Tensor& t, IntArrayRef sizes, const DimVector& strides) {
  Tensor view = tensor_over(t->storage(), t.dtype(), {sizes, strides, t.storage_offset()});
  return byte_offsets(view) == byte_offsets(t);
}

}  // namespace

TEST(contiguous) {
  EXPECT(contiguous_strides({2, 3, 4}) == v({12, 4, 1}));
  EXPECT(contiguous_strides({}) == v({}));
  EXPECT(contiguous_strides({2, 0, 3}) == v({3, 3, 1}));
  EXPECT(is_contiguous(v({2, 1, 3}), v({3, 100, 1})));
  EXPECT(is_contiguous(v({0, 3}), v({7, 9})));
  EXPECT(!is_contiguous(v({3, 2}), v({1, 3})));
}

TEST(memory_formats) {
  EXPECT(strides_for({2, 3, 4, 5}, MemoryFormat::ChannelsLast, "t") == v({60, 1, 15, 3}));
  EXPECT(strides_for({2, 3, 4, 5, 6}, MemoryFormat::ChannelsLast3d, "t") == v({360, 1, 90, 18, 3}));
  EXPECT_THROWS(strides_for({2, 3}, MemoryFormat::ChannelsLast, "t"), Error,
                "t: a tensor of rank 4");
  EXPECT(is_channels_last(v({2, 3, 4, 5}), v({60, 1, 15, 3})));
  EXPECT(!is_channels_last(v({2, 3, 4, 5}), v({60, 20, 5, 1})));
}

TEST(extents_are_checked) {
  const int64_t big = int64_t(1) << 40;
  EXPECT_EQ(checked_numel({3, 4}, "t"), int64_t(12));
  EXPECT_EQ(checked_numel({}, "t"), int64_t(1));
  EXPECT_EQ(checked_numel({int64_t(1) << 62}, "t"), int64_t(1) << 62);
  EXPECT_THROWS(checked_numel({big, big}, "zeros"), Error,
                "zeros: the number of elements of sizes [1099511");
  EXPECT_THROWS(checked_numel({2, -1}, "zeros"), Error, "got -1 at dimension 1 of [2, -1]");
  EXPECT_EQ(checked_nbytes({3, 4}, {4, 1}, 2, DType::Float64, "t"), size_t(14 * 8));
  EXPECT_EQ(checked_nbytes({0, 4}, {4, 1}, 1000, DType::Float64, "t"), size_t(0));
  EXPECT_EQ(checked_nbytes({3}, {0}, 0, DType::Float32, "t"), size_t(4));
  EXPECT_THROWS(checked_nbytes({int64_t(1) << 61}, {1}, 0, DType::Float32, "t"), Error,
                "overflows");
  EXPECT_THROWS(checked_nbytes({3}, {int64_t(1) << 62}, 0, DType::UInt8, "t"), Error, "overflows");
  EXPECT_THROWS(checked_nbytes({3}, {-1}, 0, DType::UInt8, "t"), Error,
                "strides must not be negative");
  EXPECT_THROWS(checked_nbytes({3}, {1}, -1, DType::UInt8, "t"), Error,
                "offset must not be negative");
  EXPECT_THROWS(checked_nbytes({3}, {1, 1}, 0, DType::UInt8, "t"), Error, "same length");
}

TEST(dimensions_wrap) {
  EXPECT_EQ(wrap_dim(-1, 3, "sum"), int64_t(2));
  EXPECT_EQ(wrap_dim(0, 0, "sum"), int64_t(0));
  EXPECT_EQ(wrap_dim(-1, 0, "sum"), int64_t(0));
  EXPECT_THROWS(wrap_dim(2, 1, "sum"), Error,
                "sum: dimension out of range (expected to be in range of [-1, 0], but got 2)");
  EXPECT_THROWS(wrap_dim(1, 0, "sum"), Error, "[-1, 0], but got 1");
}

TEST(broadcasting) {
  EXPECT(broadcast_shapes({2, 1, 3}, {4, 1}, "add") == v({2, 4, 3}));
  EXPECT(broadcast_shapes({}, {0}, "add") == v({0}));
  EXPECT(broadcast_shapes({1}, {0}, "add") == v({0}));
  EXPECT_THROWS(broadcast_shapes({2, 3}, {3, 2}, "add"), Error, "add: sizes [2, 3] and [3, 2]");
  EXPECT_THROWS(broadcast_shapes({0}, {2}, "add"), Error, "can't be broadcast");
}

TEST(inferred_sizes) {
  EXPECT(infer_size({2, -1}, 6, "view") == v({2, 3}));
  EXPECT(infer_size({-1}, 0, "view") == v({0}));
  EXPECT_THROWS(infer_size({-1, -1}, 6, "view"), Error, "only one dimension");
  EXPECT_THROWS(infer_size({-1, 4}, 6, "view"), Error,
                "view: size [-1, 4] is invalid for a tensor of 6");
  EXPECT_THROWS(infer_size({-1, 0}, 0, "view"), Error, "ambiguous");
  EXPECT_THROWS(infer_size({-2, 3}, 6, "view"), Error, "invalid size -2 at dimension 0");
  EXPECT_THROWS(infer_size({2, 2}, 6, "view"), Error, "invalid for a tensor of 6");
  EXPECT_THROWS(infer_size({int64_t(1) << 32, int64_t(1) << 32}, 0, "view"), Error, "invalid for");
}

TEST(views_keep_every_address) {
  std::mt19937 random(3);
  const Storage storage = make_intrusive<StorageImpl>(size_t(1) << 12, kCpu, cpu_allocator());
  int found = 0, refused = 0;
  for (int round = 0; round < 40000; ++round) {
    Geometry g = random_geometry(random, 12);
    if (draw(random, 0, 1)) g.strides = contiguous_strides(g.sizes);
    if (g.sizes.size() > 1 && draw(random, 0, 3) == 0) {
      std::swap(g.strides[0], g.strides[1]);
      std::swap(g.sizes[0], g.sizes[1]);
    }
    const Tensor t = tensor_over(storage, DType::UInt8, g);
    if (t.numel() == 0) continue;
    DimVector sizes;  // a random factorisation
    for (int64_t rest = t.numel(); rest > 1 || draw(random, 0, 2) == 0;) {
      int64_t factor = draw(random, 1, rest);
      while (rest % factor != 0) --factor;
      sizes.push_back(factor);
      rest /= factor;
    }
    const std::optional<DimVector> strides = view_strides(g.sizes, g.strides, sizes);
    if (strides) {
      ++found;
      if (!viewable(t, sizes, *strides)) EXPECT_EQ(round, -1);
      continue;
    }
    ++refused;
    // The first elements force the strides; if those fit, the view should have been found.
    DimVector forced(sizes.size());
    const std::vector<int64_t> at = byte_offsets(t);
    size_t step = 1;
    for (size_t d = sizes.size(); d-- > 0;) {
      forced[d] = sizes[d] > 1 ? at[step] - at[0] : 0;
      step *= static_cast<size_t>(sizes[d]);
    }
    if (viewable(t, sizes, forced)) EXPECT_EQ(round, -2);
  }
  EXPECT(found > 5000 && refused > 1000);
}

TEST(views_of_empty_tensors) {
  EXPECT(*view_strides(v({0, 3}), v({1, 5}), v({3, 0})) == v({1, 1}));
  EXPECT(*view_strides(v({0, 3}), v({1, 5}), v({0, 3})) == v({1, 5}));
  EXPECT(*view_strides(v({}), v({}), v({1, 1})) == v({1, 1}));
}

TEST(density) {
  EXPECT(is_non_overlapping_and_dense(v({2, 3}), v({1, 2})));
  EXPECT(is_non_overlapping_and_dense(v({2, 1, 3}), v({1, 7, 2})));
  EXPECT(!is_non_overlapping_and_dense(v({2, 3}), v({0, 1})));
  EXPECT(!is_non_overlapping_and_dense(v({4}), v({2})));
}

TEST(results_keep_the_layout) {
  EXPECT(preserved_strides(strided({4, 2, 3}, {1, 12, 4})) == v({1, 12, 4}));
  EXPECT(preserved_strides(strided({4, 2, 3}, {2, 24, 8})) == v({1, 12, 4}));
  EXPECT(preserved_strides(strided({2, 3, 4}, {4, 0, 1})) == v({12, 4, 1}));
  EXPECT(preserved_strides(strided({2, 4, 3}, {3, 0, 1})) == v({12, 3, 1}));
  EXPECT(preserved_strides(strided({3, 4}, {2, 6})) == v({1, 3}));
  EXPECT(preserved_strides(strided({2, 2, 4}, {8, 12, 1})) == v({4, 8, 1}));
  EXPECT(preserved_strides(strided({1, 3, 1}, {7, 1, 9})) == v({7, 1, 9}));
  EXPECT(preserved_strides(strided({4, 2}, {1, 1})) == v({2, 1}));
  EXPECT(preserved_strides(strided({2, 4}, {1, 1})) == v({1, 2}));
}

TEST(an_empty_result_has_the_strides_of_one_element_per_empty_dimension) {
  EXPECT(dense_strides(v({2, 0, 3}), v({2, 1, 0})) == v({3, 3, 1}));
  EXPECT(dense_strides(v({2, 5, 3}), v({1, 2, 0})) == v({15, 1, 5}));
}
