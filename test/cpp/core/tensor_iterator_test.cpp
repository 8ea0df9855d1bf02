#include "core/tensor_iterator.h"

#include <atomic>
#include <cstring>

#include "core/geometry.h"
#include "testing.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

constexpr Device kCpu{DeviceKind::CPU};
DimVector v(std::initializer_list<int64_t> list) { return list; }

Tensor strided(IntArrayRef sizes, IntArrayRef strides, DType dtype = DType::Int64) {
  return empty_strided_tensor(sizes, strides, dtype, kCpu);
}

TensorIterator build(Tensor& out, const std::vector<const Tensor*>& inputs, bool resize = false,
                     const char* op = "add") {
  Tensor* outputs[] = {&out};
  const DType dtypes[] = {DType::Int64};
  return TensorIterator::build(op, {outputs, 1}, {dtypes, 1}, inputs, resize);
}

DimVector result_strides(const std::vector<const Tensor*>& inputs) {
  Tensor out;
  build(out, inputs);
  return out.strides();
}

// out = a + b * 1000 over int64.
void add_scaled(char* const* data, const int64_t* strides, int64_t size0, int64_t size1) {
  for (int64_t j = 0; j < size1; ++j) {
    for (int64_t i = 0; i < size0; ++i) {
      int64_t in[2];
      for (int k = 0; k < 2; ++k)
        std::memcpy(&in[k], data[k + 1] + i * strides[k + 1] + j * strides[k + 4], 8);
      const int64_t sum = in[0] + 1000 * in[1];
      std::memcpy(data[0] + i * strides[0] + j * strides[3], &sum, 8);
    }
  }
}

int64_t value_at(const Tensor& t, const std::vector<int64_t>& index) {
  int64_t at = t.storage_offset();
  const size_t missing = index.size() - t.sizes().size();
  for (size_t d = 0; d < t.sizes().size(); ++d) {
    at += (t.sizes()[d] == 1 ? 0 : index[d + missing]) * t.strides()[d];
  }
  return static_cast<int64_t*>(t->storage()->data())[at];
}

template <class F>
void for_each_index(IntArrayRef sizes, F&& f) {
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  for (; count > 0; --count) {
    f(index);
    for (size_t d = index.size(); d-- > 0 && ++index[d] == sizes[d];) index[d] = 0;
  }
}

Storage numbered(size_t count) {
  auto storage = make_intrusive<StorageImpl>(count * 8, kCpu, cpu_allocator());
  for (size_t i = 0; i < count; ++i)
    static_cast<int64_t*>(storage->data())[i] = static_cast<int64_t>(i);
  return storage;
}

// A geometry that broadcasts to `sizes`: some dimensions of size 1, some leading ones left out.
Geometry broadcastable(std::mt19937& random, const DimVector& sizes) {
  Geometry g;
  const auto skip =
      static_cast<size_t>(draw(random, 0, 3) == 0 ? draw(random, 0, int64_t(sizes.size())) : 0);
  for (size_t d = skip; d < sizes.size(); ++d) {
    g.sizes.push_back(draw(random, 0, 3) == 0 ? 1 : sizes[d]);
    g.strides.push_back(draw(random, 0, 30));
  }
  if (draw(random, 0, 1)) g.strides = contiguous_strides(g.sizes);
  g.offset = draw(random, 0, 20);
  return g;
}

}  // namespace

TEST(values_against_a_naive_loop) {
  std::mt19937 random(4);
  const Storage storage = numbered(4096);
  for (int round = 0; round < 20000; ++round) {
    DimVector sizes;
    for (int64_t d = draw(random, 0, 5); d > 0; --d)
      sizes.push_back(draw(random, 0, 30) ? draw(random, 1, 4) : 0);
    const Tensor a = tensor_over(storage, DType::Int64, broadcastable(random, sizes));
    const Tensor b = tensor_over(storage, DType::Int64, broadcastable(random, sizes));
    Tensor out;
    const TensorIterator it = build(out, {&a, &b});
    if (round % 2)
      it.serial_for_each(add_scaled);
    else
      it.for_each(add_scaled, 1);
    const DimVector shape = broadcast_shapes(a.sizes(), b.sizes(), "add");
    EXPECT(out.sizes() == shape);
    EXPECT(is_non_overlapping_and_dense(out.sizes(), out.strides()));
    for_each_index(shape, [&](const std::vector<int64_t>& index) {
      const int64_t expected = value_at(a, index) + 1000 * value_at(b, index);
      if (value_at(out, index) != expected) EXPECT_EQ(round, -1);
    });
  }
}

