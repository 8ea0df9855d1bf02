#include "kernels/cpu_features.h"

#include <atomic>
#include <string>

#include "base/env.h"
#include "base/error.h"

namespace ceph::kernels {

namespace {

constexpr std::string_view kNames[kNumIsas] = {"scalar", "avx2", "avx512"};
constexpr int kUndecided = -1;

std::atomic<int> active{kUndecided};

std::string supported_names() {
  std::string names;
  for (int i = 0; i < kNumIsas; ++i) {
    if (!isa_supported(static_cast<Isa>(i))) continue;
    if (!names.empty()) names += ", ";
    names += kNames[i];
  }
  return names;
}

Isa best() {
  int i = kNumIsas - 1;
  while (!isa_supported(static_cast<Isa>(i))) --i;
  return static_cast<Isa>(i);
}

Isa named(std::string_view name) {
  for (int i = 0; i < kNumIsas; ++i) {
    if (kNames[i] == name && isa_supported(static_cast<Isa>(i))) return static_cast<Isa>(i);
  }
  fail(ErrorKind::kValue, "CEPHEID_ISA", "expected one of ", supported_names(), "; got '", name,
       "', which is unknown or not supported by this processor");
}

}  // namespace

std::string_view name_of(Isa isa) { return kNames[static_cast<int>(isa)]; }

bool isa_supported(Isa isa) {
#if defined(__x86_64__)
  switch (isa) {
  case Isa::kScalar:
    return true;
  case Isa::kAvx2:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
  case Isa::kAvx512:
    return isa_supported(Isa::kAvx2) && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
  return false;
#else
  return isa == Isa::kScalar;
#endif
}

Isa active_isa() {
  int isa = active.load(std::memory_order_relaxed);
  if (isa == kUndecided) [[unlikely]] {
    std::string wanted = env::get_str(env::Var::Isa);
    isa = static_cast<int>(wanted.empty() ? best() : named(wanted));
    active.store(isa, std::memory_order_relaxed);
  }
  return static_cast<Isa>(isa);
}

void set_active_isa(std::string_view name) {
  active.store(static_cast<int>(named(name)), std::memory_order_relaxed);
}

}  // namespace ceph::kernels
