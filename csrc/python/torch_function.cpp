#include "python/torch_function.h"

#include <algorithm>
#include <string>

#include "python/recursion.h"
#include "python/tensor_object.h"

namespace ceph::python {

thread_local FunctionState function_state;

namespace {

PyObject* hook_name = nullptr;       // "__torch_function__"
PyObject* disabled_hook = nullptr;   // _disabled_torch_function_impl
PyObject* nowrap_getters = nullptr;  // set of properties whose result keeps its class

// The class attribute, without binding it; null without an exception.
PyObject* class_hook(PyTypeObject* type) { return _PyType_Lookup(type, hook_name); }

// Takes the innermost mode off the stack while its handler runs.
class ModeOff {
 public:
  ModeOff() : mode_(function_state.modes.back()) {
    function_state.modes.pop_back();
    function_state.update();
  }
  ~ModeOff() {
    function_state.modes.push_back(mode_);
    function_state.update();
  }
  PyObject* mode() const { return mode_; }

 private:
  PyObject* mode_;
};

Ref types_of(const Overloaded& operands) {
  Py_ssize_t count = static_cast<Py_ssize_t>(operands.objects().size());
  Ref types = own(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(operands.objects()[i]));
    PyTuple_SET_ITEM(types.get(), i, Py_NewRef(type));
  }
  return types;
}

Ref ask(PyObject* object, PyObject* func, PyObject* types, PyObject* args, PyObject* kwargs) {
  Ref hook = own(PyObject_GetAttr(object, hook_name));
  return own(PyObject_CallFunctionObjArgs(hook.get(), func, types, args, kwargs, nullptr));
}

[[noreturn]] void refuse(const char* name, PyObject* types) {
  PyErr_Format(
      PyExc_TypeError,
      "%s(): every __torch_function__ returned NotImplemented; asked were the classes %R%s", name,
      types, function_state.modes.empty() ? "" : " and the active modes");
  throw_python_error();
}

void collect(Overloaded& operands, PyObject* object) {
  if (is_exact_tensor(object)) return;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(object, i);
      if (has_override(item)) operands.add(item);
    }
  } else if (has_override(object)) {
    operands.add(object);
  }
}

}  // namespace

bool defines_torch_function(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == &TensorType) return false;
  PyObject* hook = class_hook(type);
  return hook && hook != disabled_hook;
}

bool has_override(PyObject* object) {
  if (function_state.mode_active) return true;
  if (function_state.all_disabled || function_state.subclasses_disabled) return false;
  return defines_torch_function(object);
}

void Overloaded::add(PyObject* object) {
  if (function_state.subclasses_disabled || function_state.all_disabled) return;
  if (!defines_torch_function(object)) return;
  PyTypeObject* type = Py_TYPE(object);
  for (PyObject* seen : objects_) {
    if (Py_TYPE(seen) == type) return;
  }
  auto at = std::find_if(objects_.begin(), objects_.end(),
                         [&](PyObject* seen) { return PyType_IsSubtype(type, Py_TYPE(seen)); });
  objects_.insert(at, object);
}

PyObject* call_torch_function(PyObject* func, const Overloaded& operands, PyObject* args,
                              PyObject* kwargs, const char* name) {
  Ref types = types_of(operands);
  Ref options = kwargs ? Ref::share(kwargs) : own(PyDict_New());
  if (function_state.mode_active) {
    ModeOff off;
    Ref result = ask(off.mode(), func, types.get(), args, options.get());
    if (result.get() != Py_NotImplemented) return result.release();
  }
  for (PyObject* object : operands.objects()) {
    Ref result = ask(object, func, types.get(), args, options.get());
    if (result.get() != Py_NotImplemented) return result.release();
  }
  refuse(name, types.get());
}

