#include "autograd/record.h"

#include "generated/ops/conj_physical.h"

namespace ceph::autograd {

void refuse_inference(const char* op, const Tensor& self) {
  CEPH_CHECK(!self->is_inference() || inference_enabled, ErrorKind::kRuntime, op,
             "a tensor made in inference mode can't be written to outside of it; write to a "
             "clone()");
}

void refuse_inference(const char* op, TensorList list) {
  for (const Tensor& t : list) refuse_inference(op, t);
}

void refuse_out(const char* op) {
  CEPH_CHECK(false, ErrorKind::kRuntime, op,
             "out= can't be recorded, and an operand requires a gradient; drop out=, or call it "
             "inside no_grad()");
}

void refuse_gradient(const char* op, const char* operand, const Tensor& t) {
  CEPH_CHECK(!requires_grad(t), ErrorKind::kNotImplemented, op, "there is no derivative for ",
             operand, ", which requires a gradient; pass ", operand, ".detach()");
}

void refuse_gradient(const char* op, const char* operand, TensorList list) {
  for (const Tensor& t : list) refuse_gradient(op, operand, t);
}

bool conjugate(Gradients& gradients) {
  bool any = false;
  for (Tensor& gradient : gradients) {
    if (!gradient.defined() || !is_complex(gradient.dtype())) continue;
    gradient = ops::conj_physical(gradient);
    any = true;
  }
  return any;
}

Gradients WithoutDerivative::apply(Gradients) {
  CEPH_CHECK(false, ErrorKind::kNotImplemented, op,
             "its derivative is not part of this version; use ops that have one, or detach()");
  return {};
}

}  // namespace ceph::autograd
