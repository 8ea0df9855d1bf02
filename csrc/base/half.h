#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ceph {
namespace detail {

// Note [Small floats]
// Every format below float32 is (exponent bits, mantissa bits, bias, infinities or not); one pair
// of conversions serves all. They are made of selects and integer arithmetic, so loops over them
// vectorise; they round to nearest, ties to even, and keep subnormals, signed zeros, infinities and
// NaN; a format without infinities saturates (the saturating mode of the OCP 8-bit formats).
// Subnormal results come from one float addition whose ulp is the smallest subnormal.
template <int kExponent, int kMantissa, int kBias, bool kHasInf>
struct SmallFloat {
  static constexpr int kShift = 23 - kMantissa;
  static constexpr uint32_t kSign = 1u << (kExponent + kMantissa);
  static constexpr uint32_t kMagnitude = kSign - 1;
  // The infinity's code; without infinities, the one NaN's.
  static constexpr uint32_t kTop = kHasInf ? ((1u << kExponent) - 1) << kMantissa : kMagnitude;
  static constexpr uint32_t kQuiet = kHasInf ? 1u << (kMantissa - 1) : 0;
  static constexpr float kSmallest = std::bit_cast<float>(uint32_t(128 - kBias - kMantissa) << 23);

  static constexpr float decode(uint32_t bits) {
    const uint32_t magnitude = bits & kMagnitude;
    const uint32_t sign = (bits & kSign) << (31 - kExponent - kMantissa);
    const uint32_t normal = (magnitude << kShift) + (uint32_t(127 - kBias) << 23);
    const uint32_t small = std::bit_cast<uint32_t>(float(int32_t(magnitude)) * kSmallest);
    uint32_t out = magnitude < (1u << kMantissa) ? small : normal;
    const uint32_t special =
        0x7f800000u | (kHasInf ? (magnitude << kShift) & 0x7fffffu : 0x400000u);
    const uint32_t quiet = kHasInf && magnitude > kTop ? 0x400000u : 0u;
    out = magnitude >= kTop ? special | quiet : out;
    return std::bit_cast<float>(out | sign);
  }

  static constexpr uint32_t encode(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t sign = (bits >> (31 - kExponent - kMantissa)) & kSign;
    const uint32_t round = (1u << (kShift - 1)) - 1 + ((magnitude >> kShift) & 1);
    const uint32_t normal = (magnitude - (uint32_t(127 - kBias) << 23) + round) >> kShift;
    constexpr uint32_t kMagic = uint32_t(151 - kBias - kMantissa) << 23;
    const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kMagic);
    const uint32_t small = std::bit_cast<uint32_t>(sum) - kMagic;
    constexpr uint32_t kLargest = kHasInf ? kTop : kTop - 1;
    uint32_t out = magnitude < (uint32_t(128 - kBias) << 23) ? small : std::min(normal, kLargest);
    // Sixteen bits keep a NaN's upper payload, as the conversion instructions do.
    const uint32_t payload = kMantissa < 8 ? kMagnitude : (magnitude >> kShift) & kMagnitude;
    out = magnitude > 0x7f800000u ? kTop | kQuiet | payload : out;
    return out | sign;
  }
};

struct BrainFloat {
  static constexpr float decode(uint32_t bits) { return std::bit_cast<float>(bits << 16); }
  static constexpr uint32_t encode(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
    const uint32_t nan = (bits >> 16) | 0x40u;
    return (bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded;
  }
};

// The float nearest to `value` towards zero, with its last bit set if anything was cut off:
// rounding it once more gives what rounding `value` directly would (no double rounding).
constexpr float round_to_odd(double value) {
  const float near = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(near);
  const double back = near;
  const double size = value < 0 ? -value : value;
  const double back_size = back < 0 ? -back : back;
  bits -= back_size > size ? 1u : 0u;
  bits |= back_size != size && value == value ? 1u : 0u;
  return std::bit_cast<float>(bits);
}

// Integers of more than 53 bits: the bits below the double's last are folded into it.
template <class T>
constexpr float round_to_odd_integer(T value) {
  const bool negative = value < 0;
  uint64_t size =
      negative ? uint64_t(0) - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (size >> 53) size = (size & ~uint64_t(0x7ff)) | (size & 0x7ff ? 0x800u : 0u);
  const double exact = static_cast<double>(size);
  return round_to_odd(negative ? -exact : exact);
}

template <class T>
constexpr float to_float_once(T value) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, long double>) {
    return round_to_odd(static_cast<double>(value));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) > 2) {
    return round_to_odd_integer(value);
  } else {
    return static_cast<float>(value);
  }
}

}  // namespace detail

