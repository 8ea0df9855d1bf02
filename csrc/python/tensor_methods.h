#pragma once

#include "python/tensor_type.h"

namespace ceph::python {

// Parts of Tensor's method table that other files define.
PyObject* tensor_reduce(PyObject* self, PyObject* protocol);  // pickle.cpp
PyObject* tensor_deepcopy(PyObject* self, PyObject* memo);
PyObject* tensor_dlpack(PyObject* self, PyObject* args, PyObject* kwargs);  // dlpack.cpp
PyObject* tensor_dlpack_device(PyObject* self);
PyObject* tensor_tolist(const Tensor& t);

}  // namespace ceph::python
