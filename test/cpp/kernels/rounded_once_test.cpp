// Casts into small formats round once, and a real alpha scales complex parts.

#include <cmath>
#include <limits>

#include "generated/ops/add.h"
#include "generated/ops/arange.h"
#include "isa.h"
#include "kernels/copy.h"
#include "testing.h"
#include "values.h"

using namespace ceph;
using namespace ceph::testing;

namespace {

// As many as fill vectors of every ISA and leave a tail.
constexpr int64_t kCount = 67;

template <class To, class From>
void expect_cast(From value, To expected) {
  Tensor x = tensor_of<From>({kCount}, std::vector<From>(kCount, value));
  for (To got : values_of<To>(kernels::cast(x, dtype_of<To>::value))) {
    EXPECT_EQ(int(got.bits), int(expected.bits));
  }
}

// Every value next to the middle between two neighbours of a format, and its negative: there a
// first rounding to float loses on which side it lies.
template <class To>
void expect_rounded_once() {
  for (int code = 0; code < (sizeof(To) == 1 ? 0x78 : 0x7b00); code += sizeof(To) == 1 ? 1 : 97) {
    To low = To::from_bits(static_cast<decltype(To::bits)>(code));
    To high = To::from_bits(static_cast<decltype(To::bits)>(code + 1));
    double middle = (double(float(low)) + double(float(high))) / 2;
    expect_cast(std::nextafter(middle, HUGE_VAL), high);
    expect_cast(std::nextafter(middle, -HUGE_VAL), low);
    expect_cast(-std::nextafter(middle, HUGE_VAL), To(-float(high)));
    // Nearer to the next float than to the middle, which lies below both.
    double step = std::nextafter(float(middle), HUGE_VALF) - float(middle);
    expect_cast(middle + 0.75 * step, high);
    expect_cast(middle, code % 2 ? high : low);
  }
}

}  // namespace

TEST(doubles_are_rounded_once) {
  for_each_isa([] {
    expect_rounded_once<Half>();
    expect_rounded_once<BFloat16>();
    expect_rounded_once<Float8E4M3FN>();
    expect_rounded_once<Float8E5M2>();
  });
}

TEST(doubles_beyond_the_range_and_nan) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for_each_isa([] {
    expect_cast(kInf, Half::from_bits(0x7c00));
    expect_cast(-1e300, Half::from_bits(0xfc00));
    expect_cast(65519.999, Half::from_bits(0x7bff));
    expect_cast(65520.0, Half::from_bits(0x7c00));
    expect_cast(-1e-300, Half::from_bits(0x8000));
    expect_cast(-0.0, BFloat16::from_bits(0x8000));
    expect_cast(1e300, BFloat16::from_bits(0x7f80));
    Tensor nan = tensor_of<double>({1}, {std::numeric_limits<double>::quiet_NaN()});
    // The quiet NaN, as the conversion instructions give it.
    EXPECT_EQ(values_of<Half>(kernels::cast(nan, DType::Float16)).at(0).bits, 0x7e00);
    EXPECT(std::isnan(values_of<BFloat16>(kernels::cast(nan, DType::BFloat16)).at(0)));
  });
}

TEST(integers_are_rounded_once) {
  for_each_isa([] {
    // Just above the middle of two bfloat16 numbers: 1 + 2^-8 + a bit that float, or double, drops.
    expect_cast((int64_t(257) << 54) + 1, BFloat16(std::ldexp(258.0, 54)));
    expect_cast(-(int64_t(257) << 54) - 1, BFloat16(std::ldexp(-258.0, 54)));
    expect_cast((uint64_t(257) << 55) + 1, BFloat16(std::ldexp(258.0, 55)));
    expect_cast((int32_t(257) << 22) + 1, BFloat16(std::ldexp(258.0, 22)));
    expect_cast(int64_t(257) << 54, BFloat16(std::ldexp(256.0, 54)));
    expect_cast(std::numeric_limits<int64_t>::min(), BFloat16(-0x1p63));
    expect_cast(int64_t(2049), Half(2048.0f));
  });
}

TEST(complex_is_rounded_once) {
  using C = std::complex<double>;
  for_each_isa([] { expect_cast(C(1 + 0x1p-11 + 0x1p-40, 5), Half(1 + 0x1p-10f)); });
}

TEST(ranges_are_rounded_once) {
  for_each_isa([] {
    Tensor range = ops::arange(0.0, 2.0, 1 + 0x1p-11 + 0x1p-40, DType::Float16);
    EXPECT_EQ(float(values_of<Half>(range).at(1)), 1 + 0x1p-10f);
  });
}

TEST(a_real_alpha_scales_both_parts) {
  using C = std::complex<float>;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for_each_isa([] {
    Tensor zero = tensor_of<C>({2}, {C(-0.0f, -0.0f), C(0, 0)});
    Tensor other = tensor_of<C>({2}, {C(-0.0f, -0.0f), C(kInf, 0)});
    std::vector<C> sum = values_of<C>(ops::add(zero, other, 2));
    EXPECT(std::signbit(sum[0].real()) && std::signbit(sum[0].imag()));
    EXPECT(sum[1].real() == kInf && sum[1].imag() == 0);
    Tensor one = tensor_of<C>({1}, {C(1, 2)});
    Tensor turned = ops::add(tensor_of<C>({1}, {C(0, 0)}), one, std::complex<double>(0, 1));
    EXPECT(values_of<C>(turned).at(0) == C(-2, 1));
  });
}
