#include "core/layout.h"

#include <algorithm>
#include <array>

#include "base/overflow.h"

namespace ceph {
namespace {

// Channels first among the inner dimensions: the order of channels_last, innermost first.
constexpr std::array<size_t, 4> kChannelsLast{1, 3, 2, 0};
constexpr std::array<size_t, 5> kChannelsLast3d{1, 4, 3, 2, 0};

ArrayRef<size_t> channels_last_order(size_t rank) {
  if (rank == 4) return kChannelsLast;
  if (rank == 5) return kChannelsLast3d;
  return {};
}

int64_t checked_product(int64_t a, int64_t b, IntArrayRef sizes, const char* op) {
  int64_t product = 0;
  CEPH_CHECK(!multiply_overflows(a, b, &product), ErrorKind::kRuntime, op,
             "the number of elements of sizes ", sizes, " overflows 64 bits");
  return product;
}

template <class Order>
DimVector strides_in(IntArrayRef sizes, const Order& order, const char* op) {
  DimVector strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto d = static_cast<size_t>(order[i]);
    strides[d] = stride;
    if (i + 1 < order.size()) stride = checked_product(stride, sizes[d], sizes, op);
  }
  return strides;
}

template <class Order>
bool dense_in(IntArrayRef sizes, IntArrayRef strides, const Order& order) {
  int64_t expected = 1;
  for (const auto at : order) {
    const auto d = static_cast<size_t>(at);
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

// > 0: dimension a lies outside b; < 0: inside; 0: the strides don't tell.
int compare_dims(size_t a, size_t b, IntArrayRef sizes, ArrayRef<IntArrayRef> strides) {
  for (const IntArrayRef& of : strides) {
    if (of[a] == 0 || of[b] == 0) continue;
    if (of[a] != of[b]) return of[a] < of[b] ? -1 : 1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

}  // namespace

DimVector contiguous_strides(IntArrayRef sizes) {
  DimVector strides(sizes.size());
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    if (d > 0) stride = checked_product(stride, std::max<int64_t>(sizes[d], 1), sizes, "strides");
  }
  return strides;
}

DimVector strides_for(IntArrayRef sizes, MemoryFormat format, const char* op) {
  if (format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve) {
    return contiguous_strides(sizes);
  }
  const size_t rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
  CEPH_CHECK(sizes.size() == rank, ErrorKind::kRuntime, op, "a tensor of rank ", rank,
             " is required for the memory format ", format, "; got sizes ", sizes);
  return strides_in(sizes, channels_last_order(rank), op);
}

int64_t checked_numel(IntArrayRef sizes, const char* op) {
  int64_t numel = 1;
  bool overflow = false;
  bool empty = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    CEPH_CHECK(sizes[d] >= 0, ErrorKind::kRuntime, op, "sizes must not be negative; got ", sizes[d],
               " at dimension ", d, " of ", sizes);
    empty |= sizes[d] == 0;
    overflow |= multiply_overflows(numel, std::max<int64_t>(sizes[d], 1), &numel);
  }
  // The strides of an empty tensor are products of the other sizes, so those must fit as well.
  CEPH_CHECK(!overflow, ErrorKind::kRuntime, op, "the number of elements of sizes ", sizes,
             " overflows 64 bits");
  return empty ? 0 : numel;
}

size_t checked_nbytes(IntArrayRef sizes, IntArrayRef strides, int64_t offset, DType dtype,
                      const char* op) {
  CEPH_CHECK(sizes.size() == strides.size(), ErrorKind::kRuntime, op,
             "sizes and strides must have the same length; got ", sizes, " and ", strides);
  CEPH_CHECK(offset >= 0, ErrorKind::kRuntime, op, "the storage offset must not be negative; got ",
             offset);
  const int64_t numel = checked_numel(sizes, op);
  int64_t last = offset;
  bool overflow = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    CEPH_CHECK(strides[d] >= 0, ErrorKind::kRuntime, op, "strides must not be negative; got ",
               strides[d], " at dimension ", d);
    int64_t reach = 0;
    if (numel == 0) continue;
    overflow |=
        multiply_overflows(sizes[d] - 1, strides[d], &reach) || add_overflows(last, reach, &last);
  }
  if (numel == 0) return 0;
  int64_t bytes = 0;
  overflow |= add_overflows(last, 1, &last) ||
              multiply_overflows(last, static_cast<int64_t>(item_size(dtype)), &bytes);
  CEPH_CHECK(!overflow, ErrorKind::kRuntime, op, "the storage for sizes ", sizes, ", strides ",
             strides, " and offset ", offset, " of ", dtype, " overflows 64 bits");
  return static_cast<size_t>(bytes);
}

int64_t wrap_dim(int64_t dim, int64_t rank, const char* op) {
  const int64_t span = std::max<int64_t>(rank, 1);
  CEPH_CHECK(dim >= -span && dim < span, ErrorKind::kIndex, op,
             "dimension out of range (expected to be in range of [", -span, ", ", span - 1,
             "], but got ", dim, ")");
  return dim < 0 ? dim + span : dim;
}

DimVector broadcast_shapes(IntArrayRef a, IntArrayRef b, const char* op) {
  const size_t rank = std::max(a.size(), b.size());
  DimVector out(rank);
  for (size_t back = 1; back <= rank; ++back) {
    const int64_t in_a = back <= a.size() ? a[a.size() - back] : 1;
    const int64_t in_b = back <= b.size() ? b[b.size() - back] : 1;
    CEPH_CHECK(in_a == in_b || in_a == 1 || in_b == 1, ErrorKind::kRuntime, op, "sizes ", a,
               " and ", b, " can't be broadcast: ", in_a, " must match ", in_b, " at dimension ",
               rank - back);
    out[rank - back] = in_a == 1 ? in_b : in_a;
  }
  return out;
}

DimVector infer_size(IntArrayRef size, int64_t numel, const char* op) {
  DimVector out(size);
  int64_t known = 1;
  std::optional<size_t> unknown;
  bool overflow = false;
  for (size_t d = 0; d < size.size(); ++d) {
    if (size[d] == -1) {
      CEPH_CHECK(!unknown, ErrorKind::kRuntime, op, "only one dimension can be inferred; got ",
                 size);
      unknown = d;
      continue;
    }
    CEPH_CHECK(size[d] >= 0, ErrorKind::kRuntime, op, "invalid size ", size[d], " at dimension ", d,
               " of ", size);
    overflow |= multiply_overflows(known, size[d], &known);
  }
  if (unknown) {
    CEPH_CHECK(overflow || known != 0, ErrorKind::kRuntime, op, "the -1 of ", size,
               " is ambiguous: any value gives 0 elements");
    out[*unknown] = overflow ? 0 : numel / known;
    overflow |= !overflow && numel % known != 0;
  } else {
    overflow |= known != numel;
  }
  CEPH_CHECK(!overflow, ErrorKind::kRuntime, op, "size ", size, " is invalid for a tensor of ",
             numel, " elements");
  return out;
}

std::optional<DimVector> view_strides(IntArrayRef old_sizes, IntArrayRef old_strides,
                                      IntArrayRef sizes) {
  const bool empty = std::find(old_sizes.begin(), old_sizes.end(), 0) != old_sizes.end();
  if (empty) return old_sizes == sizes ? DimVector(old_strides) : contiguous_strides(sizes);
  DimVector out(sizes.size());
  size_t to_place = sizes.size();  // dimensions of the view not yet placed, from the last
  size_t d = old_sizes.size();
  int64_t stride = 1;
  // Each round takes a run of old dimensions that is contiguous in itself and fills it exactly with
  // dimensions of the view.
  while (d > 0) {
    --d;
    int64_t run = old_sizes[d];
    stride = old_strides[d];
    while (d > 0 && (old_sizes[d - 1] == 1 || old_strides[d - 1] == run * stride)) {
      run *= old_sizes[--d];
    }
    int64_t filled = 1;
    while (to_place > 0 && (filled < run || sizes[to_place - 1] == 1)) {
      out[--to_place] = filled * stride;
      filled *= sizes[to_place];
    }
    if (filled != run) return std::nullopt;
  }
  // What is left has size 1: a view of a 0-dim tensor, or leading ones.
  while (to_place > 0) out[--to_place] = stride;
  return out;
}

bool is_contiguous(IntArrayRef sizes, IntArrayRef strides) {
  int64_t expected = 1;
  bool dense = true;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0) return true;
    if (sizes[d] == 1) continue;
    dense &= strides[d] == expected;
    expected *= sizes[d];
  }
  return dense;
}

