#include "kernels/copy.h"

#include <cstring>
#include <limits>

#include "base/thread_pool.h"
#include "isa.h"
#include "kernels/fill.h"
#include "kernels/inspect.h"
#include "testing.h"
#include "values.h"

using namespace ceph;
using namespace ceph::kernels;
using namespace ceph::testing;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<DType> all_dtypes() {
  std::vector<DType> out;
  for (int i = 0; i < kNumDTypes; ++i) out.push_back(static_cast<DType>(i));
  return out;
}

Tensor small_numbers(IntArrayRef sizes, DType dtype, int layout) {
  Tensor numbers = empty_tensor(sizes, DType::Int64, DeviceKind::CPU);
  for (int64_t i = 0; i < numbers.numel(); ++i) element<int64_t>(numbers, i) = i % 13;
  Tensor t = laid_out(sizes, dtype, layout);
  copy_into(t, numbers);
  return t;
}

template <class To>
std::vector<To> cast_floats(const std::vector<float>& values) {
  Tensor t = tensor_of({static_cast<int64_t>(values.size())}, values);
  return values_of<To>(cast(t, dtype_of<To>::value));
}

}  // namespace

TEST(every_pair_of_dtypes_and_layouts_agrees_with_the_plain_copy) {
  for_each_isa([] {
    for (DType from : all_dtypes()) {
      Tensor plain = small_numbers({3, 5, 41}, from, 0);
      for (DType to : all_dtypes()) {
        Tensor expected = cast(plain, to);
        for (int a = 0; a < kLayouts; ++a) {
          Tensor source = laid_out({3, 5, 41}, from, a);
          copy_into(source, plain);
          for (int b = 0; b < kLayouts; ++b) {
            Tensor got = laid_out({3, 5, 41}, to, b);
            copy_into(got, source);
            EXPECT(all_equal(got, expected));
          }
        }
      }
    }
  });
}

TEST(half_types_survive_a_trip_through_float) {
  for_each_isa([] {
    for (DType dtype : {DType::Float16, DType::BFloat16}) {
      Tensor all = empty_tensor({65536}, dtype, DeviceKind::CPU);
      auto* bits = static_cast<uint16_t*>(all.data());
      for (int i = 0; i < 65536; ++i) bits[i] = static_cast<uint16_t>(i);
      Tensor back = cast(cast(all, DType::Float32), dtype);
      auto* got = static_cast<uint16_t*>(back.data());
      std::vector<float> value = values_of<float>(cast(all, DType::Float32));
      for (size_t i = 0; i < 65536; ++i) EXPECT(std::isnan(value[i]) || got[i] == bits[i]);
    }
  });
}

TEST(float_rounds_to_nearest_even_half) {
  for_each_isa([] {
    auto halves = cast_floats<Half>({1.00048828125f, 1.00146484375f, 65504, 65519.99f, 65520,
                                     0x1p-24f, 0x1p-25f, 0x1.8p-25f, -0.0f, kInf});
    const uint16_t expected[] = {0x3c00, 0x3c02, 0x7bff, 0x7bff, 0x7c00,
                                 0x0001, 0x0000, 0x0001, 0x8000, 0x7c00};
    for (size_t i = 0; i < halves.size(); ++i) EXPECT_EQ(halves[i].bits, expected[i]);
    auto eighths = cast_floats<Float8E4M3FN>({448, 463, 500, kInf, 0x1p-9f, 0x1p-10f, kNan});
    const uint8_t bytes[] = {0x7e, 0x7e, 0x7e, 0x7e, 0x01, 0x00, 0x7f};
    for (size_t i = 0; i < eighths.size(); ++i) EXPECT_EQ(int(eighths[i].bits), int(bytes[i]));
  });
}

TEST(floats_out_of_range_of_an_integer_have_a_defined_result) {
  for_each_isa([] {
    constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
    EXPECT_EQ(cast_floats<int32_t>({-1.9f, 3e9f, -3e9f, kInf, kNan}),
              std::vector<int32_t>({-1, kLeast, kLeast, kLeast, kLeast}));
    EXPECT_EQ(cast_floats<uint8_t>({300.5f, -1.0f, 1e20f}), std::vector<uint8_t>({44, 255, 0}));
    EXPECT_EQ(cast_floats<int64_t>({kNan, 0x1p62f}),
              std::vector<int64_t>({std::numeric_limits<int64_t>::min(), int64_t(1) << 62}));
    EXPECT_EQ(cast_floats<uint64_t>({0x1p63f, 5.5f}),
              std::vector<uint64_t>({uint64_t(1) << 63, 5}));
  });
}

TEST(one_element_is_converted_alone) {
  for_each_isa([] {
    const Half from[] = {Half(1.5f), Half(2.5f)};
    float to[] = {0, 7};
    convert_element(to, DType::Float32, from, DType::Float16);
    EXPECT_EQ(to[0], 1.5f);
    EXPECT_EQ(to[1], 7.0f);
  });
}

