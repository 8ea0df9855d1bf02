#include "base/device.h"

#include <array>
#include <charconv>
#include <limits>

#include "base/error.h"

namespace ceph {
namespace {

constexpr std::array<std::string_view, 3> kDeviceNames{"cpu", "cuda", "meta"};

thread_local Device current_default;

int8_t parse_index(std::string_view digits, std::string_view text) {
  int value = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool leading_zero = digits.size() > 1 && digits[0] == '0';
  CEPH_CHECK(error == std::errc() && end == digits.data() + digits.size() && value >= 0 &&
                 value <= std::numeric_limits<int8_t>::max() && !leading_zero,
             ErrorKind::kRuntime, "device",
             "expected an index from 0 to 127 after the colon; got '", text, "'");
  return static_cast<int8_t>(value);
}

}  // namespace

Device parse_device(std::string_view text) {
  CEPH_CHECK(!text.empty(), ErrorKind::kRuntime, "device", "the device string must not be empty");
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (size_t i = 0; i < kDeviceNames.size(); ++i) {
    if (name != kDeviceNames[i]) continue;
    const auto kind = static_cast<DeviceKind>(i);
    if (colon == std::string_view::npos) return Device(kind);
    return Device(kind, parse_index(text.substr(colon + 1), text));
  }
  fail(ErrorKind::kRuntime, "device", "expected one of cpu, cuda, meta at the start; got '", text,
       "'");
}

std::string to_string(Device device) {
  std::string text(kDeviceNames[static_cast<size_t>(device.kind)]);
  if (device.index >= 0) text += ":" + std::to_string(device.index);
  return text;
}

std::ostream& operator<<(std::ostream& out, Device device) { return out << to_string(device); }

std::ostream& operator<<(std::ostream& out, MemoryFormat format) {
  constexpr std::array<std::string_view, 4> names{"contiguous_format", "preserve_format",
                                                  "channels_last", "channels_last_3d"};
  return out << names[static_cast<size_t>(format)];
}

Device default_device() { return current_default; }
void set_default_device(Device device) { current_default = device; }

}  // namespace ceph
