#pragma once

#include <optional>

#include "base/small_vector.h"
#include "core/tensor.h"

namespace ceph {

// Stride arithmetic, all of it overflow-checked; errors name `op`.

CEPH_API DimVector contiguous_strides(IntArrayRef sizes);
CEPH_API DimVector strides_for(IntArrayRef sizes, MemoryFormat format, const char* op);
CEPH_API int64_t checked_numel(IntArrayRef sizes, const char* op);
CEPH_API size_t checked_nbytes(IntArrayRef sizes, IntArrayRef strides, int64_t offset, DType dtype,
                               const char* op);
// Dimension in [-rank, rank) -> [0, rank); rank 0 counts as 1. IndexError with PyTorch's wording
// kind.
CEPH_API int64_t wrap_dim(int64_t dim, int64_t rank, const char* op);
CEPH_API DimVector broadcast_shapes(IntArrayRef a, IntArrayRef b, const char* op);
// Fills in a -1 of a view's size.
CEPH_API DimVector infer_size(IntArrayRef size, int64_t numel, const char* op);
// Strides of `sizes` over the same memory, if they exist.
CEPH_API std::optional<DimVector> view_strides(IntArrayRef old_sizes, IntArrayRef old_strides,
                                               IntArrayRef sizes);
CEPH_API bool is_channels_last(IntArrayRef sizes, IntArrayRef strides);
CEPH_API bool is_non_overlapping_and_dense(IntArrayRef sizes, IntArrayRef strides);
// Strides of a result that keeps the layout of `like` (permuted dense stays permuted, else
// contiguous).
CEPH_API DimVector preserved_strides(const Tensor& like);

CEPH_API bool is_contiguous(IntArrayRef sizes, IntArrayRef strides);
// Note [Stride order]
// Dimensions from the innermost outwards, as the strides of several operands of these sizes
// suggest. The first operand that tells two dimensions apart decides; a stride of 0 (broadcast)
// tells nothing, and equal strides put the smaller dimension inside. Where nothing is told the last
// dimension is inner. It is an insertion sort, since "tells nothing" makes the comparison no order
// relation.
CEPH_API DimVector stride_order(IntArrayRef sizes, ArrayRef<IntArrayRef> strides);
// Dense strides with the dimensions in that order.
CEPH_API DimVector dense_strides(IntArrayRef sizes, IntArrayRef order);

// ---- the one overlap analysis (exact)
// -------------------------------------------------------------

enum class Overlap { None, Full, Partial };  // Full: same elements in the same order

// Whether two elements of one tensor share a byte.
CEPH_API bool overlaps_itself(const Tensor& t);
CEPH_API Overlap overlap_between(const Tensor& a, const Tensor& b);

}  // namespace ceph
