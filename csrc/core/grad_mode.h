#pragma once

#include "base/export.h"

namespace ceph {

// Whether this thread records operations for backward. initial-exec: see core/local_keys.h.
extern CEPH_API constinit thread_local bool grad_enabled __attribute__((tls_model("initial-exec")));

// Whether this thread computes without a thought of derivatives: what it allocates can't be saved
// for backward later, and may be written to only here.
extern CEPH_API constinit thread_local bool inference_enabled
    __attribute__((tls_model("initial-exec")));

// Sets whether operations are recorded for a scope.
class GradMode {
 public:
  explicit GradMode(bool enabled) : before_(grad_enabled) { grad_enabled = enabled; }
  ~GradMode() { grad_enabled = before_; }
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool before_;
};

}  // namespace ceph
