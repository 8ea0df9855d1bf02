#pragma once

#include <cstdint>

namespace ceph {
struct Half { uint16_t bits; };
struct BFloat16 { uint16_t bits; };
struct Float8E4M3FN { uint8_t bits; };
struct Float8E5M2 { uint8_t bits; };
}  // namespace ceph
