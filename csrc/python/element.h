#pragma once

#include "base/scalar.h"
#include "python/py_util.h"

namespace ceph::python {

// One element in memory <-> a Python number.
using StoreElement = void (*)(void* at, PyObject* value, const char* op);
StoreElement store_for(DType dtype);  // RuntimeError for an int that the dtype can't hold
PyObject* load_element(DType dtype, const void* at);

}  // namespace ceph::python
