#pragma once

#include <cstdint>

namespace ceph::kernels {

// Turns `blocks` times 16 uniform draws in [0, 1) into draws of N(mean, std^2), in place; see
// the Note [Normal draws] of the region file.
void normal_blocks(float* data, int64_t blocks, float mean, float std);
// The same transform in double precision.
void normal_blocks(double* data, int64_t blocks, double mean, double std);

}  // namespace ceph::kernels
