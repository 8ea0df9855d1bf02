#pragma once
// The switch of a test build with mutants; every mutated file includes it. A release build has
// neither this file nor a site.

#include <cstdint>
#include <cstring>
#include <type_traits>

extern "C" {
__attribute__((visibility("default"))) extern int32_t ceph_mutant_active;  // -1: none
__attribute__((visibility("default"))) extern uint8_t ceph_mutant_reached[];
}

#define CEPH_MUTANT_INLINE __attribute__((always_inline)) inline

namespace ceph::mutant {

// Whether a site is switched on. It never is where the compiler computes.
CEPH_MUTANT_INLINE constexpr bool on(int site) {
  if (__builtin_is_constant_evaluated()) return false;
  if (!ceph_mutant_reached[site]) ceph_mutant_reached[site] = 1;
  return ceph_mutant_active == site;
}

template <class T>
CEPH_MUTANT_INLINE T ulps_away(T x, int ulps) {
  using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  Bits bits;
  __builtin_memcpy(&bits, &x, sizeof(T));
  if (x - x == 0) bits += static_cast<Bits>(ulps);
  __builtin_memcpy(&x, &bits, sizeof(T));
  return x;
}

template <class T>
inline constexpr bool kFloating = std::is_same_v<T, float> || std::is_same_v<T, double>;

// The functions below take a value through. Where its type has no such mutant they hand on what
// they were given, an array as an array, and the site isn't reached.
#define CEPH_MUTANT_THROUGH(name, applies, changed)                                                \
  CEPH_MUTANT_INLINE constexpr decltype(auto) name(T&& x, [[maybe_unused]] int site) {             \
    using U = std::remove_cvref_t<T>;                                                              \
    if constexpr (applies) {                                                                       \
      U value = x;                                                                                 \
      if (on(site)) value = changed;                                                               \
      return value;                                                                                \
    } else {                                                                                       \
      return static_cast<T&&>(x);                                                                  \
    }                                                                                              \
  }

// A floating result some ULPs away.
template <int kUlps, class T>
CEPH_MUTANT_THROUGH(nudged, kFloating<U>, ulps_away(value, kUlps))

// An integral result off by one.
template <class T>
CEPH_MUTANT_THROUGH(next, (std::is_integral_v<U> && !std::is_same_v<U, bool>),
                    static_cast<U>(value + 1))

template <class T>
inline constexpr bool kNarrowable = kFloating<T> || (std::is_integral_v<T> && sizeof(T) == 8);

// A number passed through a narrower type: double through float, float through 10 bits of
// mantissa, 64-bit integers through 16 bits (the suite has sizes beyond those, not beyond 32).
template <class T>
CEPH_MUTANT_INLINE constexpr T narrow(T x) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<T>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<T, float>) {
    uint32_t bits = 0;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    bits &= 0xffffe000u;
    __builtin_memcpy(&x, &bits, sizeof(bits));
    return x;
  } else {
    return static_cast<T>(static_cast<int16_t>(x));
  }
}

template <class T>
CEPH_MUTANT_THROUGH(narrowed, kNarrowable<U>, narrow(value))

// sum += term, the sum kept in a narrower type.
template <class T, class U>
CEPH_MUTANT_INLINE constexpr T& add_narrowed(T& sum, const U& term, [[maybe_unused]] int site) {
  sum += term;
  if constexpr (kNarrowable<T>) {
    if (on(site)) sum = narrow(sum);
  }
  return sum;
}

}  // namespace ceph::mutant
