#pragma once

#include "autograd/meta.h"

// Note [Writing to views]
// A view and its base show the same memory, so writing to one changes what the other is. The
// history lives with the base: writing to a view makes the base the result of a CopySlices, which
// passes the gradient of the written part through the operation and of the rest past it. The views
// of a base that was written to learn where they come from when somebody asks: their grad_fn is
// then an AsStrided of the base's.

namespace ceph::autograd {

// The node of a view, brought up to date with what was written to the base.
intrusive_ptr<Node> view_grad_fn(const Tensor& view);

// Before an operation that is recorded writes to `self`. RuntimeError for a leaf that requires a
// gradient, and for views that must not be written to.
CEPH_API void check_inplace(const char* op, const Tensor& self);
// After it was: `node`, whose first edge leads to what self was, has made it.
CEPH_API void rebase_history(const Tensor& self, const intrusive_ptr<Node>& node);

}  // namespace ceph::autograd
