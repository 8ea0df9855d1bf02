#include "kernels/cpu/representable.h"

#include <cmath>

#include "base/error.h"

namespace ceph::kernels {
namespace {

// A finite number beyond the largest of a 16-bit floating dtype.
bool too_large(const Scalar& value, DType dtype) {
  if (value.is_complex()) return false;
  double size = std::abs(value.to_double());
  if (dtype == DType::Float16) return std::isfinite(size) && size > 65504;
  if (dtype == DType::BFloat16) return std::isfinite(size) && size > 0x1.fep127;
  return false;
}

bool fits(const Scalar& value, DType dtype) {
  if (value.is_complex() && !is_complex(dtype) && value.to_complex().imag() != 0) return false;
  if (too_large(value, dtype)) return false;
  if (dtype == DType::Bool || value.representable_in(dtype)) return true;
  bool negative = value.tag() == Scalar::Tag::Int && value.to_int64() < 0;
  return negative && is_integral(dtype) && !is_signed(dtype) &&
         value.negate().representable_in(dtype);
}

}  // namespace

void check_representable(const char* op, const char* argument, const Scalar& value, DType dtype) {
  CEPH_CHECK(fits(value, dtype), ErrorKind::kRuntime, op, argument, " must be representable in ",
             name_of(dtype), "; got ", value);
}

}  // namespace ceph::kernels
