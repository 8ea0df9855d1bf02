#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "base/device.h"
#include "base/intrusive_ptr.h"
#include "base/mt19937.h"

namespace ceph {

// Source of random words with a state that can be saved. Draws hold `mutex` for a whole tensor, so
// that two threads never interleave inside one result.
class CEPH_API GeneratorImpl final : public RefCounted {
 public:
  explicit GeneratorImpl(Device device, uint64_t seed = 67280421310721ull);

  Device device() const { return device_; }
  std::mutex& mutex() { return mutex_; }
  Mt19937& engine() { return engine_; }  // hold `mutex`
  uint64_t initial_seed() const { return engine_.seed(); }
  void manual_seed(uint64_t seed);
  uint64_t seed();  // from the system's entropy; returns it
  // The same 5056-byte layout that PyTorch's get_state gives on the CPU.
  std::vector<uint8_t> get_state() const;
  void set_state(const uint8_t* data, size_t size);
  intrusive_ptr<GeneratorImpl> clone() const;

  // The spare value of a pair of normal draws (double and float paths keep one each).
  std::optional<double> next_double_normal;
  std::optional<float> next_float_normal;

  void* pyobj = nullptr;  // the Python object that wraps it, managed by the binding

 private:
  Device device_;
  mutable std::mutex mutex_;
  Mt19937 engine_;
};

using Generator = intrusive_ptr<GeneratorImpl>;

CEPH_API const Generator& default_generator();  // of the CPU
// `given` or the default one; RuntimeError when the device isn't the CPU's.
CEPH_API const Generator& cpu_generator(const Generator& given, const char* op);

}  // namespace ceph
