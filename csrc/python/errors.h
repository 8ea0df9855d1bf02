#pragma once

#include "python/py_util.h"

namespace ceph::python {

// RuntimeError's subclass for memory that can't be had.
PyObject* out_of_memory_error();
PyObject* python_class(ErrorKind kind);
void init_errors(PyObject* module);

}  // namespace ceph::python