TEST(given_outputs_of_any_layout) {
  std::mt19937 random(5);
  const Storage storage = numbered(4096);
  for (int round = 0; round < 5000; ++round) {
    DimVector sizes;
    for (int64_t d = draw(random, 0, 4); d > 0; --d) sizes.push_back(draw(random, 1, 4));
    DimVector wide = sizes;  // a slice of something larger, permuted
    for (size_t d = 0; d < wide.size(); ++d) wide[d] += draw(random, 0, 2);
    Geometry g{sizes, contiguous_strides(wide), 3};
    if (sizes.size() > 1 && round % 2) {
      std::swap(g.sizes[0], g.sizes[1]);
      std::swap(g.strides[0], g.strides[1]);
    }
    const Storage target = numbered(3000);
    Tensor out = tensor_over(target, DType::Int64, g);
    const Tensor a = tensor_over(storage, DType::Int64, broadcastable(random, g.sizes));
    const Tensor b = tensor_over(storage, DType::Int64, broadcastable(random, g.sizes));
    build(out, {&a, &b}).for_each(add_scaled, 2);
    EXPECT(out->storage() == target);
    for_each_index(g.sizes, [&](const std::vector<int64_t>& index) {
      const int64_t expected = value_at(a, index) + 1000 * value_at(b, index);
      if (value_at(out, index) != expected) EXPECT_EQ(round, -1);
    });
  }
}

// As PyTorch 2.13 lays out the same calls.
TEST(results_keep_the_inputs_layout) {
  const Tensor permuted = strided({4, 2, 3}, {1, 12, 4}), plain = strided({4, 2, 3}, {6, 3, 1});
  const Tensor row = strided({3}, {1}), turned = strided({4, 3}, {1, 4});
  EXPECT(result_strides({&permuted}) == v({1, 12, 4}));
  EXPECT(result_strides({&permuted, &plain}) == v({1, 12, 4}));
  EXPECT(result_strides({&plain, &permuted}) == v({6, 3, 1}));
  EXPECT(result_strides({&permuted, &row}) == v({1, 12, 4}));
  EXPECT(result_strides({&row, &permuted}) == v({1, 12, 4}));
  const Tensor sliced = strided({4, 2, 3}, {2, 24, 8}), expanded = strided({2, 3, 4}, {4, 0, 1});
  EXPECT(result_strides({&sliced}) == v({1, 12, 4}));
  EXPECT(result_strides({&expanded}) == v({12, 4, 1}));
  const Tensor expanded_turned = strided({2, 3, 4}, {1, 0, 2});
  EXPECT(result_strides({&expanded_turned}) == v({1, 2, 6}));
  const Tensor odd_one = strided({2, 1, 3}, {3, 100, 1}), odd_dense = strided({2, 1, 3}, {1, 7, 2});
  const Tensor odd_dense_too = strided({2, 1, 3}, {1, 9, 2}),
               odd_gap = strided({2, 1, 3}, {2, 1, 4});
  EXPECT(result_strides({&odd_one}) == v({3, 3, 1}));
  EXPECT(result_strides({&odd_dense}) == v({1, 7, 2}));
  EXPECT(result_strides({&odd_dense, &odd_dense_too}) == v({1, 6, 2}));
  EXPECT(result_strides({&odd_dense, &row}) == v({1, 6, 2}));
  EXPECT(result_strides({&odd_gap}) == v({1, 1, 2}));
  const Tensor column = strided({4, 1}, {1, 1}), top = strided({1, 3}, {3, 1});
  EXPECT(result_strides({&turned, &top}) == v({1, 4}));
  EXPECT(result_strides({&column, &turned}) == v({1, 4}));
  EXPECT(result_strides({&column, &top}) == v({3, 1}));
  const Tensor first = strided({2, 3, 4}, {0, 4, 1}), second = strided({2, 3, 4}, {1, 2, 6});
  EXPECT(result_strides({&first, &second}) == v({1, 8, 2}));
  const Tensor half = strided({2, 3, 4}, {0, 4, 0});
  EXPECT(result_strides({&half, &second}) == v({1, 2, 6}));
  const Tensor scalar = strided({}, {}), none = strided({2, 0, 3}, {1, 1, 2});
  EXPECT(result_strides({&scalar, &turned}) == v({1, 4}));
  EXPECT(result_strides({&none}) == v({3, 3, 1}));
  const Tensor channels = strided({2, 3, 4, 5}, {60, 1, 15, 3}),
               batch = strided({2, 3, 4, 5}, {60, 20, 5, 1});
  EXPECT(result_strides({&channels, &channels}) == v({60, 1, 15, 3}));
  EXPECT(result_strides({&channels, &batch}) == v({60, 1, 15, 3}));
  EXPECT(result_strides({&batch, &channels}) == v({60, 20, 5, 1}));
}

