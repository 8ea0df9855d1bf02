// The baseline (x86-64-v2, or what the compiler is told elsewhere): the fallback and reference.
#pragma GCC push_options
#define CEPH_REGION_FMA 0
#define CEPH_REGION_BYTES 16

namespace ceph::kernels::scalar {
