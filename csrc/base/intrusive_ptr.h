#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ceph {

// Base of what intrusive_ptr counts. Counts are atomic: tensors cross threads.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  uint32_t use_count() const { return count_.load(std::memory_order_acquire); }
  void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  // For one who knows the object without owning it: false when its last reference is gone. Only for
  // classes whose `release` uses `drop_known`.
  bool try_retain() const {
    uint32_t count = count_.load(std::memory_order_relaxed);
    while (count != 0 &&
           !count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
    return count != 0;
  }
  // Deletes the object with its last reference. Final classes hide this with one that deletes
  // itself without the virtual call.
  void release() const {
    if (drop()) destroy();
  }

 protected:
  // Gives up a reference; true when it was the last. A sole owner needs no atomic subtraction:
  // nobody is left who could take another reference.
  bool drop() const {
    return count_.load(std::memory_order_acquire) == 1 ||
           count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // The same where `try_retain` may take a reference without having one.
  bool drop_known() const { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  virtual ~RefCounted() = default;
  // What the last release does; a class with a pool of its own overrides it.
  virtual void destroy() const { delete this; }

 private:
  mutable std::atomic<uint32_t> count_{1};
};

template <class T>
class intrusive_ptr {
 public:
  intrusive_ptr() = default;
  intrusive_ptr(std::nullptr_t) {}
  // Takes over a reference that the caller holds (a new object is born with one).
  static intrusive_ptr adopt(T* raw) {
    intrusive_ptr p;
    p.raw_ = raw;
    return p;
  }
  static intrusive_ptr share(T* raw) {
    if (raw) raw->retain();
    return adopt(raw);
  }
  intrusive_ptr(const intrusive_ptr& other) : raw_(other.raw_) {
    if (raw_) raw_->retain();
  }
  intrusive_ptr(intrusive_ptr&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  template <class U>
  intrusive_ptr(intrusive_ptr<U> other) : raw_(other.detach()) {}
  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~intrusive_ptr() {
    if (raw_) raw_->release();
  }

  T* get() const { return raw_; }
  T* operator->() const { return raw_; }
  T& operator*() const { return *raw_; }
  explicit operator bool() const { return raw_ != nullptr; }
  // Gives the reference to the caller.
  T* detach() { return std::exchange(raw_, nullptr); }
  friend bool operator==(const intrusive_ptr& a, const intrusive_ptr& b) {
    return a.raw_ == b.raw_;
  }

 private:
  T* raw_ = nullptr;
};

template <class T, class... A>
intrusive_ptr<T> make_intrusive(A&&... args) {
  return intrusive_ptr<T>::adopt(new T(std::forward<A>(args)...));
}

}  // namespace ceph
