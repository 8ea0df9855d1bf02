#pragma once

#include "autograd/node.h"
#include "python/tensor_type.h"

namespace ceph::python {

// ---- nodes (autograd_node.cpp)

// Note [Python object of a node]
// As for tensors (Note [Python object of a tensor]): while Python holds the object, it owns the
// node; when Python's last reference goes and the node lives on, the node owns an object that has
// something to lose: attributes, weak references, what a Function's context keeps.
struct NodeObject {
  PyObject_HEAD;
  intrusive_ptr<autograd::Node> node;  // only points while the node owns this object
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject NodeType;      // cepheid._C._Node
extern PyTypeObject NodeMetaType;  // its metaclass: gives the classes of nodes our deallocator

// The one Python object of a node; None for none. Its type is named after the node.
PyObject* wrap_node(intrusive_ptr<autograd::Node> node);
// The node of such an object; null for any other object.
autograd::Node* unwrap_node(PyObject* object);
// What the collector may go on to from one who alone owns the node.
int traverse_node(const autograd::Node& node, visitproc visit, void* arg);
// Takes away its hooks.
void clear_node(autograd::Node& node);
int node_traverse(PyObject* self, visitproc visit, void* arg);
int node_clear(PyObject* self);

void init_autograd_node(PyObject* module);

// ---- hooks (autograd_hooks.cpp)

// A callable as a hook, and the handle that takes it away again (cepheid._C._HookHandle).
enum class HookKind {
  kTensor,       // gradient -> gradient or None
  kBefore,       // (gradients of the results) -> the same or None
  kAfter,        // (gradients made), (gradients of the results) -> gradients or None
  kAccumulated,  // tensor -> None
};
struct MadeHook {
  intrusive_ptr<autograd::Hook> hook;
  Ref handle;
};
MadeHook make_hook(const char* op, PyObject* callable, HookKind kind);
// The callable of a hook that nobody else owns, for the collector.
int traverse_hook(const autograd::Hook& hook, visitproc visit, void* arg);
// A tuple of tensors and Nones.
Ref tuple_of(const autograd::Gradients& list);

void init_autograd_hooks(PyObject* module);

// ---- Function (autograd_function.cpp), modes (autograd_modes.cpp), the engine (autograd.cpp)

void init_autograd_function(PyObject* module);
void init_autograd_modes(PyObject* module);

// Methods and properties of Tensor that ask autograd.
PyObject* tensor_register_hook(PyObject* self, PyObject* callable);
PyObject* tensor_register_accumulated_hook(PyObject* self, PyObject* callable);

void init_autograd(PyObject* module);

}  // namespace ceph::python
