// autograd.Function: a node whose derivative is written in Python. The object of the node is the
// context, `ctx`, that forward and backward get.

#include <algorithm>

#include "autograd/record.h"
#include "python/autograd.h"

namespace ceph::python {

using autograd::Edge;
using autograd::Gradients;
using autograd::Node;
using autograd::SavedTensor;

namespace {

struct FunctionObject {
  NodeObject base;
  PyObject* to_save;  // what save_for_backward got, until forward ends
  PyObject* dirty;
  PyObject* non_differentiable;
  PyObject* needs_input_grad;
  char materialize;  // whether backward gets zeros in place of None
};

FunctionObject* as_function(PyObject* self) { return reinterpret_cast<FunctionObject*>(self); }

class PyNode final : public Node {
 public:
  const char* name() const override {
    return short_type_name(Py_TYPE(static_cast<PyObject*>(pyobj)));
  }
  Gradients apply(Gradients gradients) override;
  void release_saved() override {
    if (saved.empty()) return;
    GilAcquire gil;
    for (SavedTensor& one : saved) one.release();
  }

  // What follows is guarded by the interpreter lock.
  std::vector<SavedTensor> saved;
  std::vector<bool> tensor_inputs;   // of each argument of forward, whether it is a tensor
  std::vector<bool> tensor_results;  // of each result
};

PyNode& node_of(PyObject* self) {
  auto* node = static_cast<PyNode*>(as_function(self)->base.node.get());
  CEPH_CHECK(node, ErrorKind::kRuntime, type_name(self), "the graph of this context is gone");
  return *node;
}

// ---- backward

// One gradient for each result, for the Python function.
Ref arguments_of(PyNode& node, const FunctionObject& ctx, Gradients& gradients) {
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (ctx.materialize && node.tensor_results[i] && !gradients[i].defined()) {
      gradients[i] = node.results()[i].zeros();
    }
  }
  return tuple_of(gradients);
}

// The gradients that go along the edges, from what the Python function returned.
Gradients gradients_from(const PyNode& node, PyObject* returned) {
  Ref items = PyTuple_Check(returned) ? Ref::share(returned) : own(PyTuple_Pack(1, returned));
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(items.get()));
  const size_t inputs = node.tensor_inputs.size();
  auto item = [&](size_t i) { return PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i)); };
  bool fits = count >= inputs;
  for (size_t i = inputs; i < count; ++i) fits = fits && item(i) == Py_None;
  CEPH_CHECK(fits, ErrorKind::kRuntime, node.name(),
             "returned an incorrect number of gradients (expected ", inputs, ", got ", count,
             "): backward returns one for each argument of forward, None for one that has none");
  Gradients made;
  for (size_t i = 0; i < inputs; ++i) {
    PyObject* value = item(i);
    CEPH_CHECK(value == Py_None || is_tensor(value), ErrorKind::kRuntime, node.name(),
               "backward returns Tensors or None; got ", type_name(value), " at position ", i);
    if (node.tensor_inputs[i]) {
      made.push_back(value == Py_None ? Tensor() : unwrap(value));
    } else {
      CEPH_CHECK(value == Py_None, ErrorKind::kRuntime, node.name(),
                 "returned a gradient at position ", i,
                 " where forward had an argument that is no tensor; return None there");
    }
  }
  return made;
}

Gradients PyNode::apply(Gradients gradients) {
  GilAcquire gil;
  Ref ctx = own(wrap_node(intrusive_ptr<Node>::share(this)));
  Ref function = attribute(ctx.get(), "apply");
  Ref arguments = arguments_of(*this, *as_function(ctx.get()), gradients);
  gradients.clear();
  Ref returned = own(PyObject_CallObject(function.get(), arguments.get()));
  return gradients_from(*this, returned.get());
}

// ---- forward

Ref as_tuple(PyObject* value) {
  return PyTuple_Check(value) ? Ref::share(value) : own(PyTuple_Pack(1, value));
}

