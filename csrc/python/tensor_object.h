#pragma once

#include "python/tensor_type.h"

namespace ceph::python {

// A new object of exactly `type` for a tensor without one; keys are the caller's (see wrap_as).
PyObject* new_object(PyTypeObject* type, Tensor tensor);

// Whether what dies in C++ can still give up its Python object. While the interpreter ends, only
// the thread that ends it can, and must: its last collection looks at the objects.
bool can_release_objects();

}  // namespace ceph::python