TEST(dimensions_coalesce) {
  Tensor out;
  const Tensor a = strided({4, 5, 6}, {30, 6, 1}), turned = strided({4, 5, 6}, {1, 24, 4});
  EXPECT(build(out, {&a, &a}).shape() == v({120}));
  Tensor turned_out;
  EXPECT(build(turned_out, {&turned, &turned}).shape() == v({120}));
  Tensor sliced_out = view_of(strided({4, 5, 8}, {40, 8, 1}), {4, 5, 6}, {40, 8, 1}, 0);
  const TensorIterator it = build(sliced_out, {&a, &a});
  EXPECT(it.shape() == v({6, 20}));
  EXPECT(it.byte_strides(0) == v({8, 64}));
  EXPECT(it.byte_strides(1) == v({8, 48}));
  Tensor one = strided({1}, {1});
  EXPECT(build(one, {&one, &one}).is_one_loop());
}

TEST(nothing_and_one_element_are_one_line) {
  Tensor out;
  const Tensor empty = strided({2, 0, 3}, {1, 2, 5}), row = strided({1, 0, 1}, {3, 2, 1});
  const TensorIterator nothing = build(out, {&empty, &row});
  EXPECT(nothing.shape() == v({0}));
  for (int k = 0; k < 3; ++k) EXPECT(nothing.byte_strides(k) == v({0}));
  int64_t element = 0;
  char* data[] = {reinterpret_cast<char*>(&element), reinterpret_cast<char*>(&element)};
  const DimVector first = {56, 72}, second = {16, 8};
  const IntArrayRef refs[] = {first, second};
  const TensorIterator one = TensorIterator::over({1, 1}, {data, 2}, {refs, 2});
  EXPECT(one.shape() == v({1}));
  for (int k = 0; k < 2; ++k) EXPECT(one.byte_strides(k) == v({0}));
}

TEST(one_line_has_no_outer_stride) {
  Tensor out;
  const Tensor turned = strided({4, 5}, {1, 4});
  int calls = 0;
  build(out, {&turned, &turned})
      .serial_for_each([&](char* const*, const int64_t* strides, int64_t size0, int64_t size1) {
        ++calls;
        EXPECT_EQ(size0, int64_t(20));
        EXPECT_EQ(size1, int64_t(1));
        for (int k = 0; k < 3; ++k) EXPECT_EQ(strides[3 + k], int64_t(0));
      });
  EXPECT_EQ(calls, 1);
}

