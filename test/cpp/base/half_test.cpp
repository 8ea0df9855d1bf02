#include "base/half.h"

#include <cmath>
#include <vector>

#include "testing.h"

using namespace ceph;

namespace {

// The value of a code by the definition of the format, in double: exact.
double value_of(uint32_t bits, int exponent_bits, int mantissa_bits, int bias, bool has_inf) {
  const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const uint32_t exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
  const double sign = bits >> (exponent_bits + mantissa_bits) & 1 ? -1.0 : 1.0;
  const uint32_t top = (1u << exponent_bits) - 1;
  if (has_inf && exponent == top) return mantissa ? std::nan("") : sign * HUGE_VAL;
  if (!has_inf && exponent == top && mantissa == (1u << mantissa_bits) - 1) return std::nan("");
  const int e = exponent ? static_cast<int>(exponent) - bias : 1 - bias;
  const double whole = (exponent ? 1u << mantissa_bits : 0u) + mantissa;
  return sign * std::ldexp(whole, e - mantissa_bits);
}

bool same_float(float a, double b) {
  return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
}

// Every code: to float as defined, and back to itself.
template <class T>
void check_all_codes(int exponent_bits, int mantissa_bits, int bias, bool has_inf) {
  using Bits = decltype(T::bits);
  for (uint32_t code = 0; code < 1u << (8 * sizeof(Bits)); ++code) {
    const T value = T::from_bits(static_cast<Bits>(code));
    const double expected = value_of(code, exponent_bits, mantissa_bits, bias, has_inf);
    const float got = value;
    if (!same_float(got, expected)) EXPECT_EQ(got, expected);
    const T back(got);
    if (std::isnan(expected)) {
      EXPECT(std::isnan(static_cast<float>(back)));
    } else if (back.bits != code) {
      EXPECT_EQ(uint32_t(back.bits), code);
    }
  }
}

// Between two neighbouring finite codes: the middle goes to the even one, a hair off it to the
// nearer one, whichever of float and double it comes from.
template <class T>
void check_rounding(uint32_t last_finite) {
  using Bits = decltype(T::bits);
  const auto make = [](uint32_t code) { return T::from_bits(static_cast<Bits>(code)); };
  for (uint32_t code = 0; code < last_finite; ++code) {
    const double low = make(code), high = make(code + 1);
    const double middle = (low + high) / 2;
    const uint32_t even = code % 2 == 0 ? code : code + 1;
    const double below = std::nextafter(middle, low), above = std::nextafter(middle, high);
    const bool good =
        T(middle).bits == even && T(below).bits == code && T(above).bits == code + 1 &&
        T(static_cast<float>(middle)).bits == even &&
        T(std::nextafterf(static_cast<float>(middle), static_cast<float>(low))).bits == code &&
        T(std::nextafterf(static_cast<float>(middle), static_cast<float>(high))).bits == code + 1 &&
        T(-middle).bits == (even | 1u << (8 * sizeof(Bits) - 1));
    if (!good) EXPECT_EQ(code, ~0u);
  }
}

}  // namespace

TEST(half_codes) { check_all_codes<Half>(5, 10, 15, true); }
TEST(bfloat16_codes) { check_all_codes<BFloat16>(8, 7, 127, true); }
TEST(float8_e4m3fn_codes) { check_all_codes<Float8E4M3FN>(4, 3, 7, false); }
TEST(float8_e5m2_codes) { check_all_codes<Float8E5M2>(5, 2, 15, true); }

TEST(half_rounding) { check_rounding<Half>(0x7bff); }
TEST(bfloat16_rounding) { check_rounding<BFloat16>(0x7f7f); }
TEST(float8_e4m3fn_rounding) { check_rounding<Float8E4M3FN>(0x7e); }
TEST(float8_e5m2_rounding) { check_rounding<Float8E5M2>(0x7b); }

TEST(overflow_goes_to_infinity_or_saturates) {
  EXPECT_EQ(Half(65519.996f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Half(-1e30f).bits, 0xfc00);
  EXPECT_EQ(Half(INFINITY).bits, 0x7c00);
  EXPECT_EQ(BFloat16(3.4e38f).bits, 0x7f80);
  EXPECT_EQ(Float8E5M2(61440.0f).bits, 0x7c);
  EXPECT_EQ(Float8E4M3FN(448.0f).bits, 0x7e);
  EXPECT_EQ(Float8E4M3FN(464.0f).bits, 0x7e);
  EXPECT_EQ(Float8E4M3FN(465.0f).bits, 0x7e);
  EXPECT_EQ(Float8E4M3FN(1e30f).bits, 0x7e);
  EXPECT_EQ(Float8E4M3FN(-INFINITY).bits, 0xfe);
}

TEST(nan_stays_nan) {
  EXPECT_EQ(Float8E4M3FN(NAN).bits, 0x7f);
  const std::vector<Float8E4M3FN> nan = {Float8E4M3FN::from_bits(0x7f)};
  EXPECT_EQ(std::bit_cast<uint32_t>(float(nan.at(0))), 0x7fc00000u);
  EXPECT_EQ(Float8E5M2(NAN).bits, 0x7f);
  EXPECT_EQ(Half(std::bit_cast<float>(0xffc02000u)).bits, 0xfe01);
  EXPECT(std::isnan(float(Half(NAN))));
  EXPECT(std::isnan(float(BFloat16(std::bit_cast<float>(0x7f800001u)))));
  EXPECT(std::isnan(float(Float8E5M2(NAN))));
  EXPECT(std::isnan(float(Half(double(NAN)))));
}

TEST(double_and_integers_round_once) {
  // Rounding to float first would lose the last bit and make a tie of it.
  EXPECT_EQ(Half(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)).bits, 0x3c01);
  EXPECT_EQ(Half(1.0 + std::ldexp(1.0, -11)).bits, 0x3c00);
  const int64_t big = (int64_t(1) << 62) + (int64_t(1) << 54) + 1;
  EXPECT_EQ(BFloat16(big).bits, 0x5e81);
  EXPECT_EQ(BFloat16(big - 1).bits, 0x5e80);
  EXPECT_EQ(BFloat16(-big).bits, 0xde81);
  EXPECT_EQ(BFloat16(int64_t(-70000)).bits, BFloat16(-70000.0f).bits);
  EXPECT_EQ(Half(2049).bits, 0x6800);
  EXPECT_EQ(Half(true).bits, 0x3c00);
  EXPECT_EQ(BFloat16(~uint64_t(0)).bits, 0x5f80);
}

TEST(limits) {
  EXPECT_EQ(float(std::numeric_limits<Half>::max()), 65504.0f);
  EXPECT_EQ(float(std::numeric_limits<Half>::lowest()), -65504.0f);
  EXPECT_EQ(float(std::numeric_limits<Half>::epsilon()), 0.0009765625f);
  EXPECT_EQ(float(std::numeric_limits<BFloat16>::epsilon()), 0.0078125f);
  EXPECT_EQ(float(std::numeric_limits<Float8E4M3FN>::max()), 448.0f);
  EXPECT_EQ(float(std::numeric_limits<Float8E4M3FN>::epsilon()), 0.125f);
  EXPECT_EQ(float(std::numeric_limits<Float8E5M2>::max()), 57344.0f);
  EXPECT_EQ(float(std::numeric_limits<Float8E5M2>::min()), 6.103515625e-05f);
  EXPECT(std::isinf(float(std::numeric_limits<BFloat16>::infinity())));
}
