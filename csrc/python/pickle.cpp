// Pickling and copying of tensors. Storages are shared: two views in one pickle stay views of one.

#include "python/pickle.h"
#include "autograd/meta.h"
#include "core/layout.h"
#include "python/arg_convert.h"
#include "python/arg_parser.h"
#include "python/dtype.h"
#include "python/size.h"
#include "python/storage.h"
#include "python/tensor_methods.h"
#include "python/tensor_object.h"

namespace ceph::python {

namespace {

TensorObject* object_of(PyObject* self) { return reinterpret_cast<TensorObject*>(self); }

void require_storage(const Tensor& t, const char* op) {
  CEPH_CHECK(t->has_storage(), ErrorKind::kRuntime, op,
             "a wrapper subclass has no storage; define ", op, " in the class");
}

IntVector ints_of(PyObject* sequence, const char* op) {
  Ref items = own(PySequence_Tuple(sequence));
  IntVector values;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    values.push_back(to_int64(PyTuple_GET_ITEM(items.get(), i), op));
  }
  return values;
}

// A tensor over a storage. What comes from a pickle isn't believed: geometry is checked against the
// storage's real size before anything is made.
Tensor tensor_over(const Storage& storage, DType dtype, int64_t offset, IntArrayRef sizes,
                   IntArrayRef strides) {
  constexpr const char* op = "_rebuild_tensor";
  CEPH_CHECK(sizes.size() == strides.size(), ErrorKind::kValue, op,
             "one stride per dimension is needed; got ", strides.size(), " for ", sizes.size());
  CEPH_CHECK(offset >= 0, ErrorKind::kValue, op, "the storage offset must not be negative; got ",
             offset);
  for (size_t d = 0; d < sizes.size(); ++d) {
    CEPH_CHECK(sizes[d] >= 0 && strides[d] >= 0, ErrorKind::kValue, op,
               "sizes and strides must not be negative; got ", sizes, " and ", strides);
  }
  size_t needed =
      checked_numel(sizes, op) == 0 ? 0 : checked_nbytes(sizes, strides, offset, dtype, op);
  CEPH_CHECK(needed <= storage->nbytes(), ErrorKind::kValue, op, "the tensor needs ", needed,
             " bytes of its storage, which has ", storage->nbytes());
  DispatchKeySet keys = empty_tensor({0}, dtype, storage->device()).keys();
  auto impl = make_intrusive<TensorImpl>(storage, dtype, storage->device(), keys);
  impl->set_geometry(sizes, strides, offset);
  return Tensor(std::move(impl));
}

// _rebuild_tensor(cls, storage, dtype, storage_offset, size, stride, requires_grad)
PyObject* rebuild_tensor(PyObject*, PyObject* args) {
  PyObject *cls, *storage, *dtype, *offset, *size, *stride, *requires_grad;
  if (!PyArg_ParseTuple(args, "O!O!O!OOOO:_rebuild_tensor", &PyType_Type, &cls, &StorageType,
                        &storage, &DTypeType, &dtype, &offset, &size, &stride, &requires_grad)) {
    return nullptr;
  }
  return guarded([&] {
    auto* type = reinterpret_cast<PyTypeObject*>(cls);
    CEPH_CHECK(PyType_IsSubtype(type, &TensorType), ErrorKind::kType, "_rebuild_tensor",
               "the class must be a subclass of Tensor; got ", type->tp_name);
    constexpr const char* op = "_rebuild_tensor";
    Tensor made = tensor_over(unwrap_storage(storage), unwrap_dtype(dtype), to_int64(offset, op),
                              ints_of(size, op), ints_of(stride, op));
    const int on = PyObject_IsTrue(requires_grad);
    checked(on);
    autograd::set_requires_grad(made, on != 0);
    return wrap_as(type, std::move(made));
  });
}

// _rebuild_meta_tensor(cls, dtype, size, stride): no bytes to share.
PyObject* rebuild_meta(PyObject*, PyObject* args) {
  PyObject *cls, *dtype, *size, *stride;
  if (!PyArg_ParseTuple(args, "O!O!OO:_rebuild_meta_tensor", &PyType_Type, &cls, &DTypeType, &dtype,
                        &size, &stride)) {
    return nullptr;
  }
  return guarded([&] {
    auto* type = reinterpret_cast<PyTypeObject*>(cls);
    CEPH_CHECK(PyType_IsSubtype(type, &TensorType), ErrorKind::kType, "_rebuild_meta_tensor",
               "the class must be a subclass of Tensor; got ", type->tp_name);
    constexpr const char* op = "_rebuild_meta_tensor";
    return wrap_as(type, empty_strided_tensor(ints_of(size, op), ints_of(stride, op),
                                              unwrap_dtype(dtype), Device(DeviceKind::Meta), op));
  });
}

Ref rebuild_arguments(PyObject* self) {
  const Tensor& t = unwrap(self);
  Ref size = own(wrap_size(t.sizes())), stride = own(wrap_tuple(t.strides()));
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(self));
  if (t.device().is_meta()) {
    return own(Py_BuildValue("(OOOO)", type, dtype_object(t.dtype()), size.get(), stride.get()));
  }
  Ref storage = own(wrap_storage(t->storage()));
  return own(Py_BuildValue("(OOOLOOO)", type, storage.get(), dtype_object(t.dtype()),
                           static_cast<long long>(t.storage_offset()), size.get(), stride.get(),
                           autograd::requires_grad(t) ? Py_True : Py_False));
}

