#include "core/dispatch_key.h"

#include <array>

namespace ceph {

std::string_view name_of(DispatchKey key) {
  constexpr std::array<std::string_view, kNumDispatchKeys> names{
      "CPU", "CUDA", "Meta", "Python", "ADInplaceOrView", "Autograd"};
  return names[static_cast<size_t>(key)];
}

}  // namespace ceph
