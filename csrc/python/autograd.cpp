// Autograd's Python side: nodes, hooks, the entry of the engine, grad mode.

#include "python/autograd.h"

#include <unordered_map>

#include "autograd/accumulate_grad.h"
#include "autograd/engine.h"
#include "core/grad_mode.h"
#include "python/generated.h"

namespace ceph::python {

using autograd::Edge;
using autograd::Gradients;
using autograd::Hook;
using autograd::Node;

namespace {

// ---- hooks

Ref tuple_of(const Gradients& list) {
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(list.size())));
  for (size_t i = 0; i < list.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), checked(wrap(list[i])));
  }
  return tuple;
}

// What a hook returned in place of one gradient.
Tensor gradient_from(const char* op, PyObject* value) {
  if (value == Py_None) return {};
  CEPH_CHECK(is_tensor(value), ErrorKind::kType, op,
             "a hook returns a Tensor, or None to leave the gradient as it is; got ",
             type_name(value));
  return unwrap(value);
}

class PyHook final : public Hook {
 public:
  PyHook(const char* op, PyObject* callable, HookKind kind)
      : op_(op), callable_(Ref::share(callable)), kind_(kind) {}
  ~PyHook() override {
    if (!callable_) return;
    if (!Py_IsInitialized()) {
      callable_.release();
      return;
    }
    GilAcquire gil;
    callable_ = Ref();
  }

  void call(Gradients& gradients, const Gradients* came) override {
    GilAcquire gil;
    const Ref callable = callable_;
    if (!callable) return;
    if (kind_ == HookKind::kTensor || kind_ == HookKind::kAccumulated) {
      Ref argument = own(wrap(gradients[0]));
      Ref result = own(PyObject_CallOneArg(callable.get(), argument.get()));
      if (kind_ == HookKind::kTensor && result.get() != Py_None) {
        gradients[0] = gradient_from(op_, result.get());
      }
      return;
    }
    Ref list = tuple_of(gradients);
    Ref results = came ? tuple_of(*came) : Ref();
    Ref result = own(PyObject_CallFunctionObjArgs(callable.get(), list.get(), results.get(), nullptr));
    if (result.get() != Py_None) replace(gradients, result.get());
  }

  void remove() { callable_ = Ref(); }

 private:
  void replace(Gradients& gradients, PyObject* value) const {
    Ref items = is_tensor(value) ? own(PyTuple_Pack(1, value)) : own(PySequence_Tuple(value));
    CEPH_CHECK(PyTuple_GET_SIZE(items.get()) == static_cast<Py_ssize_t>(gradients.size()),
               ErrorKind::kRuntime, op_, "the hook must return ", gradients.size(),
               " gradients or None; got ", PyTuple_GET_SIZE(items.get()));
    for (size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] = gradient_from(op_, PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i)));
    }
  }

  const char* op_;
  Ref callable_;
  HookKind kind_;
};

struct HandleObject {
  PyObject_HEAD;
  intrusive_ptr<PyHook> hook;
};

PyObject* handle_remove(PyObject* self, PyObject*) {
  reinterpret_cast<HandleObject*>(self)->hook->remove();
  Py_RETURN_NONE;
}
PyObject* handle_enter(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* handle_exit(PyObject* self, PyObject* const*, Py_ssize_t, PyObject*) {
  return handle_remove(self, nullptr);
}
void handle_dealloc(PyObject* self) {
  reinterpret_cast<HandleObject*>(self)->hook.~intrusive_ptr<PyHook>();
  Py_TYPE(self)->tp_free(self);
}

PyMethodDef handle_methods[] = {
    {"remove", handle_remove, METH_NOARGS, "Takes the hook away."},
    {"__enter__", handle_enter, METH_NOARGS, nullptr},
    {"__exit__", as_cfunction(handle_exit), kFastKeywords, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyTypeObject HandleType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid._C._HookHandle",
    .tp_basicsize = sizeof(HandleObject),
    .tp_dealloc = handle_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "What registering a hook returns: remove() takes it away, as does leaving `with`.",
    .tp_methods = handle_methods,
};

// ---- nodes

struct NodeObject {
  PyObject_HEAD;
  intrusive_ptr<Node> node;
  PyObject* dict;
};

extern PyTypeObject NodeType;

Node& node_of(PyObject* self) { return *reinterpret_cast<NodeObject*>(self)->node; }

void node_dealloc(PyObject* self) {
  auto* object = reinterpret_cast<NodeObject*>(self);
  PyTypeObject* type = Py_TYPE(self);
  object->node->pyobj = nullptr;
  Py_CLEAR(object->dict);
  object->node.~intrusive_ptr<Node>();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* node_name(PyObject* self, PyObject*) {
  return PyUnicode_FromString(node_of(self).name());
}

PyObject* node_repr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", node_of(self).name(), self);
}

PyObject* node_next(PyObject* self, void*) {
  return guarded([&] {
    const std::vector<Edge>& edges = node_of(self).edges();
    Ref next = own(PyTuple_New(static_cast<Py_ssize_t>(edges.size())));
    for (size_t i = 0; i < edges.size(); ++i) {
      Ref node = own(wrap_node(edges[i].node));
      Ref pair = own(Py_BuildValue("(OI)", node.get(), edges[i].input));
      PyTuple_SET_ITEM(next.get(), static_cast<Py_ssize_t>(i), pair.release());
    }
    return next.release();
  });
}

// The leaf of an AccumulateGrad; AttributeError for other nodes.
PyObject* node_variable(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    const auto* leaf = dynamic_cast<const autograd::AccumulateGrad*>(&node_of(self));
    if (leaf) return wrap(leaf->leaf());
    PyErr_Format(PyExc_AttributeError, "%s has no variable: only AccumulateGrad has one",
                 node_of(self).name());
    return nullptr;
  });
}