TEST(overlap_is_refused_before_writing) {
  const Storage storage = numbered(100);
  Tensor expanded = tensor_over(storage, DType::Int64, {{4}, {0}, 0});
  const Tensor ones = tensor_over(numbered(10), DType::Int64, {{4}, {1}, 0});
  EXPECT_THROWS(
      build(expanded, {&ones, &ones}), Error,
      "add: more than one element of the written-to tensor refers to a single memory location");
  Tensor head = tensor_over(storage, DType::Int64, {{4}, {1}, 0});
  const Tensor shifted = tensor_over(storage, DType::Int64, {{4}, {1}, 1});
  EXPECT_THROWS(build(head, {&shifted, &ones}), Error,
                "some elements of an input and of the written-to");
  const Tensor turned = tensor_over(storage, DType::Int64, {{3, 3}, {1, 3}, 0});
  Tensor square = tensor_over(storage, DType::Int64, {{3, 3}, {3, 1}, 0});
  EXPECT_THROWS(build(square, {&turned}), Error, "single memory location");
  build(square, {&square, &square}).serial_for_each(add_scaled);
  EXPECT_EQ(value_at(square, {1, 1}), int64_t(4004));
  const Tensor twos = tensor_over(storage, DType::Int64, {{4}, {2}, 51});
  Tensor others = tensor_over(storage, DType::Int64, {{4}, {2}, 50});
  build(others, {&twos, &twos});
}

TEST(a_refused_out_is_unchanged) {
  const Storage storage = numbered(100);
  Tensor out = tensor_over(storage, DType::Int64, {{2}, {1}, 0});
  const Tensor a = tensor_over(storage, DType::Int64, {{5}, {1}, 1});
  EXPECT_THROWS(build(out, {&a, &a}, true), Error, "single memory location");
  EXPECT(out.sizes() == v({2}) && storage->nbytes() == 800);
}

TEST(two_outputs_must_be_apart) {
  const Storage storage = numbered(10);
  Tensor a = tensor_over(storage, DType::Int64, {{4}, {1}, 0});
  Tensor b = tensor_over(storage, DType::Int64, {{4}, {1}, 0});
  const Tensor in = strided({4}, {1});
  const Tensor* inputs[] = {&in};
  Tensor* outputs[] = {&a, &b};
  const DType dtypes[] = {DType::Int64, DType::Int64};
  EXPECT_THROWS(TensorIterator::build("sort", {outputs, 2}, {dtypes, 2}, {inputs, 1}, false), Error,
                "sort: two of the written-to tensors");
  Tensor beside = tensor_over(storage, DType::Int64, {{4}, {1}, 5});
  Tensor* apart[] = {&a, &beside};
  const TensorIterator it =
      TensorIterator::build("sort", {apart, 2}, {dtypes, 2}, {inputs, 1}, false);
  EXPECT_EQ(it.operand_count(), 3);
}

TEST(outputs_alone_take_the_shape_of_a_given_one) {
  Tensor missing, given = strided({4, 3}, {1, 8});
  Tensor* outputs[] = {&missing, &given};
  const DType dtypes[] = {DType::Int64, DType::Int64};
  TensorIterator::build("fill", {outputs, 2}, {dtypes, 2}, {}, false);
  EXPECT(missing.sizes() == v({4, 3}));
  EXPECT(missing.strides() == v({1, 4}));
}

TEST(resizing) {
  const Tensor turned = strided({4, 3}, {1, 4});
  Tensor out = empty_tensor({0}, DType::Int64, kCpu);
  build(out, {&turned, &turned}, true);
  EXPECT(out.sizes() == v({4, 3}) && out.strides() == v({1, 4}));
  Tensor small = empty_tensor({3}, DType::Int64, kCpu);
  EXPECT_THROWS(build(small, {&turned}, false), Error,
                "add: output with shape [3] doesn't match the broadcast shape [4, 3]");
  const Tensor line = empty_tensor({4}, DType::Int64, kCpu);
  Tensor one = empty_tensor({1}, DType::Int64, kCpu);
  EXPECT_THROWS(build(one, {&line}, false), Error,
                "add: output with shape [1] doesn't match the broadcast shape [4]");
  Tensor large = empty_tensor({2, 4, 3}, DType::Int64, kCpu);
  EXPECT_EQ(build(large, {&turned, &turned}).numel(), int64_t(24));
}