// Attributes, and __slots__ of a subclass where there are any.
Ref state_of(PyObject* self) {
  if (is_exact_tensor(self) && !object_of(self)->dict) return Ref::share(Py_None);
  Ref getstate = own(PyObject_GetAttrString(self, "__getstate__"));
  Ref state = own(PyObject_CallNoArgs(getstate.get()));
  bool empty = PyDict_Check(state.get()) && PyDict_GET_SIZE(state.get()) == 0;
  return empty ? Ref::share(Py_None) : state;
}

void restore_state(PyObject* self, PyObject* state) {
  if (state == Py_None) return;
  Ref dict = PyTuple_Check(state) ? Ref::share(PyTuple_GET_ITEM(state, 0)) : Ref::share(state);
  if (PyDict_Check(dict.get())) {
    Ref own_dict = own(PyObject_GenericGetDict(self, nullptr));
    checked(PyDict_Update(own_dict.get(), dict.get()));
  }
  if (!PyTuple_Check(state) || !PyDict_Check(PyTuple_GET_ITEM(state, 1))) return;
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(PyTuple_GET_ITEM(state, 1), &at, &name, &value);) {
    checked(PyObject_SetAttr(self, name, value));
  }
}

Ref deep_copied(PyObject* value, PyObject* memo) {
  Ref deepcopy = import_attribute("copy", "deepcopy");
  return own(PyObject_CallFunctionObjArgs(deepcopy.get(), value, memo, nullptr));
}

PyMethodDef functions[] = {
    {"_rebuild_tensor", rebuild_tensor, METH_VARARGS,
     "_rebuild_tensor(cls, storage, dtype, storage_offset, size, stride, requires_grad): what a "
     "pickled tensor names; "
     "ValueError when the geometry doesn't fit into the storage."},
    {"_rebuild_meta_tensor", rebuild_meta, METH_VARARGS,
     "_rebuild_meta_tensor(cls, dtype, size, stride)"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

// (rebuild function, its arguments, attributes)
PyObject* tensor_reduce(PyObject* self, PyObject*) {
  const Tensor& t = unwrap(self);
  require_storage(t, "__reduce_ex__");
  Ref rebuild = import_attribute("cepheid._C",
                                 t.device().is_meta() ? "_rebuild_meta_tensor" : "_rebuild_tensor");
  Ref arguments = rebuild_arguments(self);
  Ref state = state_of(self);
  if (state.get() == Py_None) return checked(PyTuple_Pack(2, rebuild.get(), arguments.get()));
  return checked(PyTuple_Pack(3, rebuild.get(), arguments.get(), state.get()));
}

// A copy of the storage, the same view of it; grad and attributes are copied likewise.
PyObject* tensor_deepcopy(PyObject* self, PyObject* memo) {
  CEPH_CHECK(PyDict_Check(memo), ErrorKind::kType, "__deepcopy__", "the memo must be a dict; got ",
             type_name(memo));
  Ref key = own(PyLong_FromVoidPtr(self));
  if (PyObject* seen = PyDict_GetItemWithError(memo, key.get())) return Py_NewRef(seen);
  if (PyErr_Occurred()) throw_python_error();
  const Tensor& t = unwrap(self);
  require_storage(t, "__deepcopy__");
  CEPH_CHECK(autograd::is_leaf(t), ErrorKind::kRuntime, "__deepcopy__",
             "only a leaf can be copied: this tensor is part of a graph; use detach() or clone()");
  Ref storage = own(wrap_storage(t->storage()));
  Ref copied = deep_copied(storage.get(), memo);
  Tensor result = tensor_over(unwrap_storage(copied.get()), t.dtype(), t.storage_offset(),
                              t.sizes(), t.strides());
  autograd::set_requires_grad(result, autograd::requires_grad(t));
  Ref object = own(wrap_as(Py_TYPE(self), std::move(result)));
  checked(PyDict_SetItem(memo, key.get(), object.get()));
  Tensor grad = autograd::grad_of(t);
  if (grad.defined()) {
    Ref grad_object = own(wrap(std::move(grad)));
    autograd::set_grad(unwrap(object.get()), unwrap(deep_copied(grad_object.get(), memo).get()));
  }
  restore_state(object.get(), deep_copied(state_of(self).get(), memo).get());
  return object.release();
}

void init_pickle(PyObject* module) { checked(PyModule_AddFunctions(module, functions)); }

}  // namespace ceph::python
