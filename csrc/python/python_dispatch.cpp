#include "python/python_dispatch.h"

#include <algorithm>

#include "python/op_object.h"
#include "python/value_convert.h"

namespace ceph::python {

namespace {

PyObject* rule_name = nullptr;  // "__torch_dispatch__"
PyObject* disabled_rule = nullptr;

thread_local std::vector<PyObject*> modes;  // owned, innermost last

void update_included() {
  DispatchKeySet python(DispatchKey::Python);
  local_keys.included = modes.empty() ? local_keys.included - python : local_keys.included | python;
}

// Takes the innermost mode off the stack while its handler runs.
class ModeOff {
 public:
  ModeOff() : mode_(modes.back()) {
    modes.pop_back();
    update_included();
  }
  ~ModeOff() {
    modes.push_back(mode_);
    update_included();
  }
  PyObject* mode() const { return mode_; }

 private:
  PyObject* mode_;
};

// Operands whose class has a rule: one per class, subclasses before their bases, then left to
// right.
class Operands {
 public:
  explicit Operands(const Stack& stack) {
    for (const Value& value : stack) {
      if (auto* t = std::get_if<Tensor>(&value)) add(*t);
      if (auto* list = std::get_if<std::vector<Tensor>>(&value)) {
        for (const Tensor& t : *list) add(t);
      }
    }
  }
  const std::vector<Ref>& objects() const { return objects_; }

  Ref types() const {
    Ref types = own(PyTuple_New(static_cast<Py_ssize_t>(objects_.size())));
    for (size_t i = 0; i < objects_.size(); ++i) {
      auto* type = reinterpret_cast<PyObject*>(Py_TYPE(objects_[i].get()));
      PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(i), Py_NewRef(type));
    }
    return types;
  }

 private:
  void add(const Tensor& t) {
    if (!t.defined() || !t.keys().has(DispatchKey::Python)) return;
    Ref object = own(wrap(t));
    PyTypeObject* type = Py_TYPE(object.get());
    if (!defines_torch_dispatch(type)) return;
    for (const Ref& seen : objects_) {
      if (Py_TYPE(seen.get()) == type) return;
    }
    auto at = std::find_if(objects_.begin(), objects_.end(), [&](const Ref& seen) {
      return PyType_IsSubtype(type, Py_TYPE(seen.get()));
    });
    objects_.insert(at, std::move(object));
  }

  std::vector<Ref> objects_;
};

Ref ask(PyObject* object, PyObject* op, PyObject* types, const CallArgs& call) {
  Ref rule = own(PyObject_GetAttr(object, rule_name));
  return own(PyObject_CallFunctionObjArgs(rule.get(), op, types, call.args.get(), call.kwargs.get(),
                                          nullptr));
}

// The answer of the first that has one; null when nobody was asked.
Ref ask_all(const Operands& operands, PyObject* op, const CallArgs& call, const std::string& name) {
  Ref types = operands.types();
  bool asked = !modes.empty();
  if (asked) {
    ModeOff off;
    Ref result = ask(off.mode(), op, types.get(), call);
    if (result.get() != Py_NotImplemented) return result;
  }
  for (const Ref& object : operands.objects()) {
    Ref result = ask(object.get(), op, types.get(), call);
    if (result.get() != Py_NotImplemented) return result;
    asked = true;
  }
  if (!asked) return Ref();
  PyErr_Format(PyExc_TypeError,
               "%s: every __torch_dispatch__ returned NotImplemented; asked were the classes %R%s",
               name.c_str(), types.get(), modes.empty() ? "" : " and the active modes");
  throw_python_error();
}

// Wrappers that a rule wrote to have seen one more version; others count by themselves.
void bump_written(const OpSchema& schema, const Stack& stack) {
  auto bump = [](const Tensor& t) {
    if (t.defined() && t.keys().has(DispatchKey::Python)) t->bump_version();
  };
  for (size_t i = 0; i < schema.args.size(); ++i) {
    if (!schema.args[i].writes) continue;
    if (auto* t = std::get_if<Tensor>(&stack[i])) bump(*t);
    if (auto* list = std::get_if<std::vector<Tensor>>(&stack[i])) {
      std::for_each(list->begin(), list->end(), bump);
    }
  }
}

// The fallback of the Python key.
void call_rule(DispatchCtx ctx, Stack& stack) {
  GilAcquire gil;
  RunningOp running(*ctx.op);
  const OpSchema& schema = ctx.op->schema();
  std::string name = ctx.op->qualified_name();
  Ref result;
  {
    Operands operands(stack);
    Ref op = op_object(*ctx.op);
    result = ask_all(operands, op.get(), call_args(schema, stack), name);
  }
  if (!result) {  // the class's rule is switched off
    ctx.op->redispatch_boxed(ctx.keys.below(DispatchKey::Python), stack);
    return;
  }
  bump_written(schema, stack);
  stack = results_from(schema, name, result.get(), stack);
}

// ---- what lib/cepheid/utils/_python_dispatch.py is made of
// ---------------------------------------------

PyObject* push_mode(PyObject*, PyObject* mode) {
  return guarded([&] {
    modes.push_back(mode);
    Py_INCREF(mode);
    update_included();
    return Py_NewRef(Py_None);
  });
}

PyObject* pop_mode(PyObject*, PyObject*) {
  if (modes.empty()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "_pop_torch_dispatch_mode: no mode is on this thread's stack");
    return nullptr;
  }
  PyObject* mode = modes.back();
  modes.pop_back();
  update_included();
  return mode;
}

