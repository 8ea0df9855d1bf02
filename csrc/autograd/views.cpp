#include "autograd/views.h"

#include "core/grad_mode.h"
#include "core/layout.h"
#include "generated/ops/as_strided.h"
#include "generated/ops/clone.h"
#include "generated/ops/copy_.h"
#include "generated/ops/empty_strided.h"
#include "generated/ops/new_empty.h"
#include "generated/ops/zeros_like.h"
#include "generated/rules/derivatives.h"

namespace ceph::autograd {

namespace {

// Sizes, strides and offset of a tensor.
struct Geometry {
  DimVector sizes, strides;
  int64_t offset;
  explicit Geometry(const Tensor& t)
      : sizes(t.sizes()), strides(t.strides()), offset(t.storage_offset()) {}
};

// Views whose memory may not be written to with recording.
void check_origin(const char* op, const Tensor& view) {
  CEPH_CHECK(view->view_origin() != ViewOrigin::kNoGrad, ErrorKind::kRuntime, op,
             "a view that was made without recording shows memory that is written to with "
             "recording; make the view and write both inside no_grad(), or both outside");
  CEPH_CHECK(view->view_origin() != ViewOrigin::kMulti, ErrorKind::kRuntime, op,
             "the tensor is one of several views that an op returned (split, unbind), and these "
             "can't be written to with recording; use the form that returns a new tensor");
}

// The node of a view whose base has changed since the view was made.
class AsStrided final : public Node {
 public:
  AsStrided(const Tensor& base, const Tensor& view) : base_(base), view_(view) {
    set_edges({gradient_edge(base)});
    add_result(view);
  }
  const char* name() const override { return "AsStridedBackward0"; }
  Gradients apply(Gradients gradients) override {
    if (!gradients[0].defined()) return {Tensor()};
    return {rules::as_strided_backward(name(), gradients[0], base_.sizes, base_.strides,
                                       base_.offset, view_.sizes, view_.strides, view_.offset)};
  }

 private:
  Geometry base_, view_;
};

// The base after an operation, `through`, wrote to a view of it. Edges: the base before, then what
// else went into the operation.
class CopySlices final : public Node {
 public:
  CopySlices(const Tensor& base, const Tensor& view, intrusive_ptr<Node> through)
      : base_(base), view_(view), through_(std::move(through)) {
    std::vector<Edge> edges = through_->edges();
    edges[0] = gradient_edge(base);
    set_edges(std::move(edges));
    through_->add_result(view);
  }
  const char* name() const override { return "CopySlices"; }
  void release_saved() override { through_->release_saved(); }

  Gradients apply(Gradients gradients) override {
    Gradients made(edges().size());
    const Tensor& grad = gradients[0];
    if (!grad.defined()) return made;
    Tensor whole = in_geometry(grad, grad), part = part_of(whole);
    made = through_->apply({ops::clone(part)});
    if (wants(0)) {
      if (made[0].defined() && is_wrapper(made[0]) && !is_wrapper(whole)) {
        whole = in_geometry(whole, made[0]);
        part = part_of(whole);
      }
      ops::copy_(part, made[0].defined() ? made[0] : ops::zeros_like(part));
      made[0] = std::move(whole);
    }
    return made;
  }

 private:
  // A copy in the base's own geometry, so that the view finds its part.
  Tensor in_geometry(const Tensor& t, const Tensor& like) const {
    Tensor made = empty(like);
    ops::copy_(made, t);
    return made;
  }

  Tensor empty(const Tensor& like) const {
    if (!is_wrapper(like)) {
      return ops::empty_strided(base_.sizes, base_.strides, like.dtype(), {}, like.device());
    }
    // Its class makes one; only the number of elements can be asked of it.
    const size_t extent = checked_nbytes(base_.sizes, base_.strides, 0, DType::UInt8, name());
    const Tensor flat = ops::new_empty(like, {static_cast<int64_t>(extent)}, {}, {}, {}, {});
    return ops::as_strided(flat, base_.sizes, base_.strides, 0);
  }

  Tensor part_of(const Tensor& whole) const {
    return ops::as_strided(whole, view_.sizes, view_.strides, view_.offset - base_.offset);
  }

  Geometry base_, view_;
  intrusive_ptr<Node> through_;
};

}  // namespace

intrusive_ptr<Node> view_grad_fn(const Tensor& view) {
  const Tensor base(view->view_base());
  if (view->histories() == base->histories()) {
    const AutogradMeta* meta = meta_of(*view.impl());
    return meta ? meta->grad_fn : nullptr;
  }
  check_origin("grad_fn", view);
  AutogradMeta& meta = make_meta(*view.impl());
  meta.grad_fn = make_intrusive<AsStrided>(base, view);
  meta.output = 0;
  view->set_histories(base->histories());
  return meta.grad_fn;
}

void check_inplace(const char* op, const Tensor& self) {
  // A view may be a leaf itself: one of memory that needs no gradient, asked for its own.
  const auto refuse_leaf = [&](const Tensor& t, const char* what) {
    const AutogradMeta* meta = meta_of(*t.impl());
    CEPH_CHECK(!meta || !meta->requires_grad, ErrorKind::kRuntime, op, what,
               " that requires a gradient can't be written to while operations are recorded; do "
               "it inside no_grad(), or use the form that returns a new tensor");
  };
  refuse_leaf(self, "a leaf");
  if (!self->view_base()) return;
  refuse_leaf(Tensor(self->view_base()), "a view of a leaf");
  check_origin(op, self);
}

void rebase_history(const Tensor& self, const intrusive_ptr<Node>& node) {
  if (!self->view_base()) return set_history(self, node);
  const Tensor base(self->view_base());
  CEPH_CHECK(base.dtype() == self.dtype(), ErrorKind::kNotImplemented, node->name(),
             "writing to a view of another dtype than its base is not recorded; got ", self.dtype(),
             " over ", base.dtype(), "; use the form that returns a new tensor");
  set_history(base, make_intrusive<CopySlices>(base, self, node));
}

}  // namespace ceph::autograd
