#include "core/local_keys.h"

namespace ceph {

constinit thread_local LocalKeys local_keys __attribute__((tls_model("initial-exec")));

}  // namespace ceph
