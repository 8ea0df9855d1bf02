#pragma once

#include <cstdint>
#include <cstring>

namespace ceph::kernels {

// `count` copies of the item at `from`, one after the other. Item sizes are powers of two up to 16,
// so that a block of 64 bytes is a whole number of items and is stored as it stands.
inline void repeat_item(char* to, const char* from, int64_t item, int64_t count) {
  constexpr int64_t kBlock = 64;
  char block[kBlock];
  for (int64_t i = 0; i < kBlock; i += item)
    std::memcpy(block + i, from, static_cast<size_t>(item));
  const int64_t bytes = item * count;
  int64_t done = 0;
  for (; done + kBlock <= bytes; done += kBlock) std::memcpy(to + done, block, kBlock);
  std::memcpy(to + done, block, static_cast<size_t>(bytes - done));
}

}  // namespace ceph::kernels