// Whether a tensor is one of those that a method of ctx was given.
bool is_among(PyObject* tensors, const Tensor& t) {
  if (!tensors) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tensors); ++i) {
    PyObject* item = PyTuple_GET_ITEM(tensors, i);
    if (is_tensor(item) && unwrap(item).is_same(t)) return true;
  }
  return false;
}

void check_tensors(const char* op, PyObject* tuple, bool none_too = false) {
  if (!tuple) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple, i);
    CEPH_CHECK(is_tensor(item) || (none_too && item == Py_None), ErrorKind::kType, op,
               "takes tensors; argument ", i, " is of type ", type_name(item));
  }
}

// Looks at the arguments of forward: where gradients go, and who asked for one.
bool take_inputs(FunctionObject* ctx, PyNode& node, PyObject* args) {
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  Ref needs = own(PyTuple_New(count));
  bool any = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(args, i);
    const bool needed = is_tensor(item) && autograd::requires_grad(unwrap(item));
    any = any || needed;
    node.tensor_inputs.push_back(is_tensor(item));
    PyTuple_SET_ITEM(needs.get(), i, PyBool_FromLong(needed));
  }
  ctx->needs_input_grad = needs.release();
  return any && grad_enabled;
}

void set_edges(PyNode& node, PyObject* args) {
  std::vector<Edge> edges;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* item = PyTuple_GET_ITEM(args, i);
    if (is_tensor(item)) edges.push_back(autograd::gradient_edge(unwrap(item)));
  }
  node.set_edges(std::move(edges));
}

// An argument that forward wrote to, as a result: its history goes on from the node.
void mark_written(const Tensor& t, const intrusive_ptr<Node>& node, PyObject* args, bool alone) {
  autograd::check_inplace(node->name(), t);
  if (t->view_base()) {
    CEPH_CHECK(alone, ErrorKind::kRuntime, node->name(),
               "forward wrote to a view of another tensor and returned more than one result; "
               "return that one alone, or write to a clone()");
    PyObject* first = PyTuple_GET_ITEM(args, 0);
    CEPH_CHECK(is_tensor(first) && unwrap(first).is_same(t), ErrorKind::kNotImplemented,
               node->name(),
               "forward wrote to a view that isn't its first argument; make it the "
               "first, or write to a clone()");
  }
  autograd::rebase_history(t, node);
}

struct Finish {
  FunctionObject* ctx;
  intrusive_ptr<Node> node;
  PyObject* args;
  bool recorded;
  bool alone;  // forward returned one result

  // One result of forward as the caller gets it.
  Tensor operator()(const Tensor& t) const {
    const bool input = is_among(args, t), written = is_among(ctx->dirty, t);
    const bool differentiable = recorded && !is_among(ctx->non_differentiable, t) &&
                                (is_floating(t.dtype()) || is_complex(t.dtype()));
    if (differentiable && written) {
      mark_written(t, node, args, alone);
      return t;
    }
    Tensor result =
        input && !written ? another(t, differentiable || !autograd::requires_grad(t)) : t;
    if (differentiable) {
      autograd::set_history(result, node);
    } else if (recorded) {
      node->add_result(result);
    }
    return result;
  }

 private:
  // An argument that is returned as it came: a tensor with a history of its own.
  static Tensor another(const Tensor& t, bool is_view) {
    const GradMode quiet(false);
    Tensor made = view_of(t, t.sizes(), t.strides(), t.storage_offset());
    if (is_view) mark_view(made, t);
    return made;
  }
};

void check_all_returned(FunctionObject* ctx, const char* name, PyObject* results) {
  if (!ctx->dirty) return;
  check_tensors("mark_dirty", ctx->dirty);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(ctx->dirty); ++i) {
    CEPH_CHECK(is_among(results, unwrap(PyTuple_GET_ITEM(ctx->dirty, i))), ErrorKind::kRuntime,
               name,
               "forward gave ctx.mark_dirty a tensor and did not return it; what was written "
               "to must be among the results");
  }
}

