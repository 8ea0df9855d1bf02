#pragma once

#include <cstdint>

namespace ceph {

// Size arithmetic that may leave int64's range. True when it did; `*out` is then meaningless.
[[nodiscard]] inline bool multiply_overflows(int64_t a, int64_t b, int64_t* out) {
  return __builtin_mul_overflow(a, b, out);
}
[[nodiscard]] inline bool add_overflows(int64_t a, int64_t b, int64_t* out) {
  return __builtin_add_overflow(a, b, out);
}

// Rounded up; for a >= 0 and b > 0, and never out of range.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

}  // namespace ceph
