#pragma once

#include <algorithm>
#include <complex>
#include <limits>
#include <type_traits>

namespace ceph::kernels {

// How a term joins what is at its place already. Integers wrap; for bool a sum is "or" and a
// product "and". `kNeutral` is what changes no term.

template <class T>
struct Sum {
  static constexpr T kNeutral = T(0);
  static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
      return a + b;
    }
  }
};

template <class T>
struct Product {
  static constexpr T kNeutral = T(1);
  static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (std::is_integral_v<T>) {
      // Not the unsigned twin: of 16 bits it would be multiplied as int, which may overflow.
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

// The greater and the lesser of two; a NaN wins.
template <class T>
struct Greatest {
  static constexpr T kNeutral = std::numeric_limits<T>::has_infinity
                                    ? -std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::lowest();
  static T of(T a, T b) { return a != a || a > b ? a : b; }
};

template <class T>
struct Least {
  static constexpr T kNeutral = std::numeric_limits<T>::has_infinity
                                    ? std::numeric_limits<T>::infinity()
                                    : std::numeric_limits<T>::max();
  static T of(T a, T b) { return a != a || a < b ? a : b; }
};

}  // namespace ceph::kernels
