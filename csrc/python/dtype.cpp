#include "python/dtype.h"

#include <string>

namespace ceph::python {

namespace {

PyObject* objects[kNumDTypes];

struct Alias {
  const char* name;
  DType dtype;
};
constexpr Alias kAliases[] = {
    {"half", DType::Float16},     {"float", DType::Float32},      {"double", DType::Float64},
    {"short", DType::Int16},      {"int", DType::Int32},          {"long", DType::Int64},
    {"cfloat", DType::Complex64}, {"cdouble", DType::Complex128},
};

Ref name_object(DType t) {
  std::string_view name = name_of(t);
  return own(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

PyObject* repr(PyObject* self) {
  return guarded([&] {
    Ref name = name_object(unwrap_dtype(self));
    return PyUnicode_FromFormat("torch.%U", name.get());
  });
}

// Pickled as the global cepheid.<name>, so that unpickling gives the one object.
PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] { return name_object(unwrap_dtype(self)).release(); });
}

PyObject* to_real(PyObject* self, PyObject*) {
  return Py_NewRef(dtype_object(real_of(unwrap_dtype(self))));
}

PyObject* to_complex(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    switch (unwrap_dtype(self)) {
    case DType::Float32:
    case DType::Complex64:
      return Py_NewRef(dtype_object(DType::Complex64));
    case DType::Float64:
    case DType::Complex128:
      return Py_NewRef(dtype_object(DType::Complex128));
    default:
      fail(ErrorKind::kRuntime, "dtype.to_complex", name_of(unwrap_dtype(self)),
           " has no complex twin; float32 and float64 do");
    }
  });
}

PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromSize_t(item_size(unwrap_dtype(self)));
}
PyObject* get_floating(PyObject* self, void*) {
  return PyBool_FromLong(is_floating(unwrap_dtype(self)));
}
PyObject* get_complex(PyObject* self, void*) {
  return PyBool_FromLong(is_complex(unwrap_dtype(self)));
}
PyObject* get_signed(PyObject* self, void*) {
  return PyBool_FromLong(is_signed(unwrap_dtype(self)));
}
PyObject* get_module(PyObject*, void*) { return PyUnicode_FromString("cepheid"); }

PyGetSetDef getset[] = {
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"is_floating_point", get_floating, nullptr, "Whether values are real floating-point numbers.",
     nullptr},
    {"is_complex", get_complex, nullptr, "Whether values are complex numbers.", nullptr},
    {"is_signed", get_signed, nullptr, "Whether values can be negative.", nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"to_real", to_real, METH_NOARGS, "The dtype of real parts."},
    {"to_complex", to_complex, METH_NOARGS, "The complex dtype with parts of this dtype."},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* all_names(PyObject*, PyObject*) {
  return guarded([&] {
    Ref names = own(PyDict_New());
    for (int i = 0; i < kNumDTypes; ++i) {
      checked(PyDict_SetItem(names.get(), name_object(static_cast<DType>(i)).get(), objects[i]));
    }
    for (const Alias& alias : kAliases) {
      checked(PyDict_SetItemString(names.get(), alias.name, dtype_object(alias.dtype)));
    }
    return names.release();
  });
}

PyMethodDef functions[] = {
    {"_dtypes", all_names, METH_NOARGS, "Every public name of a dtype, aliases included."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject DTypeType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid.dtype",
    .tp_basicsize = sizeof(DTypeObject),
    .tp_repr = repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Type of the elements of a tensor; there is one object per dtype.",
    .tp_methods = methods,
    .tp_getset = getset,
};

PyObject* dtype_object(DType t) { return objects[static_cast<int>(t)]; }

bool accepts_dtype(PyObject* o) {
  return is_dtype(o) || o == reinterpret_cast<PyObject*>(&PyFloat_Type) ||
         o == reinterpret_cast<PyObject*>(&PyLong_Type) ||
         o == reinterpret_cast<PyObject*>(&PyBool_Type) ||
         o == reinterpret_cast<PyObject*>(&PyComplex_Type);
}

DType to_dtype(PyObject* o) {
  if (is_dtype(o)) return unwrap_dtype(o);
  if (o == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::Bool;
  if (o == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::Int64;
  if (o == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::Float64;
  CEPH_CHECK(o == reinterpret_cast<PyObject*>(&PyComplex_Type), ErrorKind::kType, "dtype",
             "expected a dtype; got ", type_name(o));
  return DType::Complex128;
}

void init_dtype(PyObject* module) {
  add_type(module, &DTypeType, "dtype");
  for (int i = 0; i < kNumDTypes; ++i) {
    auto* object = PyObject_New(DTypeObject, &DTypeType);
    if (!object) throw_python_error();
    object->value = static_cast<DType>(i);
    objects[i] = reinterpret_cast<PyObject*>(object);
  }
  checked(PyModule_AddFunctions(module, functions));
  Ref names = own(all_names(nullptr, nullptr));
  PyObject *name, *object;
  for (Py_ssize_t at = 0; PyDict_Next(names.get(), &at, &name, &object);) {
    checked(PyObject_SetAttr(module, name, object));
  }
}

}  // namespace ceph::python
