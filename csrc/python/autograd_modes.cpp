// What a thread or the process does to what is recorded: grad mode, inference mode, hooks of saved
// tensors, anomaly mode.

#include "autograd/anomaly.h"
#include "autograd/engine.h"
#include "autograd/saved_hooks.h"
#include "core/grad_mode.h"
#include "core/local_keys.h"
#include "python/autograd.h"

namespace ceph::python {

using autograd::Node;
using autograd::Packed;
using autograd::SavedHooks;

namespace {

// ---- grad mode, inference mode

PyObject* is_grad_enabled(PyObject*, PyObject*) { return PyBool_FromLong(grad_enabled); }
PyObject* set_grad_enabled(PyObject*, PyObject* on) {
  const int value = PyObject_IsTrue(on);
  if (value < 0) return nullptr;
  grad_enabled = value != 0;
  Py_RETURN_NONE;
}

PyObject* is_inference_mode_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(inference_enabled);
}
// Nothing is recorded in this mode, so Autograd needn't be asked.
PyObject* set_inference_mode(PyObject*, PyObject* on) {
  const int value = PyObject_IsTrue(on);
  if (value < 0) return nullptr;
  inference_enabled = value != 0;
  grad_enabled = !inference_enabled;
  const DispatchKeySet excluded = local_keys.excluded - DispatchKey::Autograd;
  local_keys.excluded = inference_enabled ? excluded | DispatchKey::Autograd : excluded;
  Py_RETURN_NONE;
}

// ---- hooks of saved tensors

class PyPacked final : public Packed {
 public:
  PyPacked(Ref value, Ref unpack) : value_(std::move(value)), unpack_(std::move(unpack)) {}
  ~PyPacked() override {
    if (!Py_IsInitialized()) {
      value_.release();
      unpack_.release();
      return;
    }
    GilAcquire gil;
    value_ = Ref();
    unpack_ = Ref();
  }
  Tensor unpack() override {
    GilAcquire gil;
    Ref result = own(PyObject_CallOneArg(unpack_.get(), value_.get()));
    CEPH_CHECK(is_tensor(result.get()), ErrorKind::kType, "saved_tensors_hooks",
               "the unpack hook must return a Tensor; got ", type_name(result.get()));
    return unwrap(result.get());
  }

 private:
  Ref value_, unpack_;
};

class PySavedHooks final : public SavedHooks {
 public:
  PySavedHooks(Ref pack, Ref unpack, SavedHooks* outer)
      : outer(outer), pack_(std::move(pack)), unpack_(std::move(unpack)) {}
  intrusive_ptr<Packed> pack(const Tensor& t) override {
    GilAcquire gil;
    const auto held = intrusive_ptr<PySavedHooks>::share(this);
    Ref argument = own(wrap(t));
    const uint32_t version = t->version();
    Ref value = own(PyObject_CallOneArg(pack_.get(), argument.get()));
    CEPH_CHECK(t->version() == version, ErrorKind::kRuntime, "saved_tensors_hooks",
               "the pack hook wrote to the tensor that is saved; write to a clone() of it");
    return make_intrusive<PyPacked>(std::move(value), unpack_);
  }

  SavedHooks* outer;

 private:
  Ref pack_, unpack_;
};

thread_local std::string hooks_disabled;  // why; empty where they aren't

PyObject* push_saved_hooks(PyObject*, PyObject* args) {
  PyObject *pack, *unpack;
  if (!PyArg_ParseTuple(args, "OO:_push_saved_tensors_hooks", &pack, &unpack)) return nullptr;
  return guarded([&] {
    CEPH_CHECK(PyCallable_Check(pack) && PyCallable_Check(unpack), ErrorKind::kType,
               "saved_tensors_hooks", "both hooks must be callable");
    if (!hooks_disabled.empty()) {
      PyErr_SetString(PyExc_RuntimeError, hooks_disabled.c_str());
      throw_python_error();
    }
    autograd::saved_hooks =
        make_intrusive<PySavedHooks>(Ref::share(pack), Ref::share(unpack), autograd::saved_hooks)
            .detach();
    return Py_NewRef(Py_None);
  });
}

PyObject* pop_saved_hooks(PyObject*, PyObject*) {
  return guarded([&] {
    CEPH_CHECK(autograd::saved_hooks, ErrorKind::kRuntime, "saved_tensors_hooks",
               "there are none to take away on this thread");
    auto* top = static_cast<PySavedHooks*>(autograd::saved_hooks);
    autograd::saved_hooks = top->outer;
    top->release();
    return Py_NewRef(Py_None);
  });
}

// _disable_saved_tensors_hooks(message or None) -> the message before
PyObject* disable_saved_hooks(PyObject*, PyObject* message) {
  return guarded([&] {
    Ref before = own(hooks_disabled.empty() ? Py_NewRef(Py_None)
                                            : PyUnicode_FromString(hooks_disabled.c_str()));
    CEPH_CHECK(message == Py_None || PyUnicode_Check(message), ErrorKind::kType,
               "disable_saved_tensors_hooks", "takes a message; got ", type_name(message));
    const std::string text = message == Py_None ? "" : text_of(message);
    if (!text.empty() && autograd::saved_hooks) {
      PyErr_SetString(PyExc_RuntimeError, text.c_str());
      throw_python_error();
    }
    hooks_disabled = text;
    return before.release();
  });
}

// ---- anomaly mode

// Where a node was made: the stack as text, and the node that ran then.
class Trace final : public RefCounted {
 public:
  Trace(Ref stack, intrusive_ptr<Node> parent)
      : parent(std::move(parent)), stack_(std::move(stack)) {}
  ~Trace() override {
    if (!Py_IsInitialized()) {
      stack_.release();
      return;
    }
    GilAcquire gil;
    stack_ = Ref();
  }
  PyObject* stack() const { return stack_.get(); }
  const intrusive_ptr<Node> parent;

