#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

#include "base/export.h"
#include "base/half.h"

namespace ceph {

// One row per dtype: enumerator, C++ type, public name.
#define CEPH_FORALL_DTYPES(_)                                                                      \
  _(Bool, bool, "bool")                                                                            \
  _(UInt8, uint8_t, "uint8")                                                                       \
  _(Int8, int8_t, "int8")                                                                          \
  _(Int16, int16_t, "int16")                                                                       \
  _(Int32, int32_t, "int32")                                                                       \
  _(Int64, int64_t, "int64")                                                                       \
  _(UInt16, uint16_t, "uint16")                                                                    \
  _(UInt32, uint32_t, "uint32")                                                                    \
  _(UInt64, uint64_t, "uint64")                                                                    \
  _(Float16, ::ceph::Half, "float16")                                                              \
  _(BFloat16, ::ceph::BFloat16, "bfloat16")                                                        \
  _(Float32, float, "float32")                                                                     \
  _(Float64, double, "float64")                                                                    \
  _(Complex64, std::complex<float>, "complex64")                                                   \
  _(Complex128, std::complex<double>, "complex128")                                                \
  _(Float8E4M3FN, ::ceph::Float8E4M3FN, "float8_e4m3fn")                                           \
  _(Float8E5M2, ::ceph::Float8E5M2, "float8_e5m2")

enum class DType : uint8_t {
#define CEPH_ENUMERATOR(name, type, text) name,
  CEPH_FORALL_DTYPES(CEPH_ENUMERATOR)
#undef CEPH_ENUMERATOR
};

inline constexpr int kNumDTypes = 0
#define CEPH_COUNT(name, type, text) +1
    CEPH_FORALL_DTYPES(CEPH_COUNT)
#undef CEPH_COUNT
    ;

namespace detail {
inline constexpr uint8_t kItemSize[kNumDTypes] = {
#define CEPH_SIZE(name, type, text) sizeof(type),
    CEPH_FORALL_DTYPES(CEPH_SIZE)
#undef CEPH_SIZE
};
}  // namespace detail

constexpr size_t item_size(DType t) { return detail::kItemSize[static_cast<int>(t)]; }
CEPH_API std::string_view name_of(DType t);  // "float32"
CEPH_API std::optional<DType> dtype_named(std::string_view name);
CEPH_API std::ostream& operator<<(std::ostream& out, DType t);

constexpr bool is_complex(DType t) { return t == DType::Complex64 || t == DType::Complex128; }
constexpr bool is_float8(DType t) { return t == DType::Float8E4M3FN || t == DType::Float8E5M2; }
constexpr bool is_floating(DType t) {
  return (t >= DType::Float16 && t <= DType::Float64) || is_float8(t);
}
constexpr bool is_integral(DType t, bool with_bool = false) {
  return (t >= DType::UInt8 && t <= DType::UInt64) || (with_bool && t == DType::Bool);
}
constexpr bool is_signed(DType t) {
  return t != DType::Bool && t != DType::UInt8 && !(t >= DType::UInt16 && t <= DType::UInt64);
}
constexpr DType real_of(DType t) {  // complex64 -> float32; others themselves
  return t == DType::Complex64 ? DType::Float32 : t == DType::Complex128 ? DType::Float64 : t;
}

// Result of two operands of the same kind, as documented: the lattice of PyTorch's promotion page.
// Throws RuntimeError for pairs without a common type (float8 with another floating type, ...).
CEPH_API DType promote_types(DType a, DType b);
// Whether values of `from` may be written to `to`: not complex -> real, float -> int, int -> bool.
CEPH_API bool can_cast(DType from, DType to);

template <class T>
struct dtype_of;
#define CEPH_DTYPE_OF(name, type, text)                                                            \
  template <>                                                                                      \
  struct dtype_of<type> {                                                                          \
    static constexpr DType value = DType::name;                                                    \
  };
CEPH_FORALL_DTYPES(CEPH_DTYPE_OF)
#undef CEPH_DTYPE_OF

// Default floating dtype (set_default_dtype).
CEPH_API DType default_dtype();
CEPH_API void set_default_dtype(DType t);

}  // namespace ceph
