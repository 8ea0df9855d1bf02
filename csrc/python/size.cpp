#include "python/size.h"

namespace ceph::python {

namespace {

void fill(PyObject* tuple, IntArrayRef values) {
  for (size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), checked(PyLong_FromLongLong(values[i])));
  }
}

// Elements become ints: Size([np.int64(2), tensor(3)]) holds 2 and 3.
PyObject* size_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    Ref self = own(PyTuple_Type.tp_new(type, args, kwargs));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.get()); ++i) {
      PyObject* item = PyTuple_GET_ITEM(self.get(), i);
      if (PyLong_CheckExact(item)) continue;
      CEPH_CHECK(PyIndex_Check(item), ErrorKind::kType, "Size", "element ", i,
                 " must be an int; got ", type_name(item));
      PyObject* index = checked(PyNumber_Index(item));
      PyTuple_SET_ITEM(self.get(), i, index);
      Py_DECREF(item);
    }
    return self.release();
  });
}

PyObject* size_repr(PyObject* self) {
  return guarded([&] {
    Ref list = own(PySequence_List(self));
    return PyUnicode_FromFormat("torch.Size(%R)", list.get());
  });
}

PyObject* as_size(PyObject* result) {
  return guarded([&]() -> PyObject* {
    Ref tuple = own(result);
    if (!PyTuple_CheckExact(tuple.get())) return tuple.release();  // NotImplemented, an item
    Ref args = own(PyTuple_Pack(1, tuple.get()));
    return PyTuple_Type.tp_new(&SizeType, args.get(), nullptr);
  });
}

PyObject* size_concat(PyObject* a, PyObject* b) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
}
PyObject* size_repeat(PyObject* self, Py_ssize_t count) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_repeat(self, count));
}
PyObject* size_subscript(PyObject* self, PyObject* key) {
  return as_size(PyTuple_Type.tp_as_mapping->mp_subscript(self, key));
}

PyObject* size_numel(PyObject* self, PyObject*) {
  return guarded([&] {
    Ref product = own(PyLong_FromLong(1));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
      product = own(PyNumber_Multiply(product.get(), PyTuple_GET_ITEM(self, i)));
    }
    return product.release();
  });
}

PyObject* size_reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    Ref tuple = own(PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self)));
    // A whole slice of a tuple is the tuple itself only for exact tuples, so this one is plain.
    return Py_BuildValue("O(O)", reinterpret_cast<PyObject*>(&SizeType), tuple.get());
  });
}

PySequenceMethods as_sequence = {.sq_concat = size_concat, .sq_repeat = size_repeat};
PyMappingMethods as_mapping = {.mp_subscript = size_subscript};
PyMethodDef methods[] = {
    {"numel", size_numel, METH_NOARGS,
     "Product of the elements: how many elements such a tensor has."},
    {"__reduce__", size_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject SizeType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid.Size",
    .tp_repr = size_repr,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Size(iterable): the sizes of a tensor's dimensions, a tuple of ints.",
    .tp_methods = methods,
    .tp_base = nullptr,  // &PyTuple_Type, set before PyType_Ready
    .tp_new = size_new,
};

PyObject* wrap_size(IntArrayRef sizes) {
  PyObject* self = checked(SizeType.tp_alloc(&SizeType, static_cast<Py_ssize_t>(sizes.size())));
  Ref owner = Ref::steal(self);
  fill(self, sizes);
  return owner.release();
}

PyObject* wrap_tuple(IntArrayRef values) {
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  fill(tuple.get(), values);
  return tuple.release();
}

void init_size(PyObject* module) {
  SizeType.tp_base = &PyTuple_Type;
  add_type(module, &SizeType, "Size");
}

}  // namespace ceph::python
