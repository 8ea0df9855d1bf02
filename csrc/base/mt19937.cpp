#include "base/mt19937.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace ceph {
namespace {

constexpr int kMiddle = 397;
constexpr int kFirst = Mt19937::kWords - kMiddle;  // 227 words see only old ones

// Four words at once: the generator's recurrence has no shorter dependence than 227.
using Words4 = uint32_t __attribute__((vector_size(16)));

Words4 load(const uint32_t* from) {
  Words4 out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

template <class V>
V twist(V word, V next, V middle) {
  const V mixed = (word & 0x80000000u) | (next & 0x7fffffffu);
  return middle ^ (mixed >> 1) ^ (-(next & 1u) & 0x9908b0dfu);
}

template <class V>
V tempered(V y) {
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

void temper_range(uint32_t* out, const uint32_t* words, int64_t count) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Words4 four = tempered(load(words + i));
    std::memcpy(out + i, &four, sizeof four);
  }
  for (; i < count; ++i) out[i] = tempered(words[i]);
}

void twist_range(uint32_t* words, int first, int last, int to_middle) {
  int i = first;
  for (; i + 4 <= last; i += 4) {
    const Words4 out = twist(load(words + i), load(words + i + 1), load(words + i + to_middle));
    std::memcpy(words + i, &out, sizeof out);
  }
  for (; i < last; ++i) words[i] = twist(words[i], words[i + 1], words[i + to_middle]);
}

}  // namespace

Mt19937::Mt19937(uint64_t seed) : seed_(seed) {
  state_[0] = static_cast<uint32_t>(seed);
  for (uint32_t i = 1; i < kWords; ++i) {
    const uint32_t before = state_[i - 1];
    state_[i] = 1812433253u * (before ^ before >> 30) + i;
  }
}

void Mt19937::refill() {
  uint32_t* words = state_.data();
  twist_range(words, 0, kFirst, kMiddle);
  twist_range(words, kFirst, kWords - 1, kMiddle - kWords);
  words[kWords - 1] = twist(words[kWords - 1], words[0], words[kMiddle - 1]);
  left_ = kWords;
  next_ = 0;
}

void Mt19937::fill(uint32_t* out, int64_t count) {
  while (count > 0) {
    if (left_ == 1) {
      refill();
      ++left_;  // as if the draw that refills had not happened yet
    }
    const int64_t take = std::min<int64_t>(count, left_ - 1);
    temper_range(out, state_.data() + next_, take);
    left_ -= static_cast<int>(take);
    next_ += static_cast<uint32_t>(take);
    out += take;
    count -= take;
  }
}

void Mt19937::restore(uint64_t seed, int left, bool seeded, uint32_t next,
                      const std::array<uint32_t, kWords>& words) {
  CEPH_CHECK(seeded && left > 0 && left <= kWords && next <= kWords, ErrorKind::kRuntime,
             "set_state", "this is not a state of the generator: left is ", left, ", next is ",
             next);
  seed_ = seed;
  left_ = left;
  seeded_ = seeded;
  next_ = next;
  state_ = words;
}

}  // namespace ceph
