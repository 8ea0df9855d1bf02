#pragma once

#include "core/tensor.h"

namespace ceph::autograd {

// What a program made of a tensor that a node saved.
class CEPH_API Packed : public RefCounted {
 public:
  virtual Tensor unpack() = 0;
};

// Asked for every tensor that this thread's nodes save; null where nobody asks. The binding's list
// of hooks owns what it points to.
class CEPH_API SavedHooks : public RefCounted {
 public:
  // `t` is a leaf, or takes part in no graph.
  virtual intrusive_ptr<Packed> pack(const Tensor& t) = 0;
};
extern CEPH_API constinit thread_local SavedHooks* saved_hooks
    __attribute__((tls_model("initial-exec")));

}  // namespace ceph::autograd
