#pragma once

#include <atomic>

#include "base/device.h"
#include "base/intrusive_ptr.h"
#include "core/allocator.h"
#include "core/grad_mode.h"

namespace ceph {

// Counts the writes to what several tensors share; saved tensors compare it.
class VersionCounter : public RefCounted {
 public:
  uint32_t value() const { return value_.load(std::memory_order_relaxed); }
  void bump() { value_.fetch_add(1, std::memory_order_relaxed); }
  void set(uint32_t value) { value_.store(value, std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> value_{0};
};

// Bytes of one device. Owned through an allocator, or foreign (NumPy, DLPack, mmap) with a release
// function; only the former can be resized, and only while nobody outside has their address.
class CEPH_API StorageImpl final : public RefCounted {
 public:
  using Release = void (*)(void* context);

  StorageImpl(size_t nbytes, Device device, Allocator& allocator);  // allocates
  StorageImpl(void* data, size_t nbytes, Device device, Release release, void* context,
              bool writable);

  void* data() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  Device device() const { return device_; }
  bool resizable() const { return allocator_ != nullptr && pins_.load() == 0; }
  // Memory of an allocator of ours: no two storages share it.
  bool owned() const { return allocator_ != nullptr; }
  bool writable() const { return writable_; }
  // Whether it was made in inference mode.
  bool inference() const { return inference_; }
  // Around the life of an exported address (NumPy array, buffer, DLPack capsule): the memory stays.
  void pin() { pins_.fetch_add(1); }
  void unpin() { pins_.fetch_sub(1); }
  // Keeps min(old, new) bytes. RuntimeError for foreign and for pinned memory.
  void resize(size_t nbytes);
  // Whether it has been larger than now, so that a tensor may reach beyond its end.
  bool shrunk() const { return nbytes_ < largest_; }
  // The version of every tensor over this storage that has no counter of its own.
  VersionCounter& version() { return version_; }

  // Slot of the Python storage object, managed by the binding.
  void* pyobj = nullptr;

  void release() const {
    if (drop()) delete this;
  }
  static void* operator new(size_t size);
  static void operator delete(void* at, size_t size);

 private:
  ~StorageImpl() override;

  void* data_;
  size_t nbytes_;
  size_t largest_;
  Device device_;
  std::atomic<int> pins_{0};
  bool writable_ = true;
  bool inference_ = inference_enabled;
  Allocator* allocator_;
  Release release_ = nullptr;
  void* context_ = nullptr;
  VersionCounter version_;
};

using Storage = intrusive_ptr<StorageImpl>;

}  // namespace ceph
