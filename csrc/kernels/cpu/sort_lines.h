#pragma once

#include "core/tensor.h"

namespace ceph::kernels {

// The lines along one dimension of three tensors of one shape.
struct Lines {
  DimVector sizes, from, values, indices;  // of the other dimensions
  int64_t length = 1, from_step = 0, values_step = 0, indices_step = 0;
  int64_t count = 1;

  Lines(const Tensor& self, int64_t dim, const Tensor& v, const Tensor& i) {
    for (int64_t d = 0; d < self.dim(); ++d) {
      if (d == dim) {
        length = self.size(d);
        from_step = self.stride(d);
        values_step = v.stride(d);
        indices_step = i.stride(d);
      } else {
        sizes.push_back(self.size(d));
        from.push_back(self.stride(d));
        values.push_back(v.stride(d));
        indices.push_back(i.stride(d));
        count *= self.size(d);
      }
    }
  }
  int64_t offset(int64_t line, const DimVector& strides) const {
    int64_t at = 0;
    for (size_t d = sizes.size(); d-- > 0; line /= sizes[d]) at += line % sizes[d] * strides[d];
    return at;
  }
};

// Calls `function` with a value of the C++ type of a dtype that has an order.
template <class Function>
void for_ordered(const char* op, DType dtype, Function function) {
  switch (dtype) {
#define CEPH_CASE(name, type)                                                                      \
  case DType::name:                                                                                \
    return function(type());
    CEPH_CASE(Bool, bool)
    CEPH_CASE(UInt8, uint8_t)
    CEPH_CASE(Int8, int8_t)
    CEPH_CASE(Int16, int16_t)
    CEPH_CASE(Int32, int32_t)
    CEPH_CASE(Int64, int64_t)
    CEPH_CASE(Float16, Half)
    CEPH_CASE(BFloat16, BFloat16)
    CEPH_CASE(Float32, float)
    CEPH_CASE(Float64, double)
#undef CEPH_CASE
  default:
    fail(ErrorKind::kNotImplemented, op, "expected values with an order; got ", name_of(dtype));
  }
}

}  // namespace ceph::kernels
