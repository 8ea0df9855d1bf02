#include "kernels/inspect.h"

#include <atomic>
#include <cstring>

#include "core/tensor_iterator.h"
#include "kernels/copy.h"

namespace ceph::kernels {

namespace {

template <class T>
T read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// Whether `test` holds for an element of an integral tensor.
template <class T, class Test>
bool any_element(const Tensor& t, Test test) {
  std::atomic<bool> found{false};
  DimVector strides = t.strides();
  for (int64_t& stride : strides) stride *= static_cast<int64_t>(sizeof(T));
  TensorIterator it =
      TensorIterator::over(t.sizes(), {static_cast<char*>(t.data())}, {IntArrayRef(strides)});
  it.for_each([&](char* const* data, const int64_t* steps, int64_t size0, int64_t size1) {
    bool any = false;
    for (int64_t row = 0; row < size1; ++row) {
      const char* at = data[0] + row * steps[1];
      for (int64_t i = 0; i < size0; ++i) any |= test(read<T>(at + i * steps[0]));
    }
    if (any) found.store(true, std::memory_order_relaxed);
  });
  return found.load();
}

template <class Test>
bool any_integer(const Tensor& t, Test test) {
  switch (t.dtype()) {
  case DType::Bool:
  case DType::UInt8:
    return any_element<uint8_t>(t, test);
  case DType::Int8:
    return any_element<int8_t>(t, test);
  case DType::Int16:
    return any_element<int16_t>(t, test);
  case DType::Int32:
    return any_element<int32_t>(t, test);
  case DType::Int64:
    return any_element<int64_t>(t, test);
  case DType::UInt16:
    return any_element<uint16_t>(t, test);
  case DType::UInt32:
    return any_element<uint32_t>(t, test);
  case DType::UInt64:
    return any_element<uint64_t>(t, test);
  default:
    fail(ErrorKind::kInternal, "any_integer", "expected an integral dtype; got ", t.dtype());
  }
}

template <class T>
bool equal_elements(const Tensor& a, const Tensor& b) {
  std::atomic<bool> differ{false};
  DimVector strides_a = a.strides(), strides_b = b.strides();
  for (int64_t& stride : strides_a) stride *= static_cast<int64_t>(sizeof(T));
  for (int64_t& stride : strides_b) stride *= static_cast<int64_t>(sizeof(T));
  TensorIterator it =
      TensorIterator::over(a.sizes(), {static_cast<char*>(a.data()), static_cast<char*>(b.data())},
                           {IntArrayRef(strides_a), IntArrayRef(strides_b)});
  it.for_each([&](char* const* data, const int64_t* steps, int64_t size0, int64_t size1) {
    bool same = true;
    for (int64_t row = 0; row < size1; ++row) {
      const char* p = data[0] + row * steps[2];
      const char* q = data[1] + row * steps[3];
      for (int64_t i = 0; i < size0; ++i) {
        same &= read<T>(p + i * steps[0]) == read<T>(q + i * steps[1]);
      }
    }
    if (!same) differ.store(true, std::memory_order_relaxed);
  });
  return !differ.load();
}

template <class T>
Scalar scalar_of(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return Scalar(value);
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return Scalar(value);
  } else if constexpr (std::is_integral_v<T>) {
    return Scalar(static_cast<int64_t>(value));
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    return Scalar(std::complex<double>(value));
  } else {
    return Scalar(static_cast<double>(static_cast<float>(value)));
  }
}
template <>
Scalar scalar_of(double value) {
  return Scalar(value);
}

}  // namespace

bool any_zero(const Tensor& t) {
  return any_integer(t, [](auto x) { return x == 0; });
}

bool any_negative(const Tensor& t) {
  return any_integer(t, [](auto x) { return x < 0; });
}

bool all_equal(const Tensor& a, const Tensor& b) {
  CEPH_INTERNAL(a.dtype() == b.dtype());
  if (!(a.sizes() == b.sizes())) return false;
  switch (a.dtype()) {
  case DType::Bool:
  case DType::UInt8:
  case DType::Int8:
    return equal_elements<uint8_t>(a, b);
  case DType::UInt16:
  case DType::Int16:
    return equal_elements<uint16_t>(a, b);
  case DType::UInt32:
  case DType::Int32:
    return equal_elements<uint32_t>(a, b);
  case DType::UInt64:
  case DType::Int64:
    return equal_elements<uint64_t>(a, b);
  case DType::Float32:
    return equal_elements<float>(a, b);
  case DType::Float64:
    return equal_elements<double>(a, b);
  case DType::Complex64:
    return equal_elements<std::complex<float>>(a, b);
  case DType::Complex128:
    return equal_elements<std::complex<double>>(a, b);
  default:
    return all_equal(cast(a, DType::Float32), cast(b, DType::Float32));
  }
}

Scalar number_in(const Tensor& t) {
  switch (t.dtype()) {
#define CEPH_CASE(name, type, text)                                                                \
  case DType::name:                                                                                \
    return scalar_of(*static_cast<const type*>(t.data()));
    CEPH_FORALL_DTYPES(CEPH_CASE)
#undef CEPH_CASE
  }
  fail(ErrorKind::kInternal, "item", "unknown dtype");
}

}  // namespace ceph::kernels