PyObject* call_torch_function(PyObject* func, const char* name, PyObject* self,
                              PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  Overloaded operands;
  if (self) collect(operands, self);
  Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t i = 0; i < nargs + nkw; ++i) collect(operands, args[i]);
  Py_ssize_t first = self ? 1 : 0;
  Ref positional = own(PyTuple_New(nargs + first));
  if (self) PyTuple_SET_ITEM(positional.get(), 0, Py_NewRef(self));
  for (Py_ssize_t i = 0; i < nargs; ++i)
    PyTuple_SET_ITEM(positional.get(), i + first, Py_NewRef(args[i]));
  Ref keywords = own(PyDict_New());
  for (Py_ssize_t i = 0; i < nkw; ++i) {
    checked(PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(kwnames, i), args[nargs + i]));
  }
  return call_torch_function(func, operands, positional.get(), keywords.get(), name);
}

PyObject* override_method(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* kwnames) {
  Ref func = attribute(reinterpret_cast<PyObject*>(&TensorType), name);
  return call_torch_function(func.get(), name, self, args, nargs, kwnames);
}

PyObject* override_property(const char* name, const char* which, PyObject* self, PyObject* value) {
  Ref descriptor = attribute(reinterpret_cast<PyObject*>(&TensorType), name);
  Ref func = attribute(descriptor.get(), which);
  return call_torch_function(func.get(), name, self, &value, value ? 1 : 0, nullptr);
}

// ---- the default hook of Tensor
// ------------------------------------------------------------------

namespace {

// Results of a subclass's operations are of that class.
Ref converted(Ref result, PyTypeObject* cls) {
  PyObject* object = result.get();
  if (is_tensor(object)) {
    if (PyType_IsSubtype(Py_TYPE(object), cls)) return result;
    return own(wrap_as(cls, alias_of(unwrap(object))));
  }
  if (!PyTuple_Check(object) && !PyList_Check(object)) return result;
  RecursionLevel level(" in the results of __torch_function__");
  Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  Ref items = own(PyList_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item = converted(Ref::share(PySequence_Fast_GET_ITEM(object, i)), cls);
    PyList_SET_ITEM(items.get(), i, item.release());
  }
  if (PyList_CheckExact(object)) return items;
  // Size and the named results of ops with several outputs are made from one sequence as well.
  return own(PyObject_CallOneArg(reinterpret_cast<PyObject*>(Py_TYPE(object)), items.get()));
}

bool all_bases_of(PyObject* cls, PyObject* types) {
  Ref iterator = own(PyObject_GetIter(types));
  while (PyObject* raw = PyIter_Next(iterator.get())) {
    Ref type = Ref::steal(raw);
    int is_base = PyObject_IsSubclass(cls, type.get());
    checked(is_base);
    if (!is_base) return false;
  }
  if (PyErr_Occurred()) throw_python_error();
  return true;
}

class SubclassesDisabled {
 public:
  SubclassesDisabled() : before_(function_state.subclasses_disabled) {
    function_state.subclasses_disabled = true;
  }
  ~SubclassesDisabled() { function_state.subclasses_disabled = before_; }

 private:
  bool before_;
};

bool keeps_class(PyObject* func) {
  if (!nowrap_getters) {
    Ref getters = own(PySet_New(nullptr));
    for (const char* name : {"grad"}) {
      Ref descriptor = attribute(reinterpret_cast<PyObject*>(&TensorType), name);
      checked(PySet_Add(getters.get(), attribute(descriptor.get(), "__get__").get()));
    }
    nowrap_getters = getters.release();
  }
  int found = PySet_Contains(nowrap_getters, func);
  if (found < 0) PyErr_Clear();  // an unhashable function is none of ours
  return found > 0;
}

// __torch_function__(func, types, args=(), kwargs=None)
PyObject* default_torch_function(PyObject* cls, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"func", "types", "args", "kwargs", nullptr};
  PyObject *func, *types, *positional = nullptr, *keywords = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|OO:__torch_function__",
                                   const_cast<char**>(names), &func, &types, &positional,
                                   &keywords)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    if (!all_bases_of(cls, types)) Py_RETURN_NOTIMPLEMENTED;
    Ref call_args = positional ? own(PySequence_Tuple(positional)) : own(PyTuple_New(0));
    if (keywords == Py_None) keywords = nullptr;
    Ref result;
    {
      SubclassesDisabled disabled;
      result = own(PyObject_Call(func, call_args.get(), keywords));
    }
    if (cls == reinterpret_cast<PyObject*>(&TensorType) || keeps_class(func))
      return result.release();
    return converted(std::move(result), reinterpret_cast<PyTypeObject*>(cls)).release();
  });
}