PyObject* count_modes(PyObject*, PyObject*) { return PyLong_FromSize_t(modes.size()); }

PyObject* mode_at(PyObject*, PyObject* index) {
  Py_ssize_t i = PyLong_AsSsize_t(index);
  if (i == -1 && PyErr_Occurred()) return nullptr;
  if (i < 0 || i >= static_cast<Py_ssize_t>(modes.size())) {
    PyErr_Format(PyExc_IndexError, "_torch_dispatch_mode_at: index %zd, the stack holds %zu", i,
                 modes.size());
    return nullptr;
  }
  return Py_NewRef(modes[static_cast<size_t>(i)]);
}

PyObject* disabled_dispatch(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_RuntimeError,
                  "_disabled_torch_dispatch_impl: the rule is switched off and can't be called");
  return nullptr;
}

PyObject* dispatch_keys(PyObject*, PyObject* object) {
  return guarded([&] {
    CEPH_CHECK(is_tensor(object), ErrorKind::kType, "_dispatch_keys", "expected a Tensor; got ",
               type_name(object));
    Ref names = own(PyList_New(0));
    for (int k = kNumDispatchKeys - 1; k >= 0; --k) {
      auto key = static_cast<DispatchKey>(k);
      if (!unwrap(object).keys().has(key)) continue;
      std::string_view text = name_of(key);
      Ref name =
          own(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
      checked(PyList_Append(names.get(), name.get()));
    }
    return names.release();
  });
}

// A recording kernel excludes Autograd while it calls the op. What a rule calls on the tensors that
// its own are made of has a history apart: the rule lifts the exclusion, and puts it back.
PyObject* exclude_autograd(PyObject*, PyObject* value) {
  int exclude = PyObject_IsTrue(value);
  if (exclude < 0) return nullptr;
  const DispatchKeySet autograd(DispatchKey::Autograd);
  const bool before = local_keys.excluded.has(DispatchKey::Autograd);
  local_keys.excluded = exclude ? local_keys.excluded | autograd : local_keys.excluded - autograd;
  return PyBool_FromLong(before);
}

// _share_memory(wrapper, base, count): writes to one count as writes to the other. Where count is
// not 0 the wrapper is also one of so many views of the base that an op returned.
PyObject* share_memory(PyObject*, PyObject* args) {
  PyObject *wrapper, *base;
  int count;
  if (!PyArg_ParseTuple(args, "OOi", &wrapper, &base, &count)) return nullptr;
  return guarded([&] {
    CEPH_CHECK(is_tensor(wrapper) && is_tensor(base), ErrorKind::kType, "_share_memory",
               "expected two tensors; got ", type_name(wrapper), " and ", type_name(base));
    const Tensor &view = unwrap(wrapper), &root = unwrap(base);
    view->set_version_counter(root->own_version_counter());
    if (count > 0) mark_view(view, root, count > 1);
    return Py_NewRef(Py_None);
  });
}

PyMethodDef disabled_def = {"_disabled_torch_dispatch_impl", disabled_dispatch, METH_VARARGS,
                            "Assigned to __torch_dispatch__: the class has no rule."};
PyMethodDef functions[] = {
    {"_push_torch_dispatch_mode", push_mode, METH_O,
     "Makes `mode` the innermost one of this thread."},
    {"_pop_torch_dispatch_mode", pop_mode, METH_NOARGS,
     "Takes the innermost mode off and returns it."},
    {"_len_torch_dispatch_stack", count_modes, METH_NOARGS,
     "Number of modes on this thread's stack."},
    {"_torch_dispatch_mode_at", mode_at, METH_O, "The mode at an index, outermost first."},
    {"_exclude_autograd", exclude_autograd, METH_O,
     "Sets whether this thread skips recording kernels; returns what was set before."},
    {"_share_memory", share_memory, METH_VARARGS,
     "Says that a wrapper shows the memory of another, and whether it is a view of it."},
    {"_dispatch_keys", dispatch_keys, METH_O, "The dispatch keys of a tensor, highest first."},
    {nullptr, nullptr, 0, nullptr},
};

// ---- _DisableTorchDispatch
// ------------------------------------------------------------------------------

struct DisableObject {
  PyObject_HEAD;
  std::vector<LocalKeys>* before;
};

PyObject* disable_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self) reinterpret_cast<DisableObject*>(self)->before = new std::vector<LocalKeys>();
  return self;
}

