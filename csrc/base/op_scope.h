#pragma once

#include "base/export.h"

namespace ceph {

// Note [Composites speak in their own name]
// A composite op is made of other ops, and these find the errors: argsort calls sort, which would
// refuse a dimension as "sort: ...", an op that the caller never named. So generated composites
// open an OpScope, and while one is open `fail` puts its name before the text instead of the name
// it was given. The outermost one counts. A kernel that isn't the composite's own code (boxed: a
// Python rule) calls ops in its own right: OutsideOps closes the scope around it.

namespace detail {
extern CEPH_API constinit thread_local const char* speaking_op
    __attribute__((tls_model("initial-exec")));
}

class OpScope {
 public:
  explicit OpScope(const char* op) : before_(detail::speaking_op) {
    if (!before_) detail::speaking_op = op;
  }
  ~OpScope() { detail::speaking_op = before_; }
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

 private:
  const char* before_;
};

class OutsideOps {
 public:
  OutsideOps() : before_(detail::speaking_op) { detail::speaking_op = nullptr; }
  ~OutsideOps() { detail::speaking_op = before_; }
  OutsideOps(const OutsideOps&) = delete;
  OutsideOps& operator=(const OutsideOps&) = delete;

 private:
  const char* before_;
};

}  // namespace ceph
