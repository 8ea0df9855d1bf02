#pragma once

#include "core/tensor.h"

namespace ceph {

// What autograd keeps beside a tensor. This version has no graph: only `grad`, set by the user.
struct AutogradMeta final : AutogradMetaInterface {
  // A grad may have a grad, and so on: the chain is let go of one by one, not by recursion.
  ~AutogradMeta() override {
    Tensor next = std::move(grad);
    while (next.defined() && next->use_count() == 1) {
      auto* meta = static_cast<AutogradMeta*>(next->autograd_meta());
      next = meta ? std::move(meta->grad) : Tensor();
    }
  }

  Tensor grad;
};

// Undefined when there is none.
inline Tensor grad_of(const Tensor& t) {
  auto* meta = static_cast<AutogradMeta*>(t.impl()->autograd_meta());
  return meta ? meta->grad : Tensor();
}

inline void set_grad(const Tensor& t, Tensor grad) {
  if (!t.impl()->autograd_meta()) {
    if (!grad.defined()) return;
    t.impl()->set_autograd_meta(std::make_unique<AutogradMeta>());
  }
  static_cast<AutogradMeta*>(t.impl()->autograd_meta())->grad = std::move(grad);
}

}  // namespace ceph
