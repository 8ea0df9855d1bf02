#pragma once
// Random geometries and the brute-force view of them that the tests compare with.

#include <random>
#include <vector>

#include "core/tensor.h"

namespace ceph::testing {

struct Geometry {
  DimVector sizes;
  DimVector strides;
  int64_t offset = 0;
};

inline int64_t draw(std::mt19937& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

// Byte offsets of the elements, in logical (row-major) order.
inline std::vector<int64_t> byte_offsets(const Tensor& t) {
  std::vector<int64_t> out;
  const auto item = static_cast<int64_t>(item_size(t.dtype()));
  std::vector<int64_t> index(t.sizes().size(), 0);
  for (int64_t n = 0; n < t.numel(); ++n) {
    int64_t at = t.storage_offset();
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * t.strides()[d];
    out.push_back(at * item);
    for (size_t d = index.size(); d-- > 0 && ++index[d] == t.sizes()[d];) index[d] = 0;
  }
  return out;
}

// A tensor over `storage` with this geometry and dtype, not checked against the storage.
inline Tensor tensor_over(const Storage& storage, DType dtype, const Geometry& g) {
  auto impl = make_intrusive<TensorImpl>(storage, dtype, storage->device(),
                                         DispatchKeySet(backend_key(storage->device())));
  impl->set_geometry(g.sizes, g.strides, g.offset);
  return Tensor(std::move(impl));
}

// Sizes up to 4, strides up to `most`: dense, strided, expanded and overlapping ones all occur.
inline Geometry random_geometry(std::mt19937& random, int64_t most) {
  Geometry g;
  const int64_t rank = draw(random, 0, 4);
  for (int64_t d = 0; d < rank; ++d) {
    g.sizes.push_back(draw(random, 0, 19) == 0 ? 0 : draw(random, 1, 4));
    g.strides.push_back(draw(random, 0, most));
  }
  g.offset = draw(random, 0, most);
  return g;
}

}  // namespace ceph::testing
