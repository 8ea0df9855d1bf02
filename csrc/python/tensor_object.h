#pragma once

#include "python/tensor_type.h"

namespace ceph::python {

// A new object of exactly `type` for a tensor without one; keys are the caller's (see wrap_as).
PyObject* new_object(PyTypeObject* type, Tensor tensor);

}  // namespace ceph::python