PyObject* node_sequence(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(node_of(self).sequence());
}

PyObject* node_register_hook(PyObject* self, PyObject* callable) {
  return guarded([&] {
    MadeHook made = make_hook("register_hook", callable, HookKind::kAfter);
    node_of(self).hooks().after.push_back(std::move(made.hook));
    return made.handle.release();
  });
}
PyObject* node_register_prehook(PyObject* self, PyObject* callable) {
  return guarded([&] {
    MadeHook made = make_hook("register_prehook", callable, HookKind::kBefore);
    node_of(self).hooks().before.push_back(std::move(made.hook));
    return made.handle.release();
  });
}

PyMethodDef node_methods[] = {
    {"name", node_name, METH_NOARGS, "The name of the operation's derivative."},
    {"register_hook", node_register_hook, METH_O,
     "register_hook(hook): hook(grad_inputs, grad_outputs) is called after the node ran and may "
     "return other grad_inputs. Returns a handle with remove()."},
    {"register_prehook", node_register_prehook, METH_O,
     "register_prehook(hook): hook(grad_outputs) is called before the node runs and may return "
     "others. Returns a handle with remove()."},
    {"_sequence_nr", node_sequence, METH_NOARGS, "Counts the nodes of a thread."},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef node_getset[] = {
    {"next_functions", node_next, nullptr,
     "Where the gradients of the operands go: pairs of a node (or None) and its input.", nullptr},
    {"variable", node_variable, nullptr, "The leaf that an AccumulateGrad adds to.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyTypeObject NodeType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid._C._Node",
    .tp_basicsize = sizeof(NodeObject),
    .tp_dealloc = node_dealloc,
    .tp_repr = node_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "One recorded operation.",
    .tp_methods = node_methods,
    .tp_getset = node_getset,
    .tp_dictoffset = offsetof(NodeObject, dict),
};

// A type of its own for each name, so that type(t.grad_fn).__name__ is the name.
PyTypeObject* node_type(const char* name) {
  static auto& types = *new std::unordered_map<std::string, PyObject*>;
  PyObject*& type = types[name];
  if (!type) {
    type = checked(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){s:()}",
                                         name, &NodeType, "__slots__"));
  }
  return reinterpret_cast<PyTypeObject*>(type);
}

// ---- the engine

Ref items_of(PyObject* sequence) { return own(PySequence_Tuple(sequence)); }

struct Roots {
  std::vector<Edge> edges;
  Gradients gradients;
};

Roots roots_of(PyObject* tensors, PyObject* gradients) {
  constexpr const char* op = "backward";
  Ref roots = items_of(tensors), grads = items_of(gradients);
  Roots made;
  const Py_ssize_t count = PyTuple_GET_SIZE(roots.get());
  CEPH_CHECK(PyTuple_GET_SIZE(grads.get()) == count, ErrorKind::kRuntime, op, "got ", count,
             " tensors and ", PyTuple_GET_SIZE(grads.get()), " gradients; give one for each");
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *root = PyTuple_GET_ITEM(roots.get(), i), *grad = PyTuple_GET_ITEM(grads.get(), i);
    CEPH_CHECK(is_tensor(root), ErrorKind::kType, op, "expected a Tensor; got ", type_name(root));
    CEPH_CHECK(is_tensor(grad), ErrorKind::kType, op, "a gradient must be a Tensor; got ",
               type_name(grad));
    Edge edge = autograd::gradient_edge(unwrap(root));
    CEPH_CHECK(edge, ErrorKind::kRuntime, op, "element ", i,
               " of the tensors does not require grad and does not have a grad_fn; nothing was "
               "recorded for it");
    made.edges.push_back(std::move(edge));
    made.gradients.push_back(unwrap(grad));
  }
  return made;
}

std::vector<Edge> inputs_of(PyObject* inputs, const char* op) {
  Ref items = items_of(inputs);
  std::vector<Edge> edges;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.get(), i);
    CEPH_CHECK(is_tensor(item), ErrorKind::kType, op, "inputs must be Tensors; got ",
               type_name(item));
    Edge edge = autograd::gradient_edge(unwrap(item));
    CEPH_CHECK(edge, ErrorKind::kRuntime, op, "input ", i,
               " does not require a gradient; call requires_grad_() on it before it is used");
    edges.push_back(std::move(edge));
  }
  return edges;
}

