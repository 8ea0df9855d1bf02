#pragma once

#include <string_view>

#include "base/export.h"

namespace ceph::kernels {

// The instruction sets that kernels are built for, in the order of isa_list.cmake. Generated and
// hand-written function tables are indexed by it.
enum class Isa : int { kScalar = 0, kAvx2 = 1, kAvx512 = 2 };
inline constexpr int kNumIsas = 3;

CEPH_API std::string_view name_of(Isa isa);
// Whether this processor (and system) can run the units of `isa`.
CEPH_API bool isa_supported(Isa isa);

// The one in use: the best that is supported, or the one that CEPHEID_ISA names. A name that is
// unknown or not supported here is refused with the list of those that are.
CEPH_API Isa active_isa();
// Test aid: the same refusals as CEPHEID_ISA.
CEPH_API void set_active_isa(std::string_view name);

}  // namespace ceph::kernels
