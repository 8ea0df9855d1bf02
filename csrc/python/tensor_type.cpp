// cepheid.Tensor: the type object, its classes, and what Python attaches to it.

#include "python/tensor_type.h"

#include "autograd/meta.h"
#include "core/layout.h"
#include "python/arg_parser.h"
#include "python/generated.h"
#include "python/python_dispatch.h"
#include "python/tensor_object.h"

namespace ceph::python {

PyNumberMethods tensor_as_number = {};

PyTypeObject TensorType = {
    .ob_base = PyVarObject_HEAD_INIT(&TensorMetaType, 0).tp_name = "cepheid.Tensor",
    .tp_basicsize = sizeof(TensorObject),
    .tp_as_number = &tensor_as_number,
    .tp_as_sequence = &tensor_as_sequence,
    .tp_as_mapping = &tensor_as_mapping,
    .tp_hash = PyBaseObject_Type.tp_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc =
        "Tensor(*sizes) or Tensor(data): a multi-dimensional array of one dtype on one device. Use "
        "cepheid.tensor, cepheid.zeros and their kin to make one.",
    .tp_weaklistoffset = offsetof(TensorObject, weakrefs),
    .tp_iter = tensor_iter,
    .tp_methods = tensor_methods,
    .tp_getset = tensor_getset,
    .tp_dictoffset = offsetof(TensorObject, dict),
    .tp_new = tensor_new,
};

Tensor alias_of(const Tensor& t) {
  auto impl = make_intrusive<TensorImpl>(t->storage(), t.dtype(), t.device(), t.keys());
  impl->set_geometry(t.sizes(), t.strides(), t.storage_offset());
  impl->set_version_counter(t->own_version_counter());
  return Tensor(std::move(impl));
}

PyObject* wrap_as(PyTypeObject* type, Tensor tensor) {
  DispatchKeySet without = tensor->keys() - DispatchKey::Python;
  bool has_rule = defines_torch_dispatch(type);
  CEPH_CHECK(has_rule || tensor->has_storage(), ErrorKind::kRuntime, type->tp_name,
             "a wrapper without data of its own needs a class with a __torch_dispatch__ rule");
  tensor->set_keys(has_rule ? without | DispatchKey::Python : without);
  return new_object(type, std::move(tensor));
}

namespace {

// _attach_methods(dict): functions, properties and other attributes written in Python.
PyObject* attach_methods(PyObject*, PyObject* methods) {
  return guarded([&] {
    CEPH_CHECK(PyDict_Check(methods), ErrorKind::kType, "_attach_methods", "expected a dict; got ",
               type_name(methods));
    PyObject *name, *value;
    for (Py_ssize_t at = 0; PyDict_Next(methods, &at, &name, &value);) {
      checked(PyObject_SetAttr(reinterpret_cast<PyObject*>(&TensorType), name, value));
    }
    return Py_NewRef(Py_None);
  });
}

// ---- subclasses
// -----------------------------------------------------------------------------------

PyTypeObject* to_tensor_class(PyObject* cls, const char* op) {
  CEPH_CHECK(PyType_Check(cls) &&
                 PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), &TensorType),
             ErrorKind::kType, op, "the class must be a subclass of Tensor; got ",
             PyType_Check(cls) ? reinterpret_cast<PyTypeObject*>(cls)->tp_name : type_name(cls));
  return reinterpret_cast<PyTypeObject*>(cls);
}

// Tensor._make_subclass(cls, data, require_grad=False)
PyObject* make_subclass(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"cls", "data", "require_grad", nullptr};
  PyObject *cls, *data;
  int requires_grad = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!|p:_make_subclass", const_cast<char**>(names),
                                   &cls, &TensorType, &data, &requires_grad)) {
    return nullptr;
  }
  return guarded([&] {
    Tensor alias = alias_of(unwrap(data));
    alias->set_keys(alias->keys() & kBackendKeys);
    autograd::set_requires_grad(alias, requires_grad != 0);
    return wrap_as(to_tensor_class(cls, "_make_subclass"), std::move(alias));
  });
}

PyObject* as_subclass(PyObject* self, PyObject* cls) {
  return guarded(
      [&] { return wrap_as(to_tensor_class(cls, "as_subclass"), alias_of(unwrap(self))); });
}

Param wrapper_params[] = {
    {"cls", ParamKind::Tensor, 0, "type cls"},  // bound by hand: no kind of the parser
    {"size", ParamKind::IntList, 0, "tuple of ints size"},
    {"strides", ParamKind::IntList, kOptional | kDefault | kKeywordOnly,
     "tuple of ints strides=None"},
    {"storage_offset", ParamKind::Int, kOptional | kDefault | kKeywordOnly,
     "int storage_offset=None"},
    {"memory_format", ParamKind::MemoryFormat, kOptional | kDefault | kKeywordOnly,
     "memory_format memory_format=None"},
    {"dtype", ParamKind::DType, kOptional | kDefault | kKeywordOnly, "dtype dtype=None"},
    {"layout", ParamKind::Layout, kOptional | kDefault | kKeywordOnly, "layout layout=None"},
    {"device", ParamKind::Device, kOptional | kDefault | kKeywordOnly, "device device=None"},
    {"pin_memory", ParamKind::Bool, kDefault | kKeywordOnly, "bool pin_memory=False"},
    {"requires_grad", ParamKind::Bool, kDefault | kKeywordOnly, "bool requires_grad=False"},
};
Signature wrapper_signature = {wrapper_params, std::size(wrapper_params), 2, false, false};
Signature* const wrapper_signatures[] = {&wrapper_signature};
const Function wrapper_function = {"_make_wrapper_subclass", wrapper_signatures, 1, true};

