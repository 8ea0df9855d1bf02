#pragma once

#include "core/layout.h"

namespace ceph::kernels {

// Note [Advanced indexing]
// self[indices] for tensors of integers or masks, None being a full slice. A mask counts as the
// index tensors that nonzero gives for it. The index tensors are broadcast together; the
// dimensions that they make stand where the indexed dimensions were if those are next to each
// other, else in front (NumPy's and PyTorch's rule). The plan checks every index before anything
// is read or written, wraps negative ones, and turns all of them into one byte offset per position,
// so that the loops know nothing of masks, dtypes of indices or how many there were.

struct IndexedDims {
  DimVector sizes;    // of the result
  DimVector before;   // dimensions of self that precede the index dimensions in the result
  DimVector after;    // those that follow
  DimVector indexed;  // those that indices replace
  DimVector index_shape;
};

struct IndexPlan {
  IndexedDims dims;
  Tensor offsets;  // int64: in bytes from self's first element, one per position
};

// The whole plan; needs the values of the indices. IndexError names op, index, dimension and size.
IndexPlan plan_index(const char* op, const Tensor& self, TensorList indices);

// Only the shapes, for meta tensors; a mask's result depends on its values (NotImplementedError).
IndexedDims plan_index_shape(const char* op, const Tensor& self, TensorList indices);

// Coordinates of the elements that aren't zero, in order: all of the first dimension, then all of
// the second, ... in one int64 tensor of rank * count elements.
struct Coordinates {
  int64_t count = 0;
  Tensor columns;
};
Coordinates nonzero_coordinates(const Tensor& t);

// Reads element i of an int32 or int64 tensor given its dtype.
inline int64_t load_index(DType dtype, const char* at) {
  return dtype == DType::Int32 ? *reinterpret_cast<const int32_t*>(at)
                               : *reinterpret_cast<const int64_t*>(at);
}

}  // namespace ceph::kernels