Ref finish_results(const Finish& finish, PyObject* results) {
  auto& node = static_cast<PyNode&>(*finish.node);
  const Py_ssize_t count = PyTuple_GET_SIZE(results);
  Ref made = own(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(results, i);
    node.tensor_results.push_back(is_tensor(item));
    if (!is_tensor(item) && finish.recorded) node.add_result(Tensor());
    PyObject* result = is_tensor(item) ? checked(wrap(finish(unwrap(item)))) : Py_NewRef(item);
    PyTuple_SET_ITEM(made.get(), i, result);
  }
  return made;
}

void save(FunctionObject* ctx, PyNode& node) {
  check_tensors("save_for_backward", ctx->to_save, true);
  for (Py_ssize_t i = 0; ctx->to_save && i < PyTuple_GET_SIZE(ctx->to_save); ++i) {
    PyObject* item = PyTuple_GET_ITEM(ctx->to_save, i);
    const Tensor t = item == Py_None ? Tensor() : unwrap(item);
    const bool result = t.defined() && autograd::grad_fn(t).get() == &node;
    node.saved.emplace_back(t, result);
  }
}

// _FunctionNode._run(ctx, forward, setup_context or None, args) -> what apply returns
PyObject* run(PyObject* self, PyObject* const* given, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    CEPH_CHECK(count == 3 && PyTuple_Check(given[2]), ErrorKind::kType, "_run",
               "takes forward, setup_context and the tuple of arguments");
    PyObject *forward = given[0], *setup = given[1], *args = given[2];
    FunctionObject* ctx = as_function(self);
    PyNode& node = node_of(self);
    const bool recorded = take_inputs(ctx, node, args);
    if (recorded) set_edges(node, args);
    Ref returned;
    {
      const GradMode quiet(false);
      if (setup == Py_None) {
        std::vector<PyObject*> all{nullptr, self};
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
          all.push_back(PyTuple_GET_ITEM(args, i));
        }
        returned = own(PyObject_Vectorcall(
            forward, all.data() + 1, (all.size() - 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
      } else {
        returned = own(PyObject_CallObject(forward, args));
        own(PyObject_CallFunctionObjArgs(setup, self, args, returned.get(), nullptr));
      }
    }
    Ref results = as_tuple(returned.get());
    check_all_returned(ctx, node.name(), results.get());
    check_tensors("mark_non_differentiable", ctx->non_differentiable);
    const Finish finish{ctx, intrusive_ptr<Node>::share(&node), args, recorded,
                        PyTuple_GET_SIZE(results.get()) == 1};
    Ref made = finish_results(finish, results.get());
    if (recorded) save(ctx, node);
    Py_CLEAR(ctx->to_save);
    Py_CLEAR(ctx->dirty);
    Py_CLEAR(ctx->non_differentiable);
    if (PyTuple_Check(returned.get())) return made.release();
    return Py_NewRef(PyTuple_GET_ITEM(made.get(), 0));
  });
}

// ---- the type

PyObject* function_new(PyTypeObject* type, PyObject*, PyObject*) {
  return guarded([&] {
    PyObject* self = checked(type->tp_alloc(type, 0));
    intrusive_ptr<Node> node = make_intrusive<PyNode>();
    node->pyobj = self;
    as_function(self)->materialize = 1;
    new (&as_function(self)->base.node) intrusive_ptr<Node>(std::move(node));
    return self;
  });
}

int function_traverse(PyObject* self, visitproc visit, void* arg) {
  FunctionObject* ctx = as_function(self);
  const Node* node = ctx->base.node.get();
  if (!node || node->owns_pyobj || node->use_count() == 1) {
    Py_VISIT(ctx->to_save);
    Py_VISIT(ctx->dirty);
    Py_VISIT(ctx->non_differentiable);
    Py_VISIT(ctx->needs_input_grad);
  }
  return node_traverse(self, visit, arg);
}

