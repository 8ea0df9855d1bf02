#include "python/device.h"

#include <string>

namespace ceph::python {

namespace {

Device value_of(PyObject* o) { return reinterpret_cast<DeviceObject*>(o)->value; }

std::string kind_name(Device device) { return to_string(Device(device.kind)); }

Device accelerator(PyObject* index) {
  long value = PyLong_AsLong(index);
  if (value == -1 && PyErr_Occurred()) throw_python_error();
  fail(ErrorKind::kRuntime, "device", "index ", value,
       " names an accelerator, and none is available; name the kind, such as 'cpu'");
}

Device with_index(const std::string& kind, PyObject* index) {
  CEPH_CHECK(kind.find(':') == std::string::npos, ErrorKind::kRuntime, "device", "'", kind,
             "' holds an index already; leave the second argument out");
  long value = PyLong_AsLong(index);
  if (value == -1 && PyErr_Occurred()) throw_python_error();
  CEPH_CHECK(value >= 0 && value <= 127, ErrorKind::kRuntime, "device",
             "the index must be in [0, 127]; got ", value);
  return Device(parse_device(kind).kind, static_cast<int8_t>(value));
}

// device(device), device("cuda:0"), device("cuda", 0), device(type="cuda", index=0), device(0)
PyObject* device_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "index", nullptr};
  PyObject *kind, *index = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:device", const_cast<char**>(names), &kind,
                                   &index)) {
    return nullptr;
  }
  return guarded([&] {
    if (index == Py_None) return wrap_device(to_device(kind));
    CEPH_CHECK(PyUnicode_Check(kind), ErrorKind::kType, "device",
               "type must be a str when an index is given; got ", type_name(kind));
    return wrap_device(with_index(text_of(kind), index));
  });
}

PyObject* device_repr(PyObject* self) {
  return guarded([&] {
    Device device = value_of(self);
    std::string kind = kind_name(device);
    if (device.index < 0) return PyUnicode_FromFormat("device(type='%s')", kind.c_str());
    return PyUnicode_FromFormat("device(type='%s', index=%d)", kind.c_str(), device.index);
  });
}

PyObject* device_str(PyObject* self) {
  return guarded([&] { return PyUnicode_FromString(to_string(value_of(self)).c_str()); });
}

Py_hash_t device_hash(PyObject* self) {
  Device device = value_of(self);
  return (static_cast<Py_hash_t>(device.kind) << 8) | static_cast<uint8_t>(device.index);
}

PyObject* device_compare(PyObject* a, PyObject* b, int op) {
  if (!is_device(a) || !is_device(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((value_of(a) == value_of(b)) == (op == Py_EQ));
}

PyObject* get_type(PyObject* self, void*) {
  return guarded([&] { return PyUnicode_FromString(kind_name(value_of(self)).c_str()); });
}

PyObject* get_index(PyObject* self, void*) {
  Device device = value_of(self);
  if (device.index < 0) Py_RETURN_NONE;
  return PyLong_FromLong(device.index);
}

PyObject* device_reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    return Py_BuildValue("O(s)", reinterpret_cast<PyObject*>(&DeviceType),
                         to_string(value_of(self)).c_str());
  });
}

PyGetSetDef getset[] = {
    {"type", get_type, nullptr, "Kind of the device: 'cpu', 'cuda', 'meta'.", nullptr},
    {"index", get_index, nullptr, "Which device of the kind; None for the current one.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef methods[] = {
    {"__reduce__", device_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* get_default(PyObject*, PyObject*) {
  return guarded([&] { return wrap_device(default_device()); });
}

PyObject* set_default(PyObject*, PyObject* device) {
  return guarded([&] {
    set_default_device(device == Py_None ? Device() : to_device(device));
    return Py_NewRef(Py_None);
  });
}

PyMethodDef functions[] = {
    {"get_default_device", get_default, METH_NOARGS,
     "The device of factory functions without device=, on this thread."},
    {"set_default_device", set_default, METH_O,
     "Sets the device of factory functions on this thread; None is the CPU."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject DeviceType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid.device",
    .tp_basicsize = sizeof(DeviceObject),
    .tp_repr = device_repr,
    .tp_hash = device_hash,
    .tp_str = device_str,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "device(type, index=None): where a tensor's data are, as in device('cpu').",
    .tp_richcompare = device_compare,
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_new = device_new,
};

bool accepts_device(PyObject* o) {
  return is_device(o) || PyUnicode_Check(o) || (PyLong_Check(o) && !PyBool_Check(o));
}

Device to_device(PyObject* o) {
  if (is_device(o)) return value_of(o);
  if (PyUnicode_Check(o)) {
    Py_ssize_t size;
    const char* text = PyUnicode_AsUTF8AndSize(o, &size);
    if (!text) throw_python_error();
    return parse_device(std::string_view(text, static_cast<size_t>(size)));
  }
  CEPH_CHECK(PyLong_Check(o) && !PyBool_Check(o), ErrorKind::kType, "device",
             "expected a device, a str or the index of an accelerator; got ", type_name(o));
  return accelerator(o);
}

PyObject* wrap_device(Device device) {
  auto* object = PyObject_New(DeviceObject, &DeviceType);
  if (!object) throw_python_error();
  object->value = device;
  return reinterpret_cast<PyObject*>(object);
}

void init_device(PyObject* module) {
  add_type(module, &DeviceType, "device");
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace ceph::python
