// The nodes of the graph as Python sees them. Contract: Note [Python object of a node].

#include "python/autograd.h"

#include <unordered_map>

#include "autograd/accumulate_grad.h"
#include "python/generated.h"
#include "python/tensor_object.h"

namespace ceph::python {

using autograd::Edge;
using autograd::Gradients;
using autograd::Node;

namespace {

NodeObject* as_object(PyObject* self) { return reinterpret_cast<NodeObject*>(self); }

Node& node_of(PyObject* self) {
  Node* node = as_object(self)->node.get();
  CEPH_CHECK(node, ErrorKind::kRuntime, type_name(self), "the graph of this node is gone");
  return *node;
}

// ---- life

bool has_something_to_lose(NodeObject* self) {
  return self->dict || self->weakrefs ||
         Py_TYPE(self)->tp_basicsize > static_cast<Py_ssize_t>(sizeof(NodeObject));
}

// The last Python reference is gone: if C++ still holds the node, it may have to hold the object.
bool resurrect(NodeObject* self) {
  Node* node = self->node.get();
  if (!node || node->use_count() == 1 || !has_something_to_lose(self)) return false;
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(self), 1);
  node->owns_pyobj = true;
  node->release();  // may be the last after all: then it drops the object again, so touch nothing
  return true;
}

void node_dealloc(PyObject* self) {
  NodeObject* object = as_object(self);
  if (resurrect(object)) return;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (object->weakrefs) PyObject_ClearWeakRefs(self);
  type->tp_clear(self);
  intrusive_ptr<Node> node = std::move(object->node);
  object->node.~intrusive_ptr<Node>();
  if (node) node->pyobj = nullptr;
  type->tp_free(self);
  Py_DECREF(type);
}

// The node that owns `object` dies; called with the interpreter lock or without it.
void release_object(void* object) {
  if (!can_release_objects()) return;
  GilAcquire gil;
  static_cast<NodeObject*>(object)->node.detach();
  Py_DECREF(static_cast<PyObject*>(object));
}

// Class creation: the deallocator is ours, not CPython's for classes.
PyObject* meta_new(PyTypeObject* metatype, PyObject* args, PyObject* kwargs) {
  PyObject* type = PyType_Type.tp_new(metatype, args, kwargs);
  if (type) reinterpret_cast<PyTypeObject*>(type)->tp_dealloc = node_dealloc;
  return type;
}

// A type of its own for each name, so that type(t.grad_fn).__name__ is the name.
PyTypeObject* node_type(const char* name) {
  static auto& types = *new std::unordered_map<std::string, PyObject*>;
  PyObject*& type = types[name];
  if (!type) {
    type = checked(PyObject_CallFunction(reinterpret_cast<PyObject*>(&NodeMetaType), "s(O){s:()}",
                                         name, &NodeType, "__slots__"));
  }
  return reinterpret_cast<PyTypeObject*>(type);
}

// ---- methods

PyObject* node_name(PyObject* self, PyObject*) {
  return guarded([&] { return PyUnicode_FromString(node_of(self).name()); });
}

PyObject* node_repr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", short_type_name(Py_TYPE(self)), self);
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

// A dict for whoever wants to note something about the node.
PyObject* node_metadata(PyObject* self, void*) {
  return guarded([&] {
    NodeObject* object = as_object(self);
    if (!object->dict) object->dict = checked(PyDict_New());
    Ref key = own(PyUnicode_InternFromString("__metadata__")), fresh = own(PyDict_New());
    return Py_NewRef(checked(PyDict_SetDefault(object->dict, key.get(), fresh.get())));
  });
}

PyObject* node_sequence(PyObject* self, PyObject*) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(node_of(self).sequence()); });
}

PyObject* node_register_hook(PyObject* self, PyObject* callable) {
  return guarded([&] {
    MadeHook made = make_hook("register_hook", callable, HookKind::kAfter);
    autograd::add_to(node_of(self).hooks().after, std::move(made.hook));
    return made.handle.release();
  });
}
PyObject* node_register_prehook(PyObject* self, PyObject* callable) {
  return guarded([&] {
    MadeHook made = make_hook("register_prehook", callable, HookKind::kBefore);
    autograd::add_to(node_of(self).hooks().before, std::move(made.hook));
    return made.handle.release();
  });
}