 private:
  Ref stack_;
};

Ref anomaly_function(const char* name) {
  return import_attribute("cepheid.autograd.anomaly_mode", name);
}

intrusive_ptr<RefCounted> take_trace() {
  GilAcquire gil;
  Ref stack = own(PyObject_CallNoArgs(anomaly_function("_stack").get()));
  return make_intrusive<Trace>(std::move(stack),
                               intrusive_ptr<Node>::share(autograd::running_node()));
}

const Trace* trace_of(const Node& node) {
  const Node::Hooks* hooks = node.hooks_if_any();
  return hooks ? static_cast<const Trace*>(hooks->trace.get()) : nullptr;
}

// The names and stacks of the node and of those that were running when it was made.
Ref history_of(const Node& node) {
  Ref list = own(PyList_New(0));
  for (const Node* at = &node; at;) {
    const Trace* trace = trace_of(*at);
    Ref pair = own(Py_BuildValue("(sO)", at->name(), trace ? trace->stack() : Py_None));
    checked(PyList_Append(list.get(), pair.get()));
    at = trace ? trace->parent.get() : nullptr;
  }
  return list;
}

void report_failure(const Node& node) {
  GilAcquire gil;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  Ref history = history_of(node);
  Ref done = Ref::steal(PyObject_CallOneArg(anomaly_function("_report").get(), history.get()));
  if (!done && !type) throw_python_error();  // a warning that is an error
  PyErr_Restore(type, value, trace);
}

PyObject* set_anomaly(PyObject*, PyObject* args) {
  int enabled, check_nan;
  if (!PyArg_ParseTuple(args, "pp:_set_anomaly", &enabled, &check_nan)) return nullptr;
  autograd::anomaly.check_nan = check_nan != 0;
  autograd::anomaly.enabled = enabled != 0;
  Py_RETURN_NONE;
}
PyObject* is_anomaly_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(autograd::anomaly.enabled);
}
PyObject* is_anomaly_check_nan(PyObject*, PyObject*) {
  return PyBool_FromLong(autograd::anomaly.check_nan);
}

PyObject* current_node(PyObject*, PyObject*) {
  return guarded([] { return wrap_node(intrusive_ptr<Node>::share(autograd::running_node())); });
}

// A thread of the engine keeps one state in the interpreter for all that it calls there.
void with_interpreter(const std::function<void()>& body) {
  GilAcquire gil;
  try {
    const GilRelease released(true);
    body();
  } catch (const PythonError&) {
    throw;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kPython) throw;
    carry_python_error();
  }
}

PyMethodDef functions[] = {
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS,
     "Whether this thread records operations for backward."},
    {"_set_grad_enabled", set_grad_enabled, METH_O, "_set_grad_enabled(bool)"},
    {"is_inference_mode_enabled", is_inference_mode_enabled, METH_NOARGS,
     "Whether this thread is in inference mode."},
    {"_set_inference_mode", set_inference_mode, METH_O, "_set_inference_mode(bool)"},
    {"_push_saved_tensors_hooks", push_saved_hooks, METH_VARARGS,
     "_push_saved_tensors_hooks(pack, unpack)"},
    {"_pop_saved_tensors_hooks", pop_saved_hooks, METH_NOARGS, nullptr},
    {"_disable_saved_tensors_hooks", disable_saved_hooks, METH_O,
     "_disable_saved_tensors_hooks(message or None) -> the one before"},
    {"_set_anomaly", set_anomaly, METH_VARARGS, "_set_anomaly(enabled, check_nan)"},
    {"is_anomaly_enabled", is_anomaly_enabled, METH_NOARGS, "Whether anomaly mode is on."},
    {"is_anomaly_check_nan_enabled", is_anomaly_check_nan, METH_NOARGS,
     "Whether anomaly mode looks for nan."},
    {"_current_autograd_node", current_node, METH_NOARGS,
     "The node that this thread's backward pass runs; None outside of one."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_autograd_modes(PyObject* module) {
  autograd::anomaly.trace = take_trace;
  autograd::anomaly.report = report_failure;
  autograd::around_thread = with_interpreter;
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace ceph::python
