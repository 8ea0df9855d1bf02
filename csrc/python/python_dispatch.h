#pragma once

#include "core/dispatcher.h"
#include "python/tensor_type.h"

// Note [Overrides: door 2]
// The Python key of the dispatcher. A tensor of a class with a __torch_dispatch__ rule carries the
// key, and an active dispatch mode includes it for its thread; the key lies below Autograd, so
// autograd nodes and composites written in C++ come here as well. The key's fallback asks the
// innermost mode, then the rules of the operands' classes, as rule(op, types, args, kwargs). While
// a mode's handler runs it is off the stack, and with the last one the key is gone too.

namespace ceph::python {

// Whether instances of the class take part: it has a rule that isn't switched off.
bool defines_torch_dispatch(PyTypeObject* type);
PyObject* disabled_torch_dispatch();  // borrowed: _disabled_torch_dispatch_impl

void init_python_dispatch(PyObject* module);

}  // namespace ceph::python
