#pragma once

#include "core/generator.h"
#include "python/py_util.h"

namespace ceph::python {

extern PyTypeObject GeneratorType;  // cepheid.Generator

inline bool is_generator(PyObject* o) { return PyType_IsSubtype(Py_TYPE(o), &GeneratorType); }
const Generator& unwrap_generator(PyObject* o);
// New reference to the one Python object of a generator; None for an undefined one.
PyObject* wrap_generator(Generator generator);

void init_generator(PyObject* module);

}  // namespace ceph::python
