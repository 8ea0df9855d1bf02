#pragma once

#include "base/mt19937.h"

namespace ceph::kernels {

// Uniform draws in [0, 1) on a grid that the type holds exactly: 24 bits of one word, or 53 bits of
// two.
inline float draw_unit(Mt19937& engine, float) {
  return static_cast<float>(engine.next() & 0xffffffu) * 0x1p-24f;
}
inline double draw_unit(Mt19937& engine, double) {
  return static_cast<double>(engine.next64() & 0x1fffffffffffffull) * 0x1p-53;
}

// An integer in [0, range); 0 stands for 2^64. A range below 2^28 takes one word, a larger one two,
// so that the remainder favours no value by more than 1/16; unless it is known to divide 2^32.
class IntegerDraw {
 public:
  explicit IntegerDraw(uint64_t range) : IntegerDraw(range, range - 1 < (uint64_t(1) << 28) - 1) {}
  IntegerDraw(uint64_t range, bool one_word) : range_(range), one_word_(one_word) {}

  uint64_t operator()(Mt19937& engine) const {
    if (one_word_) return engine.next() % static_cast<uint32_t>(range_);
    return range_ == 0 ? engine.next64() : engine.next64() % range_;
  }

 private:
  uint64_t range_;
  bool one_word_;
};

// A place among those that are left of a permutation of n. A permutation of 2^32 / 20 and more
// takes two words for each, where the remainder of one would favour some places too much.
class PlaceDraw {
 public:
  explicit PlaceDraw(int64_t n) : one_word_(n < int64_t(UINT32_MAX) / 20) {}

  int64_t operator()(Mt19937& engine, int64_t left) const {
    uint64_t word = one_word_ ? engine.next() : engine.next64();
    return static_cast<int64_t>(word % static_cast<uint64_t>(left));
  }

 private:
  bool one_word_;
};

}  // namespace ceph::kernels