DimVector wrapper_strides(const Parsed& p, IntArrayRef sizes) {
  if (!p.has(2)) {
    return strides_for(sizes, p.has(4) ? p.memory_format(4) : MemoryFormat::Contiguous, p.name);
  }
  IntVector strides = p.ints(2);
  CEPH_CHECK(strides.size() == sizes.size(), ErrorKind::kValue, p.name,
             "one stride per dimension is needed; got ", strides.size(), " for ", sizes.size());
  return DimVector(IntArrayRef(strides));
}

// Tensor._make_wrapper_subclass(cls, size, *, ...): a tensor without data of its own, whose class
// has a __torch_dispatch__ rule.
PyObject* make_wrapper_subclass(PyObject*, PyObject* const* args, Py_ssize_t nargs,
                                PyObject* kwnames) {
  return guarded([&] {
    CEPH_CHECK(nargs >= 1, ErrorKind::kType, "_make_wrapper_subclass", "the class must come first");
    PyTypeObject* cls = to_tensor_class(args[0], "_make_wrapper_subclass");
    CEPH_CHECK(defines_torch_dispatch(cls), ErrorKind::kRuntime, "_make_wrapper_subclass",
               cls->tp_name,
               " must define __torch_dispatch__, since a wrapper has no data of its own");
    Parsed p;
    parse(wrapper_function, args[0], args + 1, nargs - 1, kwnames, p);
    p.refuse_pin_memory(8);
    IntVector sizes = p.ints(1);
    DimVector strides = wrapper_strides(p, sizes);
    DType dtype = p.has(5) ? p.dtype(5) : default_dtype();
    Device device = p.has(7) ? p.device(7) : default_device();
    checked_numel(sizes, "_make_wrapper_subclass");
    DispatchKeySet keys = empty_tensor({0}, dtype, Device(DeviceKind::Meta)).keys() - kBackendKeys;
    auto impl = make_intrusive<TensorImpl>(Storage(), dtype, device, keys | backend_key(device));
    impl->set_geometry(sizes, strides, p.has(3) ? p.integer(3) : 0);
    impl->set_version_counter(make_intrusive<VersionCounter>());
    Tensor made(std::move(impl));
    autograd::set_requires_grad(made, p.has(9) && p.boolean(9));
    return wrap_as(cls, std::move(made));
  });
}

PyMethodDef static_methods[] = {
    {"_make_subclass", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(make_subclass)),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "_make_subclass(cls, data, require_grad=False): the data of a tensor as an object of a "
     "subclass."},
    {"_make_wrapper_subclass", as_cfunction(make_wrapper_subclass), kFastKeywords | METH_STATIC,
     "_make_wrapper_subclass(cls, size, *, strides=None, storage_offset=None, memory_format=None, "
     "dtype=None, layout=None, device=None, requires_grad=False): a tensor without data of its "
     "own."},
};
PyMethodDef as_subclass_def = {
    "as_subclass", as_subclass, METH_O,
    "as_subclass(cls): the same data as an object of a subclass of Tensor."};

PyMethodDef functions[] = {
    {"_attach_methods", attach_methods, METH_O,
     "Puts what is written in Python into the Tensor type."},
    {nullptr, nullptr, 0, nullptr},
};

void add_to_type(const char* name, PyObject* object) {
  Ref owner = own(object);
  checked(PyDict_SetItemString(TensorType.tp_dict, name, owner.get()));
}

}  // namespace

void init_tensor_type(PyObject* module) {
  TensorMetaType.tp_base = &PyType_Type;
  add_type(module, &TensorMetaType, "_TensorMeta");
  init_tensor_object();
  init_conversion_slots();
  install_operators();
  TensorType.tp_richcompare = tensor_richcompare;
  TensorType.tp_hash = PyBaseObject_Type.tp_hash;  // by identity, though == is elementwise
  add_type(module, &TensorType, "Tensor");
  // Static types come out immutable. This one isn't: programs add methods to Tensor, and the type's
  // own setattr keeps slots and caches in step.
  TensorType.tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE;
  prepare(wrapper_function);
  for (PyMethodDef& def : static_methods) {
    Ref function = own(PyCFunction_New(&def, nullptr));
    add_to_type(def.ml_name, PyStaticMethod_New(function.get()));
  }
  add_to_type("as_subclass", PyDescr_NewMethod(&TensorType, &as_subclass_def));
  add_to_type("__torch_function__",
              PyDescr_NewClassMethod(&TensorType, &default_torch_function_def));
  add_to_type("__torch_dispatch__", Py_NewRef(disabled_torch_dispatch()));
  add_to_type("__array_priority__", PyLong_FromLong(1000));  // array + tensor is the tensor's to do
  PyType_Modified(&TensorType);
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace ceph::python
