#pragma once

#include "core/dispatcher.h"
#include "python/py_util.h"

namespace ceph::python {

// OpOverload: one op of the dispatcher as a callable. There is one object per op.
extern PyTypeObject OpOverloadType;

Ref op_object(const OperatorEntry& entry);
// The entry of an OpOverload; RuntimeError when its library has taken the op back.
OperatorEntry& entry_of(PyObject* op);
// The op is about to go.
void forget_op(const OperatorEntry& entry);
OperatorEntry& find_op(PyObject* qualified_name);  // LookupError
DispatchKey to_dispatch_key(PyObject* name);       // ValueError lists the keys

void init_op_object(PyObject* module);

}  // namespace ceph::python
