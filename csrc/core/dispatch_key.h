#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/device.h"
#include "base/export.h"

namespace ceph {

// Who may take a call, lowest first; the highest key that is present and not excluded runs.
// A feature runs before what it wraps: Autograd records, then redispatches below itself; Python,
// below Autograd, hands the call to the rule of a wrapper subclass or of an active mode; what is
// left is the backend of the operands, where a higher one wins (a 0-dim CPU operand among CUDA
// ones).
enum class DispatchKey : uint8_t { CPU, CUDA, Meta, Python, ADInplaceOrView, Autograd, Count };

inline constexpr int kNumDispatchKeys = static_cast<int>(DispatchKey::Count);

class DispatchKeySet {
 public:
  constexpr DispatchKeySet() = default;
  constexpr DispatchKeySet(DispatchKey key) : bits_(1u << static_cast<int>(key)) {}
  constexpr DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (DispatchKey key : keys) bits_ |= DispatchKeySet(key).bits_;
  }
  static constexpr DispatchKeySet all() { return raw((1u << kNumDispatchKeys) - 1); }

  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(DispatchKey key) const { return bits_ & DispatchKeySet(key).bits_; }
  constexpr DispatchKey highest() const {  // of a set that isn't empty
    return static_cast<DispatchKey>(31 - std::countl_zero(bits_));
  }
  constexpr DispatchKeySet below(DispatchKey key) const {
    return raw(bits_ & (DispatchKeySet(key).bits_ - 1));
  }
  friend constexpr DispatchKeySet operator|(DispatchKeySet a, DispatchKeySet b) {
    return raw(a.bits_ | b.bits_);
  }
  friend constexpr DispatchKeySet operator&(DispatchKeySet a, DispatchKeySet b) {
    return raw(a.bits_ & b.bits_);
  }
  friend constexpr DispatchKeySet operator-(DispatchKeySet a, DispatchKeySet b) {
    return raw(a.bits_ & ~b.bits_);
  }
  friend constexpr bool operator==(DispatchKeySet, DispatchKeySet) = default;

 private:
  static constexpr DispatchKeySet raw(uint32_t bits) {
    DispatchKeySet s;
    s.bits_ = bits;
    return s;
  }
  uint32_t bits_ = 0;
};

inline constexpr DispatchKeySet kBackendKeys{DispatchKey::CPU, DispatchKey::CUDA,
                                             DispatchKey::Meta};

constexpr DispatchKey backend_key(Device device) {
  return static_cast<DispatchKey>(static_cast<int>(device.kind));
}
CEPH_API std::string_view name_of(DispatchKey key);

}  // namespace ceph
