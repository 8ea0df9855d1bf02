#include "python/errors.h"

#include <cstring>
#include <new>

namespace ceph::python {

namespace {

PyObject* out_of_memory_class = nullptr;

// The one table of kinds and classes; null: looked up in the function below.
PyObject* const* class_slot(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::kRuntime:
  case ErrorKind::kInternal:
  case ErrorKind::kPython:
    return &PyExc_RuntimeError;
  case ErrorKind::kType:
    return &PyExc_TypeError;
  case ErrorKind::kValue:
    return &PyExc_ValueError;
  case ErrorKind::kIndex:
    return &PyExc_IndexError;
  case ErrorKind::kNotImplemented:
    return &PyExc_NotImplementedError;
  case ErrorKind::kOverflow:
    return &PyExc_OverflowError;
  case ErrorKind::kOutOfMemory:
    return &out_of_memory_class;
  }
  return &PyExc_RuntimeError;
}

}  // namespace

PyObject* out_of_memory_error() { return out_of_memory_class; }

PyObject* python_class(ErrorKind kind) { return *class_slot(kind); }

void throw_python_error() {
  CEPH_INTERNAL(PyErr_Occurred() != nullptr);
  throw Error(ErrorKind::kPython, "");
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (const PythonError& e) {
    e.restore();
  } catch (const Error& e) {
    if (e.kind() == ErrorKind::kPython && PyErr_Occurred()) return;
    PyErr_SetString(python_class(e.kind()), e.what());
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();  // a daemon thread in Python code that we called: see take_lock
  } catch (const std::bad_alloc&) {
    PyErr_SetString(out_of_memory_class, "out of memory outside tensor storage");
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

PythonError::PythonError() : Error(ErrorKind::kPython, "") {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  exception_ = std::shared_ptr<PyObject>(value, [](PyObject* exception) {
    if (!Py_IsInitialized()) return;
    GilAcquire gil;
    Py_DECREF(exception);
  });
}

void PythonError::restore() const {
  PyObject* value = exception_.get();
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(value))), Py_NewRef(value),
                PyException_GetTraceback(value));
}

void carry_python_error() { throw PythonError(); }

Ref import_attribute(const char* module, const char* name) {
  Ref imported = own(PyImport_ImportModule(module));
  return attribute(imported.get(), name);
}

Ref optional_attribute(PyObject* object, PyObject* name) {
  PyObject* found = PyObject_GetAttr(object, name);
  if (!found) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw_python_error();
    PyErr_Clear();
  }
  return Ref::steal(found);
}

std::string text_of(PyObject* str) {
  Py_ssize_t size;
  if (const char* text = PyUnicode_AsUTF8AndSize(str, &size)) {
    return std::string(text, static_cast<size_t>(size));
  }
  PyErr_Clear();  // a lone surrogate
  Ref escaped = own(PyObject_ASCII(str));
  return text_of(escaped.get());
}

const char* short_type_name(PyTypeObject* type) {
  const char* dot = std::strrchr(type->tp_name, '.');
  return dot ? dot + 1 : type->tp_name;
}

void add_object(PyObject* module, const char* name, PyObject* object) {
  checked(PyModule_AddObjectRef(module, name, object));
}

void add_type(PyObject* module, PyTypeObject* type, const char* name) {
  checked(PyType_Ready(type));
  add_object(module, name, reinterpret_cast<PyObject*>(type));
}

void init_errors(PyObject* module) {
  out_of_memory_class =
      checked(PyErr_NewExceptionWithDoc("cepheid.OutOfMemoryError",
                                        "Memory of a device is used up; the message says how much "
                                        "was asked for and how much is held.",
                                        PyExc_RuntimeError, nullptr));
  add_object(module, "OutOfMemoryError", out_of_memory_class);
}

}  // namespace ceph::python
