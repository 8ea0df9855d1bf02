#pragma once
// Tensors from values and values from tensors, and the layouts that every kernel must read alike.

#include <random>
#include <vector>

#include "core/layout.h"
#include "core/tensor.h"

namespace ceph::testing {

// Offset, in elements, of logical element `linear`.
inline int64_t offset_of(const Tensor& t, int64_t linear) {
  int64_t at = 0;
  for (size_t d = t.sizes().size(); d-- > 0; linear /= t.sizes()[d]) {
    at += linear % t.sizes()[d] * t.strides()[d];
  }
  return at;
}

template <class T>
T& element(const Tensor& t, int64_t linear) {
  return t.data_as<T>()[offset_of(t, linear)];
}

// Values in logical (row-major) order.
template <class T>
std::vector<T> values_of(const Tensor& t) {
  std::vector<T> out;
  for (int64_t i = 0; i < t.numel(); ++i) out.push_back(element<T>(t, i));
  return out;
}

template <class T>
void set_values(const Tensor& t, const std::vector<T>& values) {
  for (int64_t i = 0; i < t.numel(); ++i) element<T>(t, i) = values[static_cast<size_t>(i)];
}

template <class T>
Tensor tensor_of(IntArrayRef sizes, const std::vector<T>& values) {
  Tensor t = empty_tensor(sizes, dtype_of<T>::value, DeviceKind::CPU);
  set_values(t, values);
  return t;
}

// Ways to lay out one tensor: dense; dimensions stored in reverse order; every second element of a
// larger block, with an offset.
inline constexpr int kLayouts = 3;

inline Tensor laid_out(IntArrayRef sizes, DType dtype, int layout) {
  if (layout == 0) return empty_tensor(sizes, dtype, DeviceKind::CPU);
  DimVector strides(sizes.size());
  int64_t step = layout == 1 ? 1 : 2;
  for (size_t i = 0; i < sizes.size(); ++i) {
    size_t d = layout == 1 ? i : sizes.size() - 1 - i;
    strides[d] = step;
    step *= std::max<int64_t>(1, sizes[d]);
  }
  int64_t offset = layout == 2 ? 3 : 0;
  Tensor block = empty_tensor({step + offset + 1}, dtype, DeviceKind::CPU);
  return view_of(block, sizes, strides, offset);
}

template <class T>
Tensor laid_out_values(IntArrayRef sizes, int layout, const std::vector<T>& values) {
  Tensor t = laid_out(sizes, dtype_of<T>::value, layout);
  set_values(t, values);
  return t;
}

// Small integers as values of T: sums and products of a few of them are exact.
template <class T>
std::vector<T> small_integers(std::mt19937& random, int64_t count, int low = -4, int high = 4) {
  std::vector<T> out;
  for (int64_t i = 0; i < count; ++i) {
    int v = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    if constexpr (std::is_unsigned_v<T>) v = std::abs(v);
    out.push_back(static_cast<T>(v));
  }
  return out;
}

template <class T>
std::vector<T> normal_values(std::mt19937& random, int64_t count) {
  std::normal_distribution<double> normal;
  std::vector<T> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<T>(normal(random)));
  return out;
}

}  // namespace ceph::testing
