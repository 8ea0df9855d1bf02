#pragma once

#include <array>
#include <cstdint>

#include "base/export.h"

namespace ceph {

// MT19937 (Matsumoto and Nishimura 1998) seeded by init_genrand with the low 32 bits of the seed:
// the same words in the same order as PyTorch's CPU generator.
class CEPH_API Mt19937 {
 public:
  static constexpr int kWords = 624;

  explicit Mt19937(uint64_t seed = 5489);

  uint64_t seed() const { return seed_; }
  uint32_t next() {
    if (--left_ == 0) refill();
    return temper(state_[next_++]);
  }
  uint64_t next64() {  // the first word is the high half
    uint64_t high = next();
    uint64_t low = next();
    return high << 32 | low;
  }

  // The next `count` words, as `next` would give them.
  void fill(uint32_t* out, int64_t count);

  const std::array<uint32_t, kWords>& words() const { return state_; }
  int left() const { return left_; }
  uint32_t next_index() const { return next_; }
  bool seeded() const { return seeded_; }
  void restore(uint64_t seed, int left, bool seeded, uint32_t next,
               const std::array<uint32_t, kWords>& words);

 private:
  static uint32_t temper(uint32_t y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
  }
  void refill();

  uint64_t seed_;
  int left_ = 1;
  bool seeded_ = true;
  uint32_t next_ = 0;
  std::array<uint32_t, kWords> state_;
};

}  // namespace ceph