// _disabled_torch_function_impl(func, types, args, kwargs): a hook that is as good as none.
PyObject* disabled_torch_function(PyObject*, PyObject* arguments) {
  PyObject *func, *types, *args = nullptr, *kwargs = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO|OO", &func, &types, &args, &kwargs)) return nullptr;
  return guarded([&] {
    SubclassesDisabled disabled;
    Ref call_args = args ? own(PySequence_Tuple(args)) : own(PyTuple_New(0));
    return checked(PyObject_Call(func, call_args.get(), kwargs == Py_None ? nullptr : kwargs));
  });
}

// ---- what lib/cepheid/overrides.py is made of
// ------------------------------------------------------

PyObject* push_mode(PyObject*, PyObject* mode) {
  return guarded([&] {
    function_state.modes.push_back(mode);
    function_state.update();
    Py_INCREF(mode);
    return Py_NewRef(Py_None);
  });
}

PyObject* pop_mode(PyObject*, PyObject*) {
  if (function_state.modes.empty()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "_pop_torch_function_mode: no mode is on this thread's stack");
    return nullptr;
  }
  PyObject* mode = function_state.modes.back();
  function_state.modes.pop_back();
  function_state.update();
  return mode;
}

PyObject* count_modes(PyObject*, PyObject*) {
  return PyLong_FromSize_t(function_state.modes.size());
}

PyObject* mode_at(PyObject*, PyObject* index) {
  Py_ssize_t i = PyLong_AsSsize_t(index);
  if (i == -1 && PyErr_Occurred()) return nullptr;
  if (i < 0 || i >= static_cast<Py_ssize_t>(function_state.modes.size())) {
    PyErr_Format(PyExc_IndexError, "_torch_function_mode_at: index %zd, the stack holds %zu", i,
                 function_state.modes.size());
    return nullptr;
  }
  return Py_NewRef(function_state.modes[i]);
}

PyObject* has_unary(PyObject*, PyObject* object) { return PyBool_FromLong(has_override(object)); }

PyObject* has_variadic(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject*) {
  return PyBool_FromLong(std::any_of(args, args + nargs, has_override));
}

PyObject* has_any(PyObject*, PyObject* objects) {
  return guarded([&] {
    Ref items =
        own(PySequence_Fast(objects, "_has_torch_function: expected a sequence of arguments"));
    PyObject** first = PySequence_Fast_ITEMS(items.get());
    return PyBool_FromLong(
        std::any_of(first, first + PySequence_Fast_GET_SIZE(items.get()), has_override));
  });
}

PyObject* handle(PyObject*, PyObject* arguments) {
  PyObject *func, *relevant, *args, *kwargs = nullptr;
  if (!PyArg_ParseTuple(arguments, "OOO|O:_handle_torch_function", &func, &relevant, &args,
                        &kwargs)) {
    return nullptr;
  }
  return guarded([&] {
    Overloaded operands;
    Ref items = own(PySequence_Tuple(relevant));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
      collect(operands, PyTuple_GET_ITEM(items.get(), i));
    }
    Ref positional = own(PySequence_Tuple(args));
    Ref name = optional_attribute(func, own(PyUnicode_InternFromString("__name__")).get());
    bool named = name && PyUnicode_Check(name.get());
    std::string text = named ? text_of(name.get()) : "function";
    return call_torch_function(func, operands, positional.get(),
                               kwargs == Py_None ? nullptr : kwargs, text.c_str());
  });
}

PyMethodDef disabled_def = {
    "_disabled_torch_function_impl", disabled_torch_function, METH_VARARGS,
    "Assigned to __torch_function__: the class takes no part in overrides."};

