#pragma once

#include <tuple>

#include "python/arg_convert.h"
#include "python/arg_parser.h"

// What the generated units of generated/python/ are written against.

namespace ceph::python {

// Elements from which a call is worth letting other Python threads run: some microseconds of work.
inline constexpr int64_t kUnlockNumel = 10000;

inline bool is_large(const Tensor& t) { return t.defined() && t.numel() >= kUnlockNumel; }
inline bool is_large(const std::vector<Tensor>& list) {
  int64_t total = 0;
  for (const Tensor& t : list) total += t.defined() ? t.numel() : 0;
  return total >= kUnlockNumel;
}
// Of a factory's sizes, which may be invalid.
bool is_large(const IntVector& sizes);

template <class F>
auto unlocked(bool release, F&& compute) {
  GilRelease gil(release);
  return compute();
}

inline PyObject* wrap_result(Tensor result) { return wrap(std::move(result)); }
// What a factory made, as a leaf that requires a gradient where that was asked for.
PyObject* wrap_leaf(const Tensor& result, bool requires_grad);
// A list of results is a tuple.
PyObject* wrap_result(const std::vector<Tensor>& results);
inline PyObject* wrap_result(bool result) { return PyBool_FromLong(result); }
inline PyObject* wrap_result(const Scalar& result) { return wrap_scalar(result); }

// The class of an op's several named results, cepheid.return_types.<op>; made once.
PyTypeObject* named_results(const char* op, std::initializer_list<const char*> fields);
PyObject* wrap_results(PyTypeObject* type, TensorList results);

PyObject* override_function(const Function& function, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames);

template <class Call>
PyObject* run_function(const Function& function, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames, Call call) {
  return guarded([&] {
    Parsed p;
    parse(function, nullptr, args, nargs, kwnames, p);
    if (p.overridden) [[unlikely]]
      return override_function(function, args, nargs, kwnames);
    return call(p);
  });
}

template <class Call>
PyObject* run_method(const Function& function, PyObject* self, PyObject* const* args,
                     Py_ssize_t nargs, PyObject* kwnames, Call call) {
  return guarded([&] {
    Parsed p;
    parse(function, self, args, nargs, kwnames, p);
    if (p.overridden) [[unlikely]]
      return override_method(function.name, self, args, nargs, kwnames);
    return call(p);
  });
}

// A function, the module of _C that holds it, and where users find it (its __module__).
struct ModuleFunction {
  const char* module;
  const char* shown;
  PyMethodDef* def;
};

// One per family, a global of its unit: what goes into the modules of _C and into Tensor.
struct Unit {
  Unit(ArrayRef<const Function*> tables, ArrayRef<ModuleFunction> functions,
       ArrayRef<PyMethodDef*> methods);

  ArrayRef<const Function*> tables;
  ArrayRef<ModuleFunction> functions;
  ArrayRef<PyMethodDef*> methods;
};

// Defined in generated/python/operators.cpp: fills the number slots of the ops that exist.
void install_operators();

void init_generated(PyObject* module);

}  // namespace ceph::python
