// x86-64-v3: 256-bit vectors and fused multiply-add.
#pragma GCC push_options
#if defined(__x86_64__)
#pragma GCC target("avx,avx2,fma,f16c,bmi,bmi2,lzcnt,movbe")
#define CEPH_REGION_FMA 1
#define CEPH_REGION_BYTES 32
#else
#define CEPH_REGION_FMA 0
#define CEPH_REGION_BYTES 16
#endif

namespace ceph::kernels::avx2 {
