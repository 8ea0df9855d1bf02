#include "python/generated.h"

#include "autograd/meta.h"

#include <map>
#include <string>

namespace ceph::python {

namespace {

std::vector<const Unit*>& units() {
  static std::vector<const Unit*> list;
  return list;
}

// Those that the binding makes, and so has even where a selection of ops leaves them empty.
constexpr const char* kFunctionModules[] = {"functions", "nn", "nn_grad", "linalg"};

PyObject* c_module = nullptr;             // cepheid._C
PyObject* return_types_module = nullptr;  // cepheid.return_types

PyObject* new_module(const char* name) {
  Ref module = own(PyModule_New(name));
  PyObject* modules = PyImport_GetModuleDict();
  checked(PyDict_SetItemString(modules, name, module.get()));
  return module.release();
}

void add_function(const ModuleFunction& f) {
  Ref shown = own(PyUnicode_FromString(f.shown));
  Ref function = own(PyCFunction_NewEx(f.def, nullptr, shown.get()));
  Ref module = attribute(c_module, f.module);
  checked(PyObject_SetAttrString(module.get(), f.def->ml_name, function.get()));
}

void add_method(PyMethodDef* def) {
  Ref method = own(PyDescr_NewMethod(&TensorType, def));
  checked(PyDict_SetItemString(TensorType.tp_dict, def->ml_name, method.get()));
}

void set_all_names(PyObject* module) {
  PyObject* dict = PyModule_GetDict(module);
  Ref names = own(PyList_New(0));
  PyObject *name, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &name, &value);) {
    if (PyCFunction_Check(value)) checked(PyList_Append(names.get(), name));
  }
  checked(PyDict_SetItemString(dict, "__all__", names.get()));
}

}  // namespace

Unit::Unit(ArrayRef<const Function*> tables, ArrayRef<ModuleFunction> functions,
           ArrayRef<PyMethodDef*> methods)
    : tables(tables), functions(functions), methods(methods) {
  units().push_back(this);
}

bool is_large(const IntVector& sizes) {
  int64_t total = 1;
  for (int64_t size : sizes) {
    if (size <= 0) return false;
    if (size >= kUnlockNumel || (total *= size) >= kUnlockNumel) return true;
  }
  return false;
}

PyObject* override_function(const Function& function, PyObject* const* args, Py_ssize_t nargs,
                            PyObject* kwnames) {
  Ref module = attribute(c_module, function.module);
  Ref object = attribute(module.get(), function.name);
  return call_torch_function(object.get(), function.name, nullptr, args, PyVectorcall_NARGS(nargs),
                             kwnames);
}

PyObject* wrap_leaf(const Tensor& result, bool requires_grad) {
  if (requires_grad) autograd::set_requires_grad(result, true);
  return wrap(result);
}

PyTypeObject* named_results(const char* op, std::initializer_list<const char*> fields) {
  if (PyObject* found = PyDict_GetItemString(PyModule_GetDict(return_types_module), op)) {
    return reinterpret_cast<PyTypeObject*>(found);
  }
  std::string name = std::string("cepheid.return_types.") + op;
  std::vector<PyStructSequence_Field> rows;
  for (const char* field : fields) rows.push_back({field, nullptr});
  rows.push_back({nullptr, nullptr});
  PyStructSequence_Desc desc{name.c_str(), "Results of an op, by position and by name.",
                             rows.data(), static_cast<int>(fields.size())};
  PyTypeObject* type = PyStructSequence_NewType(&desc);
  if (!type) throw_python_error();
  add_object(return_types_module, op, reinterpret_cast<PyObject*>(type));
  return type;
}

PyObject* wrap_results(PyTypeObject* type, TensorList results) {
  Ref tuple =
      own(type ? PyStructSequence_New(type) : PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  for (size_t i = 0; i < results.size(); ++i) {
    PyStructSequence_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), wrap(results[i]));
  }
  return tuple.release();
}

PyObject* wrap_result(const std::vector<Tensor>& results) {
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(results.size())));
  for (size_t i = 0; i < results.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), checked(wrap(results[i])));
  }
  return tuple.release();
}

void init_generated(PyObject* module) {
  c_module = module;
  for (const char* name : kFunctionModules) {
    add_object(module, name, new_module((std::string("cepheid._C.") + name).c_str()));
  }
  return_types_module = new_module("cepheid.return_types");
  add_object(module, "return_types", return_types_module);
  for (const Unit* unit : units()) {
    for (const Function* table : unit->tables) prepare(*table);
    for (const ModuleFunction& f : unit->functions) add_function(f);
    for (PyMethodDef* def : unit->methods) add_method(def);
  }
  for (const char* name : kFunctionModules) set_all_names(attribute(module, name).get());
  PyType_Modified(&TensorType);
}

}  // namespace ceph::python
