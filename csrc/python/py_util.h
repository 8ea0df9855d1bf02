#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "base/error.h"

// Type objects of CPython are written with designated initialisers: what isn't named is zero, as
// meant.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace ceph::python {

// A reference that is owned and given back.
class Ref {
 public:
  Ref() = default;
  static Ref steal(PyObject* object) {
    Ref r;
    r.object_ = object;
    return r;
  }
  static Ref share(PyObject* object) { return steal(Py_XNewRef(object)); }
  Ref(const Ref& other) : object_(Py_XNewRef(other.object_)) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Leaves C++ with the exception that is set in the interpreter.
[[noreturn]] void throw_python_error();

inline PyObject* checked(PyObject* object) {
  if (!object) [[unlikely]]
    throw_python_error();
  return object;
}
inline void checked(int status) {
  if (status < 0) [[unlikely]]
    throw_python_error();
}
// A new reference from a call that may have failed.
inline Ref own(PyObject* object) { return Ref::steal(checked(object)); }

// Sets the Python exception of the C++ exception in flight (errors.cpp holds the table of kinds).
void set_python_error() noexcept;

// The border between Python and C++: runs `body`, which returns a new reference or null with an
// exception set.
template <class F>
inline PyObject* guarded(F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}
// The same for slots that return a status or a count, -1 on error.
template <class F>
inline auto guarded_status(F&& body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return -1;
  }
}

// Takes the interpreter lock. When the interpreter is ending, CPython before 3.14 answers a daemon
// thread with pthread_exit, which would unwind C++ frames, destructors and all, without the lock.
// Such a thread sleeps here until the process is gone, as it does since 3.14.
template <class Take>
auto take_lock(Take&& take) {
  try {
    return take();
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
}

// Lets other Python threads run while this one is in C++.
class GilRelease {
 public:
  explicit GilRelease(bool on) : state_(on ? PyEval_SaveThread() : nullptr) {}
  ~GilRelease() {
    if (state_) take_lock([this] { PyEval_RestoreThread(state_); });
  }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

// Enters Python from C++ that may or may not hold the interpreter lock.
class GilAcquire {
 public:
  GilAcquire() : state_(take_lock(PyGILState_Ensure)) {}
  ~GilAcquire() { PyGILState_Release(state_); }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_;
};

// An exception of Python taken out of the interpreter, on its way to another thread or past other
// Python code. Copies share it.
class PythonError final : public Error {
 public:
  PythonError();  // takes the one that is set
  void restore() const;

 private:
  std::shared_ptr<PyObject> exception_;
};

[[noreturn]] void carry_python_error();

// Attribute lookup and calls, throwing.
inline Ref attribute(PyObject* object, const char* name) {
  return own(PyObject_GetAttrString(object, name));
}
Ref import_attribute(const char* module, const char* name);
// An attribute found on the type or object, null (without an exception) when there is none.
Ref optional_attribute(PyObject* object, PyObject* name);

inline const char* type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }
// The text of a str for names and messages; one that has no UTF-8 form is escaped.
std::string text_of(PyObject* str);
// The name as an error shows it: without the module.
const char* short_type_name(PyTypeObject* type);

using FastMethod = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
inline PyCFunction as_cfunction(FastMethod fn) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fn));
}
inline constexpr int kFastKeywords = METH_FASTCALL | METH_KEYWORDS;

// Adds a type or value to a module; throws when it can't.
void add_object(PyObject* module, const char* name, PyObject* object);
void add_type(PyObject* module, PyTypeObject* type, const char* name);

}  // namespace ceph::python
