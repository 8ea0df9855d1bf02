#include "base/scalar.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/error.h"

namespace ceph {
namespace {

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

// Bounds of T as doubles, exact: the truncated value must lie in [low, high).
template <class T>
constexpr double low_bound() {
  return static_cast<double>(std::numeric_limits<T>::min());
}
template <class T>
constexpr double high_bound() {
  return std::ldexp(1.0, std::numeric_limits<T>::digits);
}

template <class T>
bool truncates_into(double v) {
  const double whole = std::trunc(v);
  return whole >= low_bound<T>() && whole < high_bound<T>();
}

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

template <class T>
bool integer_fits(Scalar::Tag tag, int64_t v) {
  if (tag == Scalar::Tag::UInt64) return std::numeric_limits<T>::digits == 64;
  if constexpr (std::is_unsigned_v<T>) {
    return v >= 0 && static_cast<uint64_t>(v) <= std::numeric_limits<T>::max();
  } else {
    return v >= std::numeric_limits<T>::min() && v <= std::numeric_limits<T>::max();
  }
}

// Finite values that would become an infinity of float32; the narrower formats saturate as
// documented, since a cast of a float32 tensor to them does as well.
bool float_overflows(double v) { return std::isfinite(v) && std::isinf(static_cast<float>(v)); }

void print_double(std::ostream& out, double v) {
  if (std::isnan(v)) {
    out << "nan";
    return;
  }
  if (std::isinf(v)) {
    out << (v < 0 ? "-inf" : "inf");
    return;
  }
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, v).ptr;
  const std::string_view digits(text, static_cast<size_t>(end - text));
  out << digits;
  if (digits.find_first_of(".e") == std::string_view::npos) out << ".0";
}

bool integer_equals_double(Scalar::Tag tag, int64_t i, double d) {
  if (std::isnan(d) || d != std::trunc(d)) return false;
  if (tag == Scalar::Tag::UInt64) {
    return d >= kTwo63 && d < kTwo64 && static_cast<uint64_t>(d) == static_cast<uint64_t>(i);
  }
  return d >= -kTwo63 && d < kTwo63 && static_cast<int64_t>(d) == i;
}

}  // namespace

DType Scalar::wrapped_dtype() const {
  switch (tag_) {
  case Tag::Bool:
    return DType::Bool;
  case Tag::Int:
    return DType::Int64;
  case Tag::UInt64:
    return DType::UInt64;
  case Tag::Double:
    return default_dtype();
  case Tag::Complex:
    return default_dtype() == DType::Float64 ? DType::Complex128 : DType::Complex64;
  }
  CEPH_INTERNAL(false && "unknown scalar tag");
  return DType::Bool;
}

DType Scalar::full_dtype() const {
  constexpr DType kFull[] = {DType::Bool, DType::Int64, DType::UInt64, DType::Float64,
                             DType::Complex128};
  return kFull[static_cast<size_t>(tag_)];
}

template <class T>
T Scalar::to(const char* op) const {
  if constexpr (std::is_same_v<T, bool>) {
    if (is_complex()) return complex_[0] != 0 || complex_[1] != 0;
    return is_floating() ? double_ != 0 : int_ != 0;
  } else if constexpr (kIsComplex<T>) {
    const std::complex<double> v = to_complex();
    using Real = typename T::value_type;
    return T(static_cast<Real>(v.real()), static_cast<Real>(v.imag()));
  } else {
    if (tag_ == Tag::Complex) {
      CEPH_CHECK(complex_[1] == 0, ErrorKind::kRuntime, op, "expected a real number for ",
                 dtype_of<T>::value, "; got ", *this);
      return Scalar(complex_[0]).to<T>(op);
    }
    if (tag_ == Tag::Double) {
      if constexpr (std::is_integral_v<T>) {
        CEPH_CHECK(truncates_into<T>(double_), ErrorKind::kRuntime, op, "value ", *this,
                   " cannot be converted to ", dtype_of<T>::value, " without overflow");
      }
      return static_cast<T>(double_);
    }
    if (tag_ == Tag::UInt64) return static_cast<T>(static_cast<uint64_t>(int_));
    return static_cast<T>(int_);
  }
}