int function_clear(PyObject* self) {
  FunctionObject* ctx = as_function(self);
  Py_CLEAR(ctx->to_save);
  Py_CLEAR(ctx->dirty);
  Py_CLEAR(ctx->non_differentiable);
  Py_CLEAR(ctx->needs_input_grad);
  return node_clear(self);
}

PyObject* get_saved(PyObject* self, void*) {
  return guarded([&] {
    PyNode& node = node_of(self);
    const auto held = intrusive_ptr<Node>::share(&node);
    Gradients all;
    for (size_t i = 0; i < node.saved.size(); ++i) all.push_back(node.saved[i].unpack(&node));
    return tuple_of(all).release();
  });
}

// Attributes that hold a tuple of tensors, or None.
using Slot = PyObject* FunctionObject::*;
template <Slot slot>
PyObject* get_slot(PyObject* self, void*) {
  PyObject* value = as_function(self)->*slot;
  return Py_NewRef(value ? value : Py_None);
}
template <Slot slot>
int set_slot(PyObject* self, PyObject* value, void*) {
  return guarded_status([&] {
    Ref items = value && value != Py_None ? own(PySequence_Tuple(value)) : Ref();
    PyObject* before = std::exchange(as_function(self)->*slot, items.release());
    Py_XDECREF(before);
    return 0;
  });
}
PyObject* get_materialize(PyObject* self, void*) {
  return PyBool_FromLong(as_function(self)->materialize);
}
int set_materialize(PyObject* self, PyObject* value, void*) {
  const int on = value ? PyObject_IsTrue(value) : 1;
  if (on >= 0) as_function(self)->materialize = static_cast<char>(on);
  return on < 0 ? -1 : 0;
}

PyMethodDef function_methods[] = {
    {"_run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(run)), METH_FASTCALL,
     "_run(forward, setup_context, args): what Function.apply does."},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef function_getset[] = {
    {"saved_tensors", get_saved, nullptr,
     "What save_for_backward was given. RuntimeError when one was written to since, or after a "
     "backward pass that didn't keep the graph.",
     nullptr},
    {"to_save", get_slot<&FunctionObject::to_save>, set_slot<&FunctionObject::to_save>,
     "What save_for_backward was given, while forward runs.", nullptr},
    {"dirty_tensors", get_slot<&FunctionObject::dirty>, set_slot<&FunctionObject::dirty>,
     "What mark_dirty was given, while forward runs.", nullptr},
    {"non_differentiable", get_slot<&FunctionObject::non_differentiable>,
     set_slot<&FunctionObject::non_differentiable>,
     "What mark_non_differentiable was given, while forward runs.", nullptr},
    {"needs_input_grad", get_slot<&FunctionObject::needs_input_grad>,
     set_slot<&FunctionObject::needs_input_grad>,
     "For each argument of forward, whether it requires a gradient.", nullptr},
    {"materialize_grads", get_materialize, set_materialize,
     "Whether backward gets zeros where no gradient came.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyTypeObject FunctionType = {
    .ob_base = PyVarObject_HEAD_INIT(&NodeMetaType, 0).tp_name = "cepheid._C._FunctionNode",
    .tp_basicsize = sizeof(FunctionObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "A node whose derivative is written in Python.",
    .tp_traverse = function_traverse,
    .tp_clear = function_clear,
    .tp_methods = function_methods,
    .tp_getset = function_getset,
    .tp_base = &NodeType,
    .tp_new = function_new,
};

}  // namespace

void init_autograd_function(PyObject* module) {
  FunctionType.tp_dealloc = NodeType.tp_dealloc;
  add_type(module, &FunctionType, "_FunctionNode");
}

}  // namespace ceph::python