TEST(a_source_is_broadcast) {
  Tensor out = empty_tensor({4, 3}, DType::Float32, DeviceKind::CPU);
  copy_into(out, tensor_of<double>({3}, {1, 2, 3}));
  EXPECT_EQ(values_of<float>(out), std::vector<float>({1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
  EXPECT_THROWS(copy_into(out, tensor_of<double>({2}, {1, 2})), Error, "copy_");
}

TEST(overlapping_copies_read_before_they_write) {
  Tensor x = tensor_of<float>({6}, {0, 1, 2, 3, 4, 5});
  copy_into(view_of(x, {5}, {1}, 1), view_of(x, {5}, {1}, 0));
  EXPECT_EQ(values_of<float>(x), std::vector<float>({0, 0, 1, 2, 3, 4}));
  Tensor square = tensor_of<float>({2, 2}, {1, 2, 3, 4});
  copy_into(square, view_of(square, {2, 2}, {1, 2}, 0));
  EXPECT_EQ(values_of<float>(square), std::vector<float>({1, 3, 2, 4}));
}

TEST(large_transpositions_are_exact) {
  Tensor x = small_numbers({301, 517}, DType::Int32, 0);
  Tensor turned = empty_tensor({517, 301}, DType::Int32, DeviceKind::CPU);
  copy_into(turned, view_of(x, {517, 301}, {1, 517}, 0));
  for (int64_t i = 0; i < 517; ++i) {
    for (int64_t j = 0; j < 301; j += 7) {
      EXPECT_EQ(element<int32_t>(turned, i * 301 + j), element<int32_t>(x, j * 517 + i));
    }
  }
}

TEST(fill_writes_the_tensor_and_nothing_else) {
  for (int layout = 0; layout < kLayouts; ++layout) {
    Tensor block = laid_out({3, 37}, DType::Int16, layout);
    fill("fill_", block, 7);
    fill("fill_", view_of(block, {37}, {block.stride(1)}, block.storage_offset()), -1);
    EXPECT_EQ(element<int16_t>(block, 36), int16_t(-1));
    EXPECT_EQ(element<int16_t>(block, 37), int16_t(7));
    zero(block);
    EXPECT(!any_negative(block));
  }
  Tensor around = empty_tensor({5, 8}, DType::Int16, DeviceKind::CPU);
  fill("fill_", around, 1);
  fill("fill_", view_of(around, {3, 5}, {8, 1}, 9), -1);
  for (int64_t i = 0; i < 40; ++i) {
    const bool inside = i >= 9 && i < 32 && (i - 9) % 8 < 5;
    EXPECT_EQ(element<int16_t>(around, i), int16_t(inside ? -1 : 1));
  }
}

TEST(ranges_do_not_accumulate_errors) {
  for_each_isa([] {
    Tensor tenths = empty_tensor({100001}, DType::Float64, DeviceKind::CPU);
    arange_fill(tenths, 0.5, 0.1);
    for (int64_t i = 0; i < 100001; i += 997) {
      EXPECT_EQ(element<double>(tenths, i), 0.5 + double(i) * 0.1);
    }
    Tensor large = laid_out({1000}, DType::Int64, 2);
    arange_fill(large, int64_t(1) << 60, -3);
    EXPECT_EQ(element<int64_t>(large, 999), (int64_t(1) << 60) - 2997);
    Tensor bytes = empty_tensor({300}, DType::UInt8, DeviceKind::CPU);
    arange_fill(bytes, 250, 1);
    EXPECT_EQ(int(element<uint8_t>(bytes, 10)), 4);
  });
}

TEST(long_ranges_end_where_the_tensor_does) {
  int before = num_threads();
  set_num_threads(1);  // one piece: more elements than a block of the loop
  for_each_isa([] {
    constexpr int64_t kCount = (int64_t(1) << 20) + 5;
    Tensor block = empty_tensor({2 * kCount}, DType::Float32, DeviceKind::CPU);
    fill("fill_", block, -1);
    arange_fill(view_of(block, {kCount}, {1}, 0), 0.0, 0.5);
    EXPECT_EQ(element<float>(block, kCount - 1), 0.5f * float(kCount - 1));
    EXPECT_EQ(element<float>(block, kCount), -1.0f);
  });
  set_num_threads(before);
}

TEST(inspection_finds_what_it_looks_for) {
  for (int layout = 0; layout < kLayouts; ++layout) {
    Tensor x = laid_out({4, 33}, DType::Int8, layout);
    fill("fill_", x, 1);
    EXPECT(!any_zero(x) && !any_negative(x));
    element<int8_t>(x, 131) = 0;
    EXPECT(any_zero(x) && !any_negative(x));
    element<int8_t>(x, 100) = -5;
    EXPECT(any_negative(x));
    EXPECT(all_equal(x, cast(x, DType::Int8)));
    EXPECT(!all_equal(x, view_of(x, {2, 33}, x.strides(), x.storage_offset())));
  }
  Tensor nan = tensor_of<float>({1}, {kNan});
  EXPECT(!all_equal(nan, nan));
  EXPECT(all_equal(tensor_of<float>({1}, {0.0f}), tensor_of<float>({1}, {-0.0f})));
}

TEST(inspection_reads_every_integral_dtype) {
  for (DType dtype : all_dtypes()) {
    if (!is_integral(dtype, /*with_bool=*/true)) continue;
    Tensor ones = cast(tensor_of<int64_t>({3}, {1, 1, 1}), dtype);
    EXPECT(!any_zero(ones) && !any_negative(ones));
    EXPECT(any_zero(cast(tensor_of<int64_t>({3}, {1, 0, 1}), dtype)));
    const bool is_signed = dtype == DType::Int8 || dtype == DType::Int16 || dtype == DType::Int32 ||
                           dtype == DType::Int64;
    EXPECT_EQ(any_negative(cast(tensor_of<int64_t>({3}, {1, 1, -1}), dtype)), is_signed);
  }
}
