#pragma once
// Everything that a target region needs, included before it opens: a function that a header defines
// inside the region would be compiled with instructions that the baseline doesn't have, and the
// linker may keep that copy for everybody.

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/dtype.h"
#include "kernels/pointwise_blocks.h"
#include "kernels/tables.h"

// Every function of a region: no symbol of its own, whatever the optimiser thinks of its size.
#define CEPH_INLINE __attribute__((always_inline)) inline