bool is_channels_last(IntArrayRef sizes, IntArrayRef strides) {
  const ArrayRef<size_t> order = channels_last_order(sizes.size());
  return !order.empty() && dense_in(sizes, strides, order);
}

bool is_non_overlapping_and_dense(IntArrayRef sizes, IntArrayRef strides) {
  if (is_contiguous(sizes, strides)) return true;
  DimVector order;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1) order.push_back(static_cast<int64_t>(d));
  }
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return strides[static_cast<size_t>(a)] < strides[static_cast<size_t>(b)];
  });
  return dense_in(sizes, strides, order);
}

DimVector stride_order(IntArrayRef sizes, ArrayRef<IntArrayRef> strides) {
  const size_t rank = sizes.size();
  DimVector order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(rank - 1 - i);
  for (size_t i = 1; i < rank; ++i) {
    size_t moving = i;
    for (size_t j = i; j-- > 0;) {
      const int told = compare_dims(static_cast<size_t>(order[j]),
                                    static_cast<size_t>(order[moving]), sizes, strides);
      if (told < 0) break;
      if (told == 0) continue;
      std::swap(order[j], order[moving]);
      moving = j;
    }
  }
  return order;
}

DimVector dense_strides(IntArrayRef sizes, IntArrayRef order) {
  const size_t rank = sizes.size();
  bool natural = true;
  for (size_t i = 0; i < rank; ++i) natural &= order[i] == static_cast<int64_t>(rank - 1 - i);
  return natural ? contiguous_strides(sizes) : strides_in(sizes, order, "strides");
}

DimVector preserved_strides(const Tensor& like) {
  if (is_non_overlapping_and_dense(like.sizes(), like.strides())) return like.strides();
  const IntArrayRef strides = like.strides();
  return dense_strides(like.sizes(), stride_order(like.sizes(), {&strides, 1}));
}

}  // namespace ceph
