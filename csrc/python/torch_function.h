#pragma once

#include <vector>

#include "python/py_util.h"

// Note [Overrides: door 1]
// A call whose operands are not all exact tensors, or that runs while a function mode is active, is
// offered to `__torch_function__` before anything enters C++: to the innermost mode, then to each
// operand whose class defines the hook (subclasses before their bases, then left to right), until
// one returns something other than NotImplemented. The fast path pays one branch.

namespace ceph::python {

struct FunctionState {
  bool mode_active = false;          // a mode is on the stack and not disabled
  bool subclasses_disabled = false;  // DisableTorchFunctionSubclass
  bool all_disabled = false;         // DisableTorchFunction
  std::vector<PyObject*> modes;      // owned, innermost last

  void update() { mode_active = !modes.empty() && !all_disabled; }
};

extern thread_local FunctionState function_state __attribute__((tls_model("initial-exec")));

// Whether the object's class has a __torch_function__ that counts now. Never raises.
bool has_override(PyObject* object);
// The same for a type that isn't an exact Tensor, without regard to modes.
bool defines_torch_function(PyObject* object);

// Operands that define the hook, in the order in which they are asked.
class Overloaded {
 public:
  void add(PyObject* object);
  const std::vector<PyObject*>& objects() const { return objects_; }
  bool empty() const { return objects_.empty(); }

 private:
  std::vector<PyObject*> objects_;  // borrowed
};

// Asks modes and operands; `args` a tuple, `kwargs` a dict or null.
PyObject* call_torch_function(PyObject* func, const Overloaded& operands, PyObject* args,
                              PyObject* kwargs, const char* name);
// The same from a vectorcall; operands are found among the arguments, one level into sequences.
PyObject* call_torch_function(PyObject* func, const char* name, PyObject* self,
                              PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
// For a method of Tensor by name, as its descriptor.
PyObject* override_method(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                          PyObject* kwnames);
// For a property: `which` is "__get__" or "__set__".
PyObject* override_property(const char* name, const char* which, PyObject* self, PyObject* value);

void init_torch_function(PyObject* module);
extern PyMethodDef default_torch_function_def;

}  // namespace ceph::python