#define CEPH_SCALAR_TO(name, type, text) template CEPH_API type Scalar::to<type>(const char*) const;
CEPH_FORALL_DTYPES(CEPH_SCALAR_TO)
#undef CEPH_SCALAR_TO

bool Scalar::representable_in(DType t) const {
  if (t == DType::Bool) return true;
  if (tag_ == Tag::Complex) {
    if (ceph::is_complex(t)) {
      return t == DType::Complex128 ||
             !(float_overflows(complex_[0]) || float_overflows(complex_[1]));
    }
    return complex_[1] == 0 && Scalar(complex_[0]).representable_in(t);
  }
  if (!ceph::is_integral(t)) {
    const bool narrow = t == DType::Float32 || t == DType::Complex64;
    return !(narrow && tag_ == Tag::Double && float_overflows(double_));
  }
  switch (t) {
#define CEPH_CASE(T)                                                                               \
  case dtype_of<T>::value:                                                                         \
    return tag_ == Tag::Double ? truncates_into<T>(double_) : integer_fits<T>(tag_, int_);
    CEPH_CASE(uint8_t)
    CEPH_CASE(int8_t)
    CEPH_CASE(int16_t)
    CEPH_CASE(int32_t)
    CEPH_CASE(int64_t)
    CEPH_CASE(uint16_t)
    CEPH_CASE(uint32_t)
    CEPH_CASE(uint64_t)
#undef CEPH_CASE
  default:
    CEPH_INTERNAL(false && "not an integral dtype");
    return false;
  }
}

std::complex<double> Scalar::to_complex() const {
  if (tag_ == Tag::Complex) return {complex_[0], complex_[1]};
  return {to<double>(), 0.0};
}

bool Scalar::equals(const Scalar& other) const {
  if (is_complex() || other.is_complex()) {
    const auto real = [](const Scalar& s) { return s.is_complex() ? Scalar(s.complex_[0]) : s; };
    const auto imag = [](const Scalar& s) { return s.is_complex() ? s.complex_[1] : 0.0; };
    return imag(*this) == imag(other) && real(*this).equals(real(other));
  }
  if (is_floating() && other.is_floating()) return double_ == other.double_;
  if (is_floating()) return integer_equals_double(other.tag_, other.int_, double_);
  if (other.is_floating()) return integer_equals_double(tag_, int_, other.double_);
  return (tag_ == Tag::UInt64) == (other.tag_ == Tag::UInt64) && int_ == other.int_;
}

Scalar Scalar::negate() const {
  switch (tag_) {
  case Tag::Double:
    return Scalar(-double_);
  case Tag::Complex:
    return Scalar(std::complex<double>(-complex_[0], -complex_[1]));
  case Tag::UInt64:
    CEPH_CHECK(int_ == std::numeric_limits<int64_t>::min(), ErrorKind::kOverflow, "neg", "-",
               static_cast<uint64_t>(int_), " is outside the range of int64");
    return Scalar(int_);
  default:
    break;
  }
  // -(-2^63) is a UInt64.
  return int_ < 0 ? Scalar(uint64_t(0) - static_cast<uint64_t>(int_)) : Scalar(-int_);
}

std::ostream& operator<<(std::ostream& out, const Scalar& value) {
  switch (value.tag()) {
  case Scalar::Tag::Bool:
    return out << (value.to<bool>() ? "True" : "False");
  case Scalar::Tag::Int:
    return out << value.to<int64_t>();
  case Scalar::Tag::UInt64:
    return out << value.to<uint64_t>();
  case Scalar::Tag::Double:
    print_double(out, value.to<double>());
    return out;
  case Scalar::Tag::Complex:
    break;
  }
  const std::complex<double> v = value.to_complex();
  out << '(';
  print_double(out, v.real());
  if (!std::signbit(v.imag())) out << '+';
  print_double(out, v.imag());
  return out << "j)";
}

}  // namespace ceph
