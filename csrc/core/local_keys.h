#pragma once

#include "core/dispatch_key.h"

namespace ceph {

// What this thread adds to and takes from every call's keys.
struct LocalKeys {
  DispatchKeySet included;
  DispatchKeySet excluded;
};

// initial-exec: one register-relative load in libcepheid and in _C alike.
extern CEPH_API constinit thread_local LocalKeys local_keys
    __attribute__((tls_model("initial-exec")));

class IncludeKeys {
 public:
  explicit IncludeKeys(DispatchKeySet keys) : before_(local_keys) {
    local_keys.included = local_keys.included | keys;
  }
  ~IncludeKeys() { local_keys = before_; }
  IncludeKeys(const IncludeKeys&) = delete;
  IncludeKeys& operator=(const IncludeKeys&) = delete;

 private:
  LocalKeys before_;
};

class ExcludeKeys {
 public:
  explicit ExcludeKeys(DispatchKeySet keys) : before_(local_keys) {
    local_keys.excluded = local_keys.excluded | keys;
  }
  ~ExcludeKeys() { local_keys = before_; }
  ExcludeKeys(const ExcludeKeys&) = delete;
  ExcludeKeys& operator=(const ExcludeKeys&) = delete;

 private:
  LocalKeys before_;
};

}  // namespace ceph
