// Edge counters for the fuzzer, in a build with CEPHEID_FUZZ: the compiler calls the hook at every
// edge; guided.py hands the counters to libFuzzer.

#include <cstddef>
#include <cstdint>

#include "base/export.h"

namespace {

constexpr std::size_t kCounters = 1 << 16;  // some ten times the edges that are counted
std::uint8_t counters[kCounters];

}  // namespace

extern "C" {

CEPH_API std::uint8_t* cepheid_fuzz_counters(std::size_t* count) {
  *count = kCounters;
  return counters;
}

// Threads may lose a count: that an edge ran is what matters.
CEPH_API void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++counters[(place * 0x9E3779B97F4A7C15u) >> 48];
}

}  // extern "C"
