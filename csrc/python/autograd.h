#pragma once

#include "autograd/node.h"
#include "python/tensor_type.h"

namespace ceph::python {

// The one Python object of a node; None for none. Its type is named after the node.
PyObject* wrap_node(const intrusive_ptr<autograd::Node>& node);
// The node of such an object; null for any other object.
autograd::Node* unwrap_node(PyObject* object);

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

// Methods and properties of Tensor that ask autograd.
PyObject* tensor_register_hook(PyObject* self, PyObject* callable);
PyObject* tensor_register_accumulated_hook(PyObject* self, PyObject* callable);

void init_autograd(PyObject* module);

}  // namespace ceph::python
