#pragma once

#include "base/dtype.h"
#include "python/py_util.h"

namespace ceph::python {

struct DTypeObject {
  PyObject_HEAD;
  DType value;
};
extern PyTypeObject DTypeType;

inline bool is_dtype(PyObject* o) { return Py_TYPE(o) == &DTypeType; }
inline DType unwrap_dtype(PyObject* o) { return reinterpret_cast<DTypeObject*>(o)->value; }
// Borrowed: there is one object per dtype.
PyObject* dtype_object(DType t);
// What `dtype=` takes: a dtype object, or bool, int, float, complex of Python.
bool accepts_dtype(PyObject* o);
DType to_dtype(PyObject* o);

void init_dtype(PyObject* module);

}  // namespace ceph::python
