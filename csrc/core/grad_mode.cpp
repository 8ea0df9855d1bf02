#include "core/grad_mode.h"

namespace ceph {

constinit thread_local bool grad_enabled = true;
constinit thread_local bool inference_enabled = false;

}  // namespace ceph
