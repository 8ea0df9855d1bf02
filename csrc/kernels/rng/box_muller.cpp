#include "kernels/rng/box_muller.h"

#include "kernels/cpu_features.h"
#include "kernels/generic/prelude.h"

// clang-format off: a region is opened, filled and closed in this order.
#include "kernels/scalar/begin.h"
#include "kernels/rng/box_muller_region.h"
#include "kernels/end.h"

#include "kernels/avx2/begin.h"
#include "kernels/rng/box_muller_region.h"
#include "kernels/end.h"
// clang-format on

namespace ceph::kernels {

void normal_blocks(float* data, int64_t blocks, float mean, float std) {
  auto* run = active_isa() == Isa::kScalar ? scalar::normal_blocks : avx2::normal_blocks;
  run(data, blocks, mean, std);
}

void normal_blocks(double* data, int64_t blocks, double mean, double std) {
  constexpr double kTwoPi = 6.283185307179586;
  for (double* block = data; block < data + 16 * blocks; block += 16) {
    for (int j = 0; j < 8; ++j) {
      double radius = std::sqrt(-2.0 * std::log(1.0 - block[j]));
      double angle = kTwoPi * block[j + 8];
      block[j] = std::fma(radius * std::cos(angle), std, mean);
      block[j + 8] = std::fma(radius * std::sin(angle), std, mean);
    }
  }
}

}  // namespace ceph::kernels