// A value of `Bits` bits: implicit to float, where all arithmetic happens; explicit from any
// number, rounded once. `bits` is the storage; T::from_bits makes one from it.
#define CEPH_SMALL_FLOAT(Name, Bits, Codec)                                                        \
  struct Name {                                                                                    \
    Bits bits;                                                                                     \
    using Format = detail::Codec;                                                                  \
    Name() = default;                                                                              \
    template <class T>                                                                             \
      requires std::is_arithmetic_v<T>                                                             \
    constexpr explicit Name(T value)                                                               \
        : bits(static_cast<Bits>(Format::encode(detail::to_float_once(value)))) {}                 \
    static constexpr Name from_bits(Bits bits) {                                                   \
      Name out{};                                                                                  \
      out.bits = bits;                                                                             \
      return out;                                                                                  \
    }                                                                                              \
    constexpr operator float() const { return Format::decode(bits); }                              \
  };

namespace detail {
using HalfFormat = SmallFloat<5, 10, 15, true>;
using E5M2Format = SmallFloat<5, 2, 15, true>;
using E4M3FNFormat = SmallFloat<4, 3, 7, false>;
}  // namespace detail

CEPH_SMALL_FLOAT(Half, uint16_t, HalfFormat)
CEPH_SMALL_FLOAT(BFloat16, uint16_t, BrainFloat)
CEPH_SMALL_FLOAT(Float8E4M3FN, uint8_t, E4M3FNFormat)
CEPH_SMALL_FLOAT(Float8E5M2, uint8_t, E5M2Format)
#undef CEPH_SMALL_FLOAT

namespace detail {

// Codes of the limits; the format without infinities gives its NaN for infinity().
template <class T, int kDigits, uint32_t kMin, uint32_t kMax, uint32_t kEpsilon, uint32_t kInf,
          uint32_t kNan, uint32_t kSignBit>
struct SmallFloatLimits {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = kInf != kNan;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int digits = kDigits;
  static constexpr int radix = 2;
  static constexpr T min() { return T::from_bits(kMin); }
  static constexpr T max() { return T::from_bits(kMax); }
  static constexpr T lowest() { return T::from_bits(kMax | kSignBit); }
  static constexpr T epsilon() { return T::from_bits(kEpsilon); }
  static constexpr T infinity() { return T::from_bits(kInf); }
  static constexpr T quiet_NaN() { return T::from_bits(kNan); }
  static constexpr T denorm_min() { return T::from_bits(1); }
};

}  // namespace detail
}  // namespace ceph

template <>
struct std::numeric_limits<ceph::Half>
    : ceph::detail::SmallFloatLimits<ceph::Half, 11, 0x0400, 0x7bff, 0x1400, 0x7c00, 0x7e00,
                                     0x8000> {};
template <>
struct std::numeric_limits<ceph::BFloat16>
    : ceph::detail::SmallFloatLimits<ceph::BFloat16, 8, 0x0080, 0x7f7f, 0x3c00, 0x7f80, 0x7fc0,
                                     0x8000> {};
template <>
struct std::numeric_limits<ceph::Float8E4M3FN>
    : ceph::detail::SmallFloatLimits<ceph::Float8E4M3FN, 4, 0x08, 0x7e, 0x20, 0x7f, 0x7f, 0x80> {};
template <>
struct std::numeric_limits<ceph::Float8E5M2>
    : ceph::detail::SmallFloatLimits<ceph::Float8E5M2, 3, 0x04, 0x7b, 0x34, 0x7c, 0x7e, 0x80> {};
