// x86-64-v4: 512-bit vectors and masks.
#pragma GCC push_options
#if defined(__x86_64__)
#pragma GCC target("avx,avx2,fma,f16c,bmi,bmi2,lzcnt,movbe")
#pragma GCC target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,prefer-vector-width=512")
#define CEPH_REGION_FMA 1
#define CEPH_REGION_BYTES 64
#else
#define CEPH_REGION_FMA 0
#define CEPH_REGION_BYTES 16
#endif

namespace ceph::kernels::avx512 {
