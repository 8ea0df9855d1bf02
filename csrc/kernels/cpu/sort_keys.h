#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "base/dtype.h"

namespace ceph::kernels {

// Note [Order of sort]
// Values are sorted as unsigned integers of their own width whose order is theirs: a NaN, of either
// sign, is the largest value; -0 and 0 are equal; descending is the complement. So equal values
// keep their order in both directions, and NaNs come last, or first when descending.

template <size_t Bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = uint64_t;
};
template <class T>
using SortKey = typename UnsignedOf<sizeof(T)>::type;

// Key of a floating value given its bits; `infinity` is the bit pattern of +inf. Selects only:
// loops over it vectorise.
template <class U>
constexpr U floating_key(U bits, U infinity) {
  constexpr U sign = U(1) << (sizeof(U) * 8 - 1);
  U magnitude = static_cast<U>(bits & ~sign);
  U negative = static_cast<U>(U(0) - static_cast<U>(bits >> (sizeof(U) * 8 - 1)));  // all bits
  U key = static_cast<U>(bits ^ (negative | sign));
  key = magnitude == 0 ? sign : key;
  return magnitude > infinity ? static_cast<U>(~U(0)) : key;
}

template <class T>
SortKey<T> sort_key(T value) {
  using U = SortKey<T>;
  if constexpr (std::is_same_v<T, Half>) {
    return floating_key<U>(value.bits, 0x7c00);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return floating_key<U>(value.bits, 0x7f80);
  } else if constexpr (std::is_same_v<T, float>) {
    return floating_key<U>(std::bit_cast<U>(value), 0x7f800000u);
  } else if constexpr (std::is_same_v<T, double>) {
    return floating_key<U>(std::bit_cast<U>(value), 0x7ff0000000000000u);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<U>(static_cast<U>(value) ^ (U(1) << (sizeof(U) * 8 - 1)));
  } else {
    return static_cast<U>(value);
  }
}

// The key of a NaN, which no other value has.
template <class T>
constexpr bool is_nan_key(SortKey<T> key) {
  return !std::is_integral_v<T> && key == static_cast<SortKey<T>>(~SortKey<T>(0));
}

}  // namespace ceph::kernels
