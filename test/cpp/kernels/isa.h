#pragma once
// Runs a test body once per instruction set of this machine.

#include <string>

#include "kernels/cpu_features.h"

namespace ceph::testing {

template <class Body>
void for_each_isa(Body body) {
  const std::string before(kernels::name_of(kernels::active_isa()));
  for (int i = 0; i < kernels::kNumIsas; ++i) {
    auto isa = static_cast<kernels::Isa>(i);
    if (!kernels::isa_supported(isa)) continue;
    kernels::set_active_isa(kernels::name_of(isa));
    body();
  }
  kernels::set_active_isa(before);
}

}  // namespace ceph::testing