// node(*gradients): what it makes of them, without its hooks.
PyObject* node_call(PyObject* self, PyObject* args, PyObject*) {
  return guarded([&] {
    const auto node = intrusive_ptr<Node>::share(&node_of(self));
    Gradients gradients;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
      PyObject* item = PyTuple_GET_ITEM(args, i);
      CEPH_CHECK(item == Py_None || is_tensor(item), ErrorKind::kType, node->name(),
                 "takes gradients, Tensors or None; got ", type_name(item));
      gradients.push_back(item == Py_None ? Tensor() : unwrap(item));
    }
    CEPH_CHECK(gradients.size() == node->results().size(), ErrorKind::kType, node->name(), "takes ",
               node->results().size(), " gradients; got ", gradients.size());
    Gradients made = unlocked(true, [&] { return node->apply(std::move(gradients)); });
    return made.size() == 1 ? wrap(made[0]) : tuple_of(made).release();
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
    {"metadata", node_metadata, nullptr, "A dict to note something about the node in.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyTypeObject NodeMetaType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "cepheid._C._NodeMeta",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "Metaclass of nodes.",
    .tp_base = nullptr,  // &PyType_Type, set before PyType_Ready: not a constant for the linker
    .tp_new = meta_new,
};

PyTypeObject NodeType = {
    .ob_base = PyVarObject_HEAD_INIT(&NodeMetaType, 0).tp_name = "cepheid._C._Node",
    .tp_basicsize = sizeof(NodeObject),
    .tp_dealloc = node_dealloc,
    .tp_repr = node_repr,
    .tp_call = node_call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_doc = "One recorded operation.",
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_weaklistoffset = offsetof(NodeObject, weakrefs),
    .tp_methods = node_methods,
    .tp_getset = node_getset,
    .tp_dictoffset = offsetof(NodeObject, dict),
};

PyObject* wrap_node(intrusive_ptr<Node> node) {
  if (!node) Py_RETURN_NONE;
  if (auto* object = static_cast<PyObject*>(node->pyobj)) {
    if (!node->owns_pyobj) return Py_NewRef(object);
    node->owns_pyobj = false;  // its reference to the object goes to the caller,
    node.detach();             // and the caller's to the node goes to the object
    return object;
  }
  PyTypeObject* type = node_type(node->name());
  PyObject* self = checked(type->tp_alloc(type, 0));
  node->pyobj = self;
  new (&as_object(self)->node) intrusive_ptr<Node>(std::move(node));
  return self;
}

Node* unwrap_node(PyObject* object) {
  return PyObject_TypeCheck(object, &NodeType) ? &node_of(object) : nullptr;
}

int traverse_node(const Node& node, visitproc visit, void* arg) {
  const Node::Hooks* hooks = node.hooks_if_any();
  if (!hooks) return 0;
  for (const auto* list : {&hooks->tensors, &hooks->retained}) {
    for (const auto& [slot, hook] : *list) {
      if (int stop = traverse_hook(*hook, visit, arg)) return stop;
    }
  }
  for (const auto* list : {&hooks->before, &hooks->after}) {
    for (const auto& hook : *list) {
      if (int stop = traverse_hook(*hook, visit, arg)) return stop;
    }
  }
  return 0;
}

int node_traverse(PyObject* self, visitproc visit, void* arg) {
  NodeObject* object = as_object(self);
  Py_VISIT(Py_TYPE(self));
  const Node* node = object->node.get();
  // While both Python and C++ hold on to it, what it has can be reached from C++.
  if (node && !node->owns_pyobj && node->use_count() > 1) return 0;
  Py_VISIT(object->dict);
  return node ? traverse_node(*node, visit, arg) : 0;
}

void clear_node(Node& node) {
  if (!node.hooks_if_any()) return;
  Node::Hooks dropped;  // let go of last: the node may hang on them
  std::swap(dropped, node.hooks());
}

int node_clear(PyObject* self) {
  NodeObject* object = as_object(self);
  Py_CLEAR(object->dict);
  if (object->node && object->node->use_count() == 1) clear_node(*object->node);
  return 0;
}

void init_autograd_node(PyObject* module) {
  NodeMetaType.tp_base = &PyType_Type;
  add_type(module, &NodeMetaType, "_NodeMeta");
  add_type(module, &NodeType, "_Node");
  pyobject_hooks.release_node = release_object;
}

}  // namespace ceph::python
