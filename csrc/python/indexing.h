#pragma once

#include "python/tensor_type.h"

namespace ceph::python {

// x[index] and x[index] = value, as documented: ints, slices, None, Ellipsis, bools, tensors of
// integers or bools, sequences of ints, and tuples that mix them.
PyObject* tensor_subscript(PyObject* self, PyObject* index);
int tensor_assign_subscript(PyObject* self, PyObject* index, PyObject* value);

}  // namespace ceph::python
