#pragma once

#include "core/dispatcher.h"
#include "python/py_util.h"

namespace ceph::python {

// Boxed values <-> Python objects, by the schema's types.

PyObject* wrap_value(const Value& value);
// TypeError names op and argument when the object doesn't fit.
Value value_from(const Argument& argument, PyObject* object, const std::string& op);
bool values_equal(const Value& a, const Value& b);

struct CallArgs {
  Ref args;    // tuple
  Ref kwargs;  // dict
};
// A stack as a Python call: trailing positional arguments and options that equal their defaults are
// left out; wrapped numbers are plain numbers again.
CallArgs call_args(const OpSchema& schema, const Stack& stack);
// A Python call as a stack.
Stack stack_from_call(const OpSchema& schema, const std::string& op, PyObject* const* args,
                      Py_ssize_t nargs, PyObject* kwnames);

// The stack of results as Python sees it: nothing, one object, or a tuple.
PyObject* wrap_results(const OpSchema& schema, const Stack& stack);
// What a Python kernel or rule returned, checked against the schema. An argument that the op writes
// is its own result, whatever was returned for it.
Stack results_from(const OpSchema& schema, const std::string& op, PyObject* result,
                   const Stack& arguments);

}  // namespace ceph::python
