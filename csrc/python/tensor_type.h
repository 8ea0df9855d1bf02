#pragma once

#include "core/tensor.h"
#include "python/py_util.h"
#include "python/torch_function.h"

namespace ceph::python {

// The Python object of a tensor. `tensor` owns a reference to the impl, except while the impl owns
// this object (Note [Python object of a tensor] in core/tensor_impl.h): then it only points.
struct TensorObject {
  PyObject_HEAD;
  Tensor tensor;
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject TensorType;      // cepheid.Tensor
extern PyTypeObject TensorMetaType;  // its metaclass

inline bool is_exact_tensor(PyObject* o) { return Py_TYPE(o) == &TensorType; }
inline bool is_tensor(PyObject* o) {
  return is_exact_tensor(o) || PyType_IsSubtype(Py_TYPE(o), &TensorType);
}
// Of an object that is a tensor.
inline const Tensor& unwrap(PyObject* o) { return reinterpret_cast<TensorObject*>(o)->tensor; }

// New reference to the one Python object of the tensor; None for an undefined handle.
PyObject* wrap(Tensor tensor);
// A new object of class `type` (a subclass of Tensor) for a tensor that has no Python object yet.
// A class with a __torch_dispatch__ rule gives the tensor the Python key.
PyObject* wrap_as(PyTypeObject* type, Tensor tensor);

// Another tensor over the same data and version counter, without a Python object.
Tensor alias_of(const Tensor& t);

// Neither a subclass nor an active mode: the fast path of every method.
inline bool is_plain(PyObject* self) {
  return is_exact_tensor(self) && !function_state.mode_active;
}
// The override door for `self` as the only operand; decides once is_plain() has said no.
inline bool needs_override(PyObject* self) { return !is_plain(self) && has_override(self); }

// Parts of the type that other files define.
extern PyNumberMethods tensor_as_number;
extern PyMappingMethods tensor_as_mapping;
extern PySequenceMethods tensor_as_sequence;
extern PyGetSetDef tensor_getset[];
extern PyMethodDef tensor_methods[];
extern richcmpfunc tensor_richcompare;
void init_conversion_slots();  // int float bool index of nb_*
PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
PyObject* tensor_iter(PyObject* self);

void init_tensor_object();
void init_tensor_type(PyObject* module);

}  // namespace ceph::python