void disable_dealloc(PyObject* self) {
  delete reinterpret_cast<DisableObject*>(self)->before;
  Py_TYPE(self)->tp_free(self);
}

PyObject* disable_enter(PyObject* self, PyObject*) {
  return guarded([&] {
    reinterpret_cast<DisableObject*>(self)->before->push_back(local_keys);
    local_keys.excluded = local_keys.excluded | DispatchKey::Python;
    return Py_NewRef(self);
  });
}

PyObject* disable_exit(PyObject* self, PyObject* const*, Py_ssize_t, PyObject*) {
  auto* before = reinterpret_cast<DisableObject*>(self)->before;
  if (before->empty()) {
    PyErr_SetString(PyExc_RuntimeError, "_DisableTorchDispatch: __exit__ without __enter__");
    return nullptr;
  }
  local_keys = before->back();
  before->pop_back();
  Py_RETURN_NONE;
}

PyMethodDef disable_methods[] = {
    {"__enter__", disable_enter, METH_NOARGS, nullptr},
    {"__exit__", as_cfunction(disable_exit), kFastKeywords, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyTypeObject DisableType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid._C._DisableTorchDispatch",
    .tp_basicsize = sizeof(DisableObject),
    .tp_dealloc = disable_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Context manager: no __torch_dispatch__ rule or mode is asked inside.",
    .tp_methods = disable_methods,
    .tp_new = disable_new,
};

}  // namespace

bool defines_torch_dispatch(PyTypeObject* type) {
  if (type == &TensorType) return false;
  PyObject* rule = _PyType_Lookup(type, rule_name);
  return rule && rule != disabled_rule;
}

PyObject* disabled_torch_dispatch() { return disabled_rule; }

void init_python_dispatch(PyObject* module) {
  rule_name = checked(PyUnicode_InternFromString("__torch_dispatch__"));
  disabled_rule = checked(PyCFunction_New(&disabled_def, nullptr));
  add_object(module, disabled_def.ml_name, disabled_rule);
  checked(PyModule_AddFunctions(module, functions));
  add_type(module, &DisableType, "_DisableTorchDispatch");
  Dispatcher::global().set_fallback(DispatchKey::Python, std::make_shared<BoxedKernel>(call_rule));
}

}  // namespace ceph::python
