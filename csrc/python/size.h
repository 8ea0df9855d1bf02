#pragma once

#include "base/array_ref.h"
#include "python/py_util.h"

namespace ceph::python {

extern PyTypeObject SizeType;  // cepheid.Size, a tuple of ints

PyObject* wrap_size(IntArrayRef sizes);
PyObject* wrap_tuple(IntArrayRef values);  // a plain tuple
void init_size(PyObject* module);

}  // namespace ceph::python