// _run_backward(tensors, gradients, keep_graph, create_graph, inputs) -> gradients of the inputs
PyObject* run_backward(PyObject*, PyObject* args) {
  PyObject *tensors, *gradients, *inputs;
  int keep_graph, create_graph;
  if (!PyArg_ParseTuple(args, "OOppO:_run_backward", &tensors, &gradients, &keep_graph,
                        &create_graph, &inputs))
    return nullptr;
  return guarded([&] {
    Roots roots = roots_of(tensors, gradients);
    const std::vector<Edge> wanted = inputs_of(inputs, "backward");
    const autograd::BackwardOptions options{keep_graph != 0, create_graph != 0};
    Gradients made = unlocked(true, [&] {
      return autograd::run_backward(roots.edges, std::move(roots.gradients), wanted, options);
    });
    return tuple_of(made).release();
  });
}

// _add_to_grad(tensor, gradient): what a backward pass does at a leaf.
PyObject* add_to_grad(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    CEPH_CHECK(count == 2 && is_tensor(args[0]) && is_tensor(args[1]), ErrorKind::kType,
               "_add_to_grad", "takes a tensor and its gradient");
    autograd::add_to_grad(unwrap(args[0]), unwrap(args[1]));
    return Py_NewRef(Py_None);
  });
}

PyObject* queue_callback(PyObject*, PyObject* callable) {
  return guarded([&] {
    auto held = std::make_shared<Ref>(Ref::share(callable));
    autograd::queue_callback([held] {
      GilAcquire gil;
      own(PyObject_CallNoArgs(held->get()));
      *held = Ref();
    });
    return Py_NewRef(Py_None);
  });
}

PyObject* is_grad_enabled(PyObject*, PyObject*) { return PyBool_FromLong(grad_enabled); }
PyObject* set_grad_enabled(PyObject*, PyObject* on) {
  const int value = PyObject_IsTrue(on);
  if (value < 0) return nullptr;
  grad_enabled = value != 0;
  Py_RETURN_NONE;
}

PyCFunction cast(PyObject* (*fn)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fn));
}

PyMethodDef functions[] = {
    {"_run_backward", run_backward, METH_VARARGS,
     "_run_backward(tensors, gradients, keep_graph, create_graph, inputs)"},
    {"_add_to_grad", cast(add_to_grad), METH_FASTCALL, "_add_to_grad(tensor, gradient)"},
    {"_queue_callback", queue_callback, METH_O,
     "_queue_callback(fn): called when the backward pass of this thread has ended."},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS,
     "Whether this thread records operations for backward."},
    {"_set_grad_enabled", set_grad_enabled, METH_O, "_set_grad_enabled(bool)"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

MadeHook make_hook(const char* op, PyObject* callable, HookKind kind) {
  CEPH_CHECK(PyCallable_Check(callable), ErrorKind::kType, op, "a hook must be callable; got ",
             type_name(callable));
  intrusive_ptr<PyHook> hook = make_intrusive<PyHook>(op, callable, kind);
  Ref handle = own(HandleType.tp_alloc(&HandleType, 0));
  new (&reinterpret_cast<HandleObject*>(handle.get())->hook) intrusive_ptr<PyHook>(hook);
  return {std::move(hook), std::move(handle)};
}

PyObject* wrap_node(const intrusive_ptr<Node>& node) {
  if (!node) Py_RETURN_NONE;
  if (node->pyobj) return Py_NewRef(static_cast<PyObject*>(node->pyobj));
  PyTypeObject* type = node_type(node->name());
  PyObject* self = checked(type->tp_alloc(type, 0));
  new (&reinterpret_cast<NodeObject*>(self)->node) intrusive_ptr<Node>(node);
  node->pyobj = self;
  return self;
}

Node* unwrap_node(PyObject* object) {
  return PyObject_TypeCheck(object, &NodeType) ? &node_of(object) : nullptr;
}

PyObject* tensor_register_hook(PyObject* self, PyObject* callable) {
  MadeHook made = make_hook("register_hook", callable, HookKind::kTensor);
  autograd::add_hook(unwrap(self), std::move(made.hook));
  return made.handle.release();
}

PyObject* tensor_register_accumulated_hook(PyObject* self, PyObject* callable) {
  constexpr const char* op = "register_post_accumulate_grad_hook";
  const Tensor& t = unwrap(self);
  CEPH_CHECK(autograd::requires_grad(t) && autograd::is_leaf(t), ErrorKind::kRuntime, op,
             "only a leaf that requires a gradient accumulates one");
  MadeHook made = make_hook(op, callable, HookKind::kAccumulated);
  autograd::make_meta(*t.impl()).after_accumulation.push_back(std::move(made.hook));
  return made.handle.release();
}

void init_autograd(PyObject* module) {
  add_type(module, &HandleType, "_HookHandle");
  add_type(module, &NodeType, "_Node");
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace ceph::python
