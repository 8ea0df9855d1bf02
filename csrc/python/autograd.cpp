// The entry of the engine from Python, and what Tensor asks of autograd.

#include "python/autograd.h"

#include "autograd/accumulate_grad.h"
#include "autograd/engine.h"
#include "python/generated.h"

namespace ceph::python {

using autograd::Edge;
using autograd::Gradients;

namespace {

// ---- the engine

Ref items_of(PyObject* sequence) { return own(PySequence_Tuple(sequence)); }

struct Roots {
  std::vector<Edge> edges;
  Gradients gradients;
};

// Where the gradient of `object` goes, a tensor or a GradientEdge: (node, number of the result).
Edge edge_of(PyObject* object, const char* op) {
  if (is_tensor(object)) return autograd::gradient_edge(unwrap(object));
  autograd::Node* node = nullptr;
  const bool pair = PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 2;
  if (pair) node = unwrap_node(PyTuple_GET_ITEM(object, 0));
  CEPH_CHECK(node, ErrorKind::kType, op, "expected a Tensor or a GradientEdge; got ",
             type_name(object));
  const size_t output = PyLong_AsSize_t(PyTuple_GET_ITEM(object, 1));
  if (PyErr_Occurred()) throw_python_error();
  CEPH_CHECK(output < node->results().size(), ErrorKind::kRuntime, op, node->name(), " has ",
             node->results().size(), " results; the edge names result ", output);
  return {intrusive_ptr<autograd::Node>::share(node), static_cast<uint32_t>(output)};
}

Roots roots_of(PyObject* tensors, PyObject* gradients) {
  constexpr const char* op = "backward";
  Ref roots = items_of(tensors), grads = items_of(gradients);
  Roots made;
  const Py_ssize_t count = PyTuple_GET_SIZE(roots.get());
  CEPH_CHECK(PyTuple_GET_SIZE(grads.get()) == count, ErrorKind::kRuntime, op, "got ", count,
             " tensors and ", PyTuple_GET_SIZE(grads.get()), " gradients; give one for each");
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *root = PyTuple_GET_ITEM(roots.get(), i), *grad = PyTuple_GET_ITEM(grads.get(), i);
    CEPH_CHECK(is_tensor(grad), ErrorKind::kType, op, "a gradient must be a Tensor; got ",
               type_name(grad));
    Edge edge = edge_of(root, op);
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
    Edge edge = edge_of(item, op);
    CEPH_CHECK(edge, ErrorKind::kRuntime, op, "input ", i,
               " does not require a gradient; call requires_grad_() on it before it is used");
    edges.push_back(std::move(edge));
  }
  return edges;
}

// _run_backward(tensors, gradients, keep_graph, create_graph, inputs, told) -> gradients of the
// inputs; `told` is called with the name of each stage, unless it is None.
PyObject* run_backward(PyObject*, PyObject* args) {
  PyObject *tensors, *gradients, *inputs, *told;
  int keep_graph, create_graph;
  if (!PyArg_ParseTuple(args, "OOppOO:_run_backward", &tensors, &gradients, &keep_graph,
                        &create_graph, &inputs, &told))
    return nullptr;
  return guarded([&] {
    Roots roots = roots_of(tensors, gradients);
    const std::vector<Edge> wanted = inputs_of(inputs, "backward");
    autograd::BackwardOptions options{keep_graph != 0, create_graph != 0};
    if (told != Py_None) {
      options.told = [told](const char* stage) {
        GilAcquire gil;
        own(PyObject_CallFunction(told, "s", stage));
      };
    }
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

// _gradient_node(tensor): the node that its gradient goes to; None where it requires none.
PyObject* gradient_node(PyObject*, PyObject* tensor) {
  return guarded([&] {
    CEPH_CHECK(is_tensor(tensor), ErrorKind::kType, "get_gradient_edge", "expected a Tensor; got ",
               type_name(tensor));
    return wrap_node(autograd::gradient_edge(unwrap(tensor)).node);
  });
}

PyObject* increment_version(PyObject*, PyObject* tensor) {
  return guarded([&] {
    CEPH_CHECK(is_tensor(tensor), ErrorKind::kType, "increment_version", "expected a Tensor; got ",
               type_name(tensor));
    CEPH_CHECK(!unwrap(tensor)->is_inference(), ErrorKind::kRuntime, "increment_version",
               "a tensor made in inference mode keeps no version");
    unwrap(tensor)->bump_version();
    return Py_NewRef(Py_None);
  });
}

PyObject* current_pass(PyObject*, PyObject*) {
  return guarded([] { return PyLong_FromUnsignedLongLong(autograd::current_pass()); });
}

PyObject* wants_inputs(PyObject*, PyObject*) {
  return guarded([] { return PyBool_FromLong(autograd::wants_inputs()); });
}

PyObject* will_run(PyObject*, PyObject* object) {
  return guarded([&] {
    const autograd::Node* node = unwrap_node(object);
    CEPH_CHECK(node, ErrorKind::kType, "_will_run", "takes a node; got ", type_name(object));
    return PyBool_FromLong(autograd::will_run(*node));
  });
}

PyCFunction cast(PyObject* (*fn)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fn));
}

PyMethodDef functions[] = {
    {"_run_backward", run_backward, METH_VARARGS,
     "_run_backward(tensors, gradients, keep_graph, create_graph, inputs, told)"},
    {"_add_to_grad", cast(add_to_grad), METH_FASTCALL, "_add_to_grad(tensor, gradient)"},
    {"_gradient_node", gradient_node, METH_O, "The node that a tensor's gradient goes to."},
    {"_increment_version", increment_version, METH_O, "Counts a write to the tensor's data."},
    {"_current_pass", current_pass, METH_NOARGS,
     "The number of this thread's backward pass. RuntimeError outside of one."},
    {"_wants_inputs", wants_inputs, METH_NOARGS,
     "Whether this thread's backward pass is for some inputs alone."},
    {"_will_run", will_run, METH_O, "Whether this thread's backward pass reaches a node."},
    {"_queue_callback", queue_callback, METH_O,
     "_queue_callback(fn): called when the backward pass of this thread has ended."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

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
  autograd::add_to(autograd::make_meta(*t.impl()).after_accumulation, std::move(made.hook));
  return made.handle.release();
}

void init_autograd(PyObject* module) {
  init_autograd_hooks(module);
  init_autograd_node(module);
  init_autograd_function(module);
  init_autograd_modes(module);
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace ceph::python