TEST(one_element_does_not_fill_a_larger_output) {
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{}, {1}}) {
    Tensor in = empty_tensor(sizes, DType::Float32, Device());
    Tensor out = empty_tensor({2, 3}, DType::Float32, Device());
    TensorIterator::build("op", {&out}, {DType::Float32}, {&in, &in}, true);
    EXPECT(out.sizes() == in.sizes());
    Tensor self = empty_tensor({2, 3}, DType::Float32, Device());
    TensorIterator it =
        TensorIterator::build("op_", {&self}, {DType::Float32}, {&self, &in}, false);
    EXPECT_EQ(it.numel(), int64_t(6));
  }
}

TEST(devices_must_agree) {
  const Tensor meta = empty_tensor({3}, DType::Int64, DeviceKind::Meta);
  const Tensor cpu = empty_tensor({3}, DType::Int64, kCpu),
               scalar = empty_tensor({}, DType::Int64, kCpu);
  Tensor out;
  EXPECT_THROWS(build(out, {&meta, &cpu}), Error,
                "add: expected all tensors on one device; got meta and cpu");
  build(out, {&scalar, &meta});
  EXPECT(out.device().is_meta());
}

TEST(large_extents_need_no_memory) {
  const Tensor meta = empty_tensor({int64_t(1) << 33, 4}, DType::Float64, DeviceKind::Meta);
  Tensor out;
  const TensorIterator it = build(out, {&meta, &meta});
  EXPECT_EQ(it.numel(), int64_t(1) << 35);
  const Tensor column = empty_tensor({int64_t(1) << 40, 1}, DType::Int64, DeviceKind::Meta);
  const Tensor row = empty_tensor({1, int64_t(1) << 40}, DType::Int64, DeviceKind::Meta);
  Tensor product;
  EXPECT_THROWS(build(product, {&column, &row}), Error, "overflow");
}

TEST(more_than_two_billion_elements) {
  int64_t element = 0;
  char* data[] = {reinterpret_cast<char*>(&element), reinterpret_cast<char*>(&element)};
  const int64_t half = (int64_t(1) << 31) + 7;
  // Strides 0 and 8 on one element: two dimensions that don't coalesce and touch nothing else.
  const DimVector still = {0, 0}, moving = {0, 8};
  const IntArrayRef refs[] = {still, moving};
  const TensorIterator it = TensorIterator::over({half, 2}, {data, 2}, {refs, 2});
  EXPECT_EQ(it.numel(), 2 * half);
  std::atomic<int64_t> seen{0};
  it.for_each(
      [&](char* const*, const int64_t*, int64_t size0, int64_t size1) { seen += size0 * size1; });
  EXPECT_EQ(seen.load(), 2 * half);
}

TEST(over_visits_every_element_once) {
  std::vector<int64_t> counts(210, 0);
  char* data[] = {reinterpret_cast<char*>(counts.data())};
  const DimVector strides = {8 * 42, 8 * 7, 8};
  const IntArrayRef refs[] = {strides};
  const TensorIterator it = TensorIterator::over({5, 6, 7}, {data, 1}, {refs, 1});
  EXPECT(it.is_one_loop());
  it.for_each(
      [](char* const* at, const int64_t* steps, int64_t size0, int64_t size1) {
        for (int64_t j = 0; j < size1; ++j) {
          for (int64_t i = 0; i < size0; ++i)
            ++*reinterpret_cast<int64_t*>(at[0] + i * steps[0] + j * steps[1]);
        }
      },
      10);
  for (const int64_t count : counts) EXPECT_EQ(count, int64_t(1));
}

TEST(accessors_address_by_strides) {
  const Tensor t = tensor_over(numbered(100), DType::Int64, {{3, 4}, {2, 7}, 5});
  const Accessor<int64_t, 2> at(t);
  EXPECT_EQ(at(2, 3), int64_t(5 + 4 + 21));
  EXPECT_EQ(at.size(1), int64_t(4));
  EXPECT_THROWS((Accessor<int64_t, 1>(t)), Error, "internal error");
}
