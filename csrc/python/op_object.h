#pragma once

#include <memory>

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

// Around a call of an op: one that its library takes back meanwhile goes when the last call
// returns.
class RunningOp {
 public:
  explicit RunningOp(const OperatorEntry& entry);  // these two hold the interpreter lock
  ~RunningOp();
  RunningOp(const RunningOp&) = delete;
  RunningOp& operator=(const RunningOp&) = delete;

 private:
  const OperatorEntry& entry_;
};
// Deletes the entry now or when its last call returns.
void retire_op(std::unique_ptr<OperatorEntry> entry);
OperatorEntry& find_op(PyObject* qualified_name);  // LookupError
DispatchKey to_dispatch_key(PyObject* name);       // ValueError lists the keys

void init_op_object(PyObject* module);

}  // namespace ceph::python
