#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "base/export.h"

namespace ceph {

enum class DeviceKind : uint8_t { CPU, CUDA, Meta };
enum class Layout : uint8_t { Strided };
enum class MemoryFormat : uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

struct Device {
  DeviceKind kind = DeviceKind::CPU;
  int8_t index = -1;  // -1: the current one

  constexpr Device() = default;
  constexpr Device(DeviceKind kind, int8_t index = -1) : kind(kind), index(index) {}
  constexpr bool is_cpu() const { return kind == DeviceKind::CPU; }
  constexpr bool is_meta() const { return kind == DeviceKind::Meta; }
  // As a tensor has it: there is one cpu and one meta, so "cpu:0" is "cpu".
  constexpr Device without_needless_index() const {
    return kind == DeviceKind::CUDA ? *this : Device(kind);
  }
  friend constexpr bool operator==(Device, Device) = default;
};

CEPH_API Device
parse_device(std::string_view text);  // "cpu", "cuda:1", "meta"; RuntimeError otherwise
CEPH_API std::string to_string(Device device);
CEPH_API std::ostream& operator<<(std::ostream& out, Device device);
CEPH_API std::ostream& operator<<(std::ostream& out, MemoryFormat format);

// The device of factory functions without `device=` (set_default_device), thread-local.
CEPH_API Device default_device();
CEPH_API void set_default_device(Device device);

}  // namespace ceph
