#pragma once

#include <complex>
#include <cstdint>
#include <ostream>

#include "base/dtype.h"
#include "base/export.h"

namespace ceph {

// A tagged number: what a Python bool, int, float or complex is in a call.
class CEPH_API Scalar {
 public:
  enum class Tag : uint8_t { Bool, Int, UInt64, Double, Complex };  // UInt64: above int64's range

  Scalar() : tag_(Tag::Int), int_(0) {}
  Scalar(bool v) : tag_(Tag::Bool), int_(v) {}
  Scalar(int v) : tag_(Tag::Int), int_(v) {}
  Scalar(int64_t v) : tag_(Tag::Int), int_(v) {}
  Scalar(uint64_t v) : tag_(v >> 63 ? Tag::UInt64 : Tag::Int), int_(static_cast<int64_t>(v)) {}
  Scalar(double v) : tag_(Tag::Double), double_(v) {}
  Scalar(std::complex<double> v) : tag_(Tag::Complex), complex_{v.real(), v.imag()} {}

  Tag tag() const { return tag_; }
  bool is_bool() const { return tag_ == Tag::Bool; }
  bool is_integral() const { return tag_ == Tag::Int || tag_ == Tag::UInt64; }
  bool is_floating() const { return tag_ == Tag::Double; }
  bool is_complex() const { return tag_ == Tag::Complex; }

  // The dtype it has as a wrapped number: bool, int64, the default dtype, or its complex twin.
  DType wrapped_dtype() const;
  // The dtype that loses nothing: bool, int64, uint64, float64, complex128.
  DType full_dtype() const;

  // Converts with C++ rules, integers wrapping; float -> int of a value out of range, of NaN, and
  // complex -> real with an imaginary part are refused with an error that names `op`.
  template <class T>
  T to(const char* op = "Scalar") const;
  // Whether `to<T>` would keep the value (integers: in range; floats may round).
  bool representable_in(DType t) const;

  int64_t to_int64(const char* op = "Scalar") const { return to<int64_t>(op); }
  double to_double(const char* op = "Scalar") const { return to<double>(op); }
  std::complex<double> to_complex() const;
  bool equals(const Scalar& other) const;  // mathematical value; NaN differs from itself
  Scalar negate() const;

 private:
  Tag tag_;
  union {
    int64_t int_;
    double double_;
    double complex_[2];
  };
};

// Instantiated in scalar.cpp for every dtype's C++ type.
#define CEPH_SCALAR_TO(name, type, text) extern template type Scalar::to<type>(const char*) const;
CEPH_FORALL_DTYPES(CEPH_SCALAR_TO)
#undef CEPH_SCALAR_TO

CEPH_API std::ostream& operator<<(std::ostream& out, const Scalar& value);

}  // namespace ceph
