#pragma once

#include "python/py_util.h"

namespace ceph::python {

// Around one level of a recursion as deep as the caller's data: RecursionError, not a full stack.
class RecursionLevel {
 public:
  explicit RecursionLevel(const char* where) {
    if (Py_EnterRecursiveCall(where)) throw_python_error();
  }
  ~RecursionLevel() { Py_LeaveRecursiveCall(); }
  RecursionLevel(const RecursionLevel&) = delete;
  RecursionLevel& operator=(const RecursionLevel&) = delete;
};

}  // namespace ceph::python
