#pragma once

#include "python/tensor_type.h"

namespace ceph::python {

// NumPy interchange without copies and without NumPy's headers: arrays come in through the buffer
// protocol and go out through an exporter object that numpy.asarray takes.

bool is_numpy_array(PyObject* o);
// Shares the array's memory. TypeError for a dtype without a twin; ValueError for negative strides,
// strides that are no multiple of an element, and foreign byte order.
Tensor tensor_from_array(PyObject* array, const char* op);
PyObject* array_from_tensor(const Tensor& t, const char* op);

void init_array(PyObject* module);

}  // namespace ceph::python