PyMethodDef functions[] = {
    {"_push_torch_function_mode", push_mode, METH_O,
     "Makes `mode` the innermost one of this thread."},
    {"_pop_torch_function_mode", pop_mode, METH_NOARGS,
     "Takes the innermost mode off and returns it."},
    {"_len_torch_function_stack", count_modes, METH_NOARGS,
     "Number of modes on this thread's stack."},
    {"_torch_function_mode_at", mode_at, METH_O, "The mode at an index, outermost first."},
    {"_has_torch_function_unary", has_unary, METH_O, "Whether one argument has an override."},
    {"_has_torch_function_variadic", as_cfunction(has_variadic), kFastKeywords,
     "Whether any argument has an override."},
    {"_has_torch_function", has_any, METH_O, "Whether any item of a sequence has an override."},
    {"_handle_torch_function", handle, METH_VARARGS,
     "_handle_torch_function(public_api, relevant_args, args, kwargs): asks the overrides."},
    {nullptr, nullptr, 0, nullptr},
};

// ---- DisableTorchFunctionSubclass, DisableTorchFunction
// -------------------------------------------

struct DisableObject {
  PyObject_HEAD;
  std::vector<bool>* before;  // one per entry, so that the object can be nested
};

template <bool FunctionState::* Flag>
PyObject* disable_enter(PyObject* self, PyObject*) {
  return guarded([&] {
    reinterpret_cast<DisableObject*>(self)->before->push_back(function_state.*Flag);
    function_state.*Flag = true;
    function_state.update();
    return Py_NewRef(self);
  });
}

template <bool FunctionState::* Flag>
PyObject* disable_exit(PyObject* self, PyObject* const*, Py_ssize_t, PyObject*) {
  auto* before = reinterpret_cast<DisableObject*>(self)->before;
  if (before->empty()) {
    PyErr_Format(PyExc_RuntimeError, "%s: __exit__ without __enter__",
                 short_type_name(Py_TYPE(self)));
    return nullptr;
  }
  function_state.*Flag = before->back();
  before->pop_back();
  function_state.update();
  Py_RETURN_NONE;
}

PyObject* disable_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self) reinterpret_cast<DisableObject*>(self)->before = new std::vector<bool>();
  return self;
}

void disable_dealloc(PyObject* self) {
  delete reinterpret_cast<DisableObject*>(self)->before;
  Py_TYPE(self)->tp_free(self);
}

template <bool FunctionState::* Flag>
PyMethodDef disable_methods[] = {
    {"__enter__", disable_enter<Flag>, METH_NOARGS, nullptr},
    {"__exit__", as_cfunction(disable_exit<Flag>), kFastKeywords, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

template <bool FunctionState::* Flag>
PyTypeObject disable_type(const char* name, const char* doc) {
  return {
      .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = name,
      .tp_basicsize = sizeof(DisableObject),
      .tp_dealloc = disable_dealloc,
      .tp_flags = Py_TPFLAGS_DEFAULT,
      .tp_doc = doc,
      .tp_methods = disable_methods<Flag>,
      .tp_new = disable_new,
  };
}

PyTypeObject DisableSubclassType = disable_type<&FunctionState::subclasses_disabled>(
    "cepheid.DisableTorchFunctionSubclass",
    "Context manager: __torch_function__ of subclasses is not asked inside; modes still are.");
PyTypeObject DisableAllType = disable_type<&FunctionState::all_disabled>(
    "cepheid.DisableTorchFunction",
    "Context manager: neither subclasses nor modes are asked inside.");

}  // namespace

PyMethodDef default_torch_function_def = {
    "__torch_function__",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(default_torch_function)),
    METH_VARARGS | METH_KEYWORDS | METH_CLASS,
    "__torch_function__(func, types, args=(), kwargs=None)\n\nRuns `func` without overrides of "
    "subclasses and gives its results this class. NotImplemented when an operand's class isn't a "
    "base "
    "of this one."};

void init_torch_function(PyObject* module) {
  hook_name = checked(PyUnicode_InternFromString("__torch_function__"));
  disabled_hook = checked(PyCFunction_New(&disabled_def, nullptr));
  add_object(module, disabled_def.ml_name, disabled_hook);
  checked(PyModule_AddFunctions(module, functions));
  add_type(module, &DisableSubclassType, "DisableTorchFunctionSubclass");
  add_type(module, &DisableAllType, "DisableTorchFunction");
}

}  // namespace ceph::python
