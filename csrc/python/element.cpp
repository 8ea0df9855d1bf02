#include "python/element.h"

#include <cstring>

#include "python/arg_convert.h"

namespace ceph::python {

namespace {

template <class T>
void store(void* at, PyObject* value, const char* op) {
  T element;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (PyFloat_CheckExact(value)) {
      element = static_cast<T>(PyFloat_AS_DOUBLE(value));
      std::memcpy(at, &element, sizeof(T));
      return;
    }
  }
  Scalar scalar = to_scalar(value, op);
  CEPH_CHECK(!scalar.is_integral() || is_floating(dtype_of<T>::value) ||
                 scalar.representable_in(dtype_of<T>::value),
             ErrorKind::kRuntime, op, "the value ", scalar, " is out of the range of ",
             name_of(dtype_of<T>::value));
  element = scalar.to<T>(op);
  std::memcpy(at, &element, sizeof(T));
}

template <class T>
PyObject* load(const void* at) {
  T element;
  std::memcpy(&element, at, sizeof(T));
  constexpr DType dtype = dtype_of<T>::value;
  if constexpr (dtype == DType::Bool) {
    return PyBool_FromLong(element);
  } else if constexpr (is_complex(dtype)) {
    return PyComplex_FromDoubles(element.real(), element.imag());
  } else if constexpr (is_floating(dtype)) {
    return PyFloat_FromDouble(static_cast<double>(element));
  } else if constexpr (is_signed(dtype)) {
    return PyLong_FromLongLong(element);
  } else {
    return PyLong_FromUnsignedLongLong(element);
  }
}

constexpr StoreElement kStore[kNumDTypes] = {
#define CEPH_STORE(name, type, text) store<type>,
    CEPH_FORALL_DTYPES(CEPH_STORE)
#undef CEPH_STORE
};
constexpr PyObject* (*kLoad[kNumDTypes])(const void*) = {
#define CEPH_LOAD(name, type, text) load<type>,
    CEPH_FORALL_DTYPES(CEPH_LOAD)
#undef CEPH_LOAD
};

}  // namespace

StoreElement store_for(DType dtype) { return kStore[static_cast<int>(dtype)]; }
PyObject* load_element(DType dtype, const void* at) { return kLoad[static_cast<int>(dtype)](at); }

}  // namespace ceph::python
