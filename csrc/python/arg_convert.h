#pragma once

#include "base/scalar.h"
#include "core/tensor.h"
#include "python/py_util.h"

namespace ceph::python {

// Python object -> C++ value, for objects whose kind has been accepted. `op` is named in errors.
int64_t to_int64(PyObject* value, const char* op);
double to_double(PyObject* value, const char* op);
Scalar to_scalar(PyObject* value, const char* op);
// A number as a Python object: bool, int, float or complex.
PyObject* wrap_scalar(const Scalar& value);
// The only element of a tensor; reads it through the dispatcher.
Scalar item_of(const Tensor& t, const char* op);

}  // namespace ceph::python
