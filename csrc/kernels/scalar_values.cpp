#include "kernels/scalar_values.h"

namespace ceph::kernels {

namespace {

template <class M>
void write(const char* op, void* at, size_t index, const Scalar& value) {
  constexpr bool kReduced = std::is_class_v<M> && sizeof(M) <= 2;  // float16, bfloat16, float8
  using T = std::conditional_t<kReduced, float, M>;
  static_cast<T*>(at)[index] = value.to<T>(op);
}

}  // namespace

void ScalarValues::convert(const char* op, DType compute, ArrayRef<Scalar> scalars) {
  CEPH_INTERNAL(scalars.size() <= kMaxScalars);
  for (size_t i = 0; i < scalars.size(); ++i) {
    switch (compute) {
#define CEPH_CASE(name, type, text)                                                                \
  case DType::name:                                                                                \
    write<type>(op, bytes_, i, scalars[i]);                                                        \
    break;
      CEPH_FORALL_DTYPES(CEPH_CASE)
#undef CEPH_CASE
    }
  }
}

}  // namespace ceph::kernels
