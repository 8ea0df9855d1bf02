// layout and memory_format: objects without state, one per value, pickled by their public name.

#include "python/device.h"

namespace ceph::python {

namespace {

struct EnumObject {
  PyObject_HEAD;
  int value;
  const char* name;
};

PyObject* enum_repr(PyObject* self) {
  return PyUnicode_FromFormat("torch.%s", reinterpret_cast<EnumObject*>(self)->name);
}
PyObject* enum_reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(reinterpret_cast<EnumObject*>(self)->name);
}
PyObject* get_module(PyObject*, void*) { return PyUnicode_FromString("cepheid"); }

PyMethodDef methods[] = {
    {"__reduce__", enum_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef getset[] = {
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyTypeObject enum_type(const char* name, const char* doc) {
  return {
      .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = name,
      .tp_basicsize = sizeof(EnumObject),
      .tp_repr = enum_repr,
      .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
      .tp_doc = doc,
      .tp_methods = methods,
      .tp_getset = getset,
  };
}

constexpr const char* kLayouts[] = {"strided"};
constexpr const char* kFormats[] = {"contiguous_format", "preserve_format", "channels_last",
                                    "channels_last_3d"};
PyObject* layouts[std::size(kLayouts)];
PyObject* formats[std::size(kFormats)];

template <size_t N>
void fill(PyObject* module, PyTypeObject* type, const char* const (&names)[N],
          PyObject* (&objects)[N]) {
  for (size_t i = 0; i < N; ++i) {
    auto* object = PyObject_New(EnumObject, type);
    if (!object) throw_python_error();
    object->value = static_cast<int>(i);
    object->name = names[i];
    objects[i] = reinterpret_cast<PyObject*>(object);
    add_object(module, names[i], objects[i]);
  }
}

int value_of(PyObject* o, PyTypeObject* type) {
  CEPH_CHECK(Py_TYPE(o) == type, ErrorKind::kType, short_type_name(type), "expected a ",
             type->tp_name, "; got ", type_name(o));
  return reinterpret_cast<EnumObject*>(o)->value;
}

PyObject* memory_formats(PyObject*, PyObject*) {
  return guarded([&] {
    Ref names = own(PyDict_New());
    for (size_t i = 0; i < std::size(kFormats); ++i) {
      checked(PyDict_SetItemString(names.get(), kFormats[i], formats[i]));
    }
    return names.release();
  });
}

PyMethodDef functions[] = {
    {"_memory_formats", memory_formats, METH_NOARGS, "Every memory format by its public name."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject LayoutType = enum_type("cepheid.layout", "How a tensor's elements lie in memory.");
PyTypeObject MemoryFormatType =
    enum_type("cepheid.memory_format", "Order of the dimensions in a dense tensor's memory.");

PyObject* layout_object(Layout layout) { return layouts[static_cast<int>(layout)]; }
PyObject* memory_format_object(MemoryFormat format) { return formats[static_cast<int>(format)]; }
Layout to_layout(PyObject* o) { return static_cast<Layout>(value_of(o, &LayoutType)); }
MemoryFormat to_memory_format(PyObject* o) {
  return static_cast<MemoryFormat>(value_of(o, &MemoryFormatType));
}

void init_enums(PyObject* module) {
  add_type(module, &LayoutType, "layout");
  fill(module, &LayoutType, kLayouts, layouts);
  add_type(module, &MemoryFormatType, "memory_format");
  fill(module, &MemoryFormatType, kFormats, formats);
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace ceph::python
