#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "base/array_ref.h"

namespace ceph {

// Up to N elements in place, more on the heap. For trivially copyable elements only: sizes,
// strides, pointers. Tensors of five dimensions and fewer never allocate for their geometry.
template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  explicit SmallVector(size_t size, T value = T()) { assign(size, value); }
  SmallVector(ArrayRef<T> from) { copy_from(from.data(), from.size()); }
  SmallVector(std::initializer_list<T> list) { copy_from(list.begin(), list.size()); }
  SmallVector(const SmallVector& other) { copy_from(other.data_, other.size_); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) copy_from(other.data_, other.size_);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { release(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  operator ArrayRef<T>() const { return {data_, size_}; }

  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(size_t size, T value = T()) {
    if (size > capacity_) grow(size);
    if (size > size_) std::fill(data_ + size_, data_ + size, value);
    size_ = size;
  }
  void assign(size_t size, T value) {
    clear();
    resize(size, value);
  }
  void insert(size_t at, T value) {
    push_back(value);
    std::rotate(data_ + at, data_ + size_ - 1, data_ + size_);
  }
  void erase(size_t at) {
    std::memmove(data_ + at, data_ + at + 1, (size_ - at - 1) * sizeof(T));
    --size_;
  }
  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return ArrayRef<T>(a) == ArrayRef<T>(b);
  }
  friend bool operator==(const SmallVector& a, ArrayRef<T> b) { return ArrayRef<T>(a) == b; }

 private:
  void copy_from(const T* from, size_t size) {
    if (size > capacity_) grow(size);
    if (size) std::memcpy(data_, from, size * sizeof(T));
    size_ = size;
  }
  void grow(size_t least) {
    size_t capacity = std::max(least, capacity_ * 2);
    T* fresh = new T[capacity];
    if (size_) std::memcpy(fresh, data_, size_ * sizeof(T));
    release();
    data_ = fresh;
    capacity_ = capacity;
  }
  void release() {
    if (data_ != inline_) delete[] data_;
  }
  void take(SmallVector& other) {
    if (other.data_ == other.inline_) {
      data_ = inline_;
      capacity_ = N;
      std::memcpy(inline_, other.inline_, other.size_ * sizeof(T));
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
      other.data_ = other.inline_;
      other.capacity_ = N;
    }
    size_ = other.size_;
    other.size_ = 0;
  }

  T* data_ = inline_;
  size_t size_ = 0;
  size_t capacity_ = N;
  T inline_[N];
};

using DimVector = SmallVector<int64_t, 5>;

}  // namespace ceph
