#include "autograd/anomaly.h"

#include "core/grad_mode.h"
#include "generated/ops/any.h"
#include "generated/ops/isnan.h"

namespace ceph::autograd {

Anomaly anomaly;

void refuse_nan(const Node& node, const Gradients& made) {
  const GradMode quiet(false);
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].defined() || made[i].device().is_meta()) continue;
    const Tensor found = ops::any(ops::isnan(made[i]));
    CEPH_CHECK(!*static_cast<const bool*>(found->data()), ErrorKind::kRuntime, node.name(),
               "it returned nan values in its gradient ", i,
               "; look at where the operation was called, which the warning shows");
  }
}

}  // namespace ceph::autograd
