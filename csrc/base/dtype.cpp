#include "base/dtype.h"

#include <array>
#include <atomic>

#include "base/error.h"

namespace ceph {
namespace {

constexpr std::array<std::string_view, kNumDTypes> kNames{
#define CEPH_NAME(name, type, text) text,
    CEPH_FORALL_DTYPES(CEPH_NAME)
#undef CEPH_NAME
};

constexpr bool is_wide_unsigned(DType t) { return t >= DType::UInt16 && t <= DType::UInt64; }

// Note [Promotion lattice]
// bool < integers < floating < complex; inside a kind the wider one, with three joins that are
// neither operand: uint8 and a signed one take the next signed size, float16 and bfloat16 meet in
// float32, complex64 with float64 is complex128. uint16/32/64 join floating types only, float8
// none.
constexpr std::optional<DType> join(DType a, DType b) {
  if (a == b) return a;
  if (static_cast<int>(a) > static_cast<int>(b)) return join(b, a);
  if (is_float8(b)) return std::nullopt;
  if (is_wide_unsigned(a) || is_wide_unsigned(b)) {
    return is_floating(b) ? std::optional(b) : std::nullopt;
  }
  if (a == DType::UInt8 && b == DType::Int8) return DType::Int16;
  if (a == DType::Float16 && b == DType::BFloat16) return DType::Float32;
  if (a == DType::Float64 && b == DType::Complex64) return DType::Complex128;
  return b;
}

constexpr auto kJoins = [] {
  std::array<std::array<std::optional<DType>, kNumDTypes>, kNumDTypes> table{};
  for (int a = 0; a < kNumDTypes; ++a) {
    for (int b = 0; b < kNumDTypes; ++b) {
      table[a][b] = join(static_cast<DType>(a), static_cast<DType>(b));
    }
  }
  return table;
}();

std::atomic<DType> current_default{DType::Float32};

}  // namespace

std::string_view name_of(DType t) { return kNames[static_cast<size_t>(t)]; }

std::optional<DType> dtype_named(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& out, DType t) { return out << name_of(t); }

DType promote_types(DType a, DType b) {
  const std::optional<DType> joined = kJoins[static_cast<size_t>(a)][static_cast<size_t>(b)];
  CEPH_CHECK(joined, ErrorKind::kRuntime, "promote_types", "there is no common type of ", a,
             " and ", b, "; convert one operand explicitly");
  return *joined;
}

bool can_cast(DType from, DType to) {
  if (is_complex(from)) return is_complex(to);
  if (is_floating(from)) return is_floating(to) || is_complex(to);
  if (is_integral(from)) return to != DType::Bool;
  return true;
}

DType default_dtype() { return current_default.load(std::memory_order_relaxed); }

void set_default_dtype(DType t) {
  CEPH_CHECK(is_floating(t) && !is_float8(t), ErrorKind::kType, "set_default_dtype",
             "expected a floating-point dtype of 16 bits or more; got ", t);
  current_default.store(t, std::memory_order_relaxed);
}

}  // namespace ceph
