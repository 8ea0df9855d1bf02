#include "kernels/cpu/index_plan.h"

#include <vector>

namespace ceph::kernels {
namespace {

// One index of int32 or int64 over one dimension of self, or over none (dim < 0: a mask without
// dimensions).
struct OneIndex {
  int64_t dim;
  Tensor index;
};

bool is_mask(const Tensor& t) { return t.dtype() == DType::Bool || t.dtype() == DType::UInt8; }

void check_index_dtype(const char* op, const Tensor& t) {
  bool fits = is_mask(t) || t.dtype() == DType::Int64 || t.dtype() == DType::Int32;
  CEPH_CHECK(fits, ErrorKind::kIndex, op,
             "tensors used as indices must be int64, int32, bool or uint8; got ",
             name_of(t.dtype()));
}

void check_mask_shape(const char* op, const Tensor& self, const Tensor& mask, int64_t dim) {
  for (int64_t d = 0; d < mask.dim(); ++d) {
    CEPH_CHECK(mask.size(d) == self.size(dim + d), ErrorKind::kIndex, op,
               "a mask must have the sizes of what it indexes; got mask ", mask.sizes(),
               " for dimension ", dim, " of self ", self.sizes(), ", which differ at dimension ",
               dim + d);
  }
}

void add_mask(std::vector<OneIndex>& list, const Tensor& mask, int64_t dim) {
  Coordinates found = nonzero_coordinates(mask);
  if (mask.dim() == 0) {
    Tensor zeros = empty_tensor({found.count}, DType::Int64, DeviceKind::CPU);
    std::fill_n(zeros.data_as<int64_t>(), found.count, 0);
    list.push_back({-1, zeros});
  }
  for (int64_t d = 0; d < mask.dim(); ++d) {
    list.push_back({dim + d, view_of(found.columns, {found.count}, {int64_t(1)}, d * found.count)});
  }
}

// The indices one by one, each with the dimension of self that it replaces.
std::vector<OneIndex> separate(const char* op, const Tensor& self, TensorList indices,
                               bool with_values) {
  std::vector<OneIndex> list;
  int64_t dim = 0;
  for (const Tensor& index : indices) {
    int64_t used = 1;
    if (index.defined()) {
      check_index_dtype(op, index);
      if (is_mask(index)) used = index.dim();
    }
    CEPH_CHECK(dim + used <= self.dim(), ErrorKind::kIndex, op, "too many indices for self ",
               self.sizes(), "; got ", indices.size());
    if (index.defined() && is_mask(index)) {
      check_mask_shape(op, self, index, dim);
      CEPH_CHECK(with_values, ErrorKind::kNotImplemented, op,
                 "the shape of the result depends on the values of the mask, which a meta tensor "
                 "does not have");
      add_mask(list, index, dim);
    } else if (index.defined()) {
      list.push_back({dim, index});
    }
    dim += used;
  }
  return list;
}

DimVector broadcast_index_shape(const char* op, const std::vector<OneIndex>& list) {
  DimVector shape;
  for (const OneIndex& one : list) {
    IntArrayRef own = one.index.sizes();
    size_t rank = std::max(shape.size(), own.size());
    DimVector merged(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
      int64_t a = i < shape.size() ? shape[shape.size() - 1 - i] : 1;
      int64_t b = i < own.size() ? own[own.size() - 1 - i] : 1;
      CEPH_CHECK(a == b || a == 1 || b == 1, ErrorKind::kIndex, op,
                 "indices must broadcast together; got shapes ", IntArrayRef(shape), " and ", own);
      merged[rank - 1 - i] = a == 1 ? b : a;
    }
    shape = merged;
  }
  return shape;
}

IndexedDims arrange(const char* op, const Tensor& self, const std::vector<OneIndex>& list) {
  IndexedDims dims;
  dims.index_shape = broadcast_index_shape(op, list);
  for (const OneIndex& index : list) {
    if (index.dim >= 0) dims.indexed.push_back(index.dim);
  }
  bool adjacent = !dims.indexed.empty() && dims.indexed.back() - dims.indexed[0] + 1 ==
                                               static_cast<int64_t>(dims.indexed.size());
  size_t next = 0;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (next < dims.indexed.size() && dims.indexed[next] == d) {
      ++next;
    } else if (adjacent && next == 0) {
      dims.before.push_back(d);
    } else {
      dims.after.push_back(d);
    }
  }
  for (int64_t d : dims.before) dims.sizes.push_back(self.size(d));
  for (int64_t n : dims.index_shape) dims.sizes.push_back(n);
  for (int64_t d : dims.after) dims.sizes.push_back(self.size(d));
  return dims;
}

// Adds wrapped index * stride of one index to every position's offset.
class OffsetAdder {
 public:
  OffsetAdder(const char* op, int64_t dim, int64_t size, int64_t byte_stride)
      : op_(op), dim_(dim), size_(size), byte_stride_(byte_stride) {}

  int64_t offset(int64_t index) const {
    CEPH_CHECK(index >= -size_ && index < size_, ErrorKind::kIndex, op_, "index ", index,
               " is out of range for dimension ", dim_, " of size ", size_);
    return (index < 0 ? index + size_ : index) * byte_stride_;
  }

 private:
  const char* op_;
  int64_t dim_, size_, byte_stride_;
};

// Byte strides of an index over the common shape: 0 where it is broadcast.
DimVector broadcast_byte_strides(const Tensor& index, size_t rank) {
  DimVector strides(rank, 0);
  size_t skip = rank - index.sizes().size();
  for (size_t d = skip; d < rank; ++d) {
    int64_t own = index.strides()[d - skip] * static_cast<int64_t>(item_size(index.dtype()));
    if (index.sizes()[d - skip] != 1) strides[d] = own;
  }
  return strides;
}

void add_offsets(const char* op, const Tensor& self, const OneIndex& one, IntArrayRef shape,
                 const Tensor& offsets) {
  int64_t item = static_cast<int64_t>(item_size(self.dtype()));
  OffsetAdder adder(op, one.dim, one.dim < 0 ? 1 : self.size(one.dim),
                    one.dim < 0 ? 0 : self.stride(one.dim) * item);
  DType dtype = one.index.dtype();
  const char* values = static_cast<const char*>(one.index.data());
  DimVector strides = broadcast_byte_strides(one.index, shape.size());
  int64_t length = shape.empty() ? 1 : shape.back(), step = shape.empty() ? 0 : strides.back();
  DimVector at(shape.size(), 0);
  int64_t *to = offsets.data_as<int64_t>(), *end = to + offsets.numel();
  for (; to < end; to += length) {
    for (int64_t i = 0; i < length; ++i)
      to[i] += adder.offset(load_index(dtype, values + i * step));
    for (size_t d = shape.size() - 1; d < shape.size() && d-- > 0;) {
      values += strides[d];
      if (++at[d] < shape[d]) break;
      values -= strides[d] * shape[d];
      at[d] = 0;
    }
  }
}

template <class T>
bool is_nonzero(const T& v) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return (v.bits & 0x7fff) != 0;
  } else if constexpr (std::is_same_v<T, Float8E4M3FN> || std::is_same_v<T, Float8E5M2>) {
    return (v.bits & 0x7f) != 0;
  } else if constexpr (std::is_same_v<T, bool>) {
    // Memory from outside may hold any byte; as a bool it would count for what it holds.
    return reinterpret_cast<const unsigned char&>(v) != 0;
  } else {
    return v != T(0);
  }
}

// Calls row(first element, coordinates) for every line along the last dimension, in order; a tensor
// without dimensions is one line of one element.
template <class T, class F>
void for_each_row(const Tensor& t, F&& row) {
  if (t.numel() == 0) return;
  IntArrayRef sizes = t.sizes(), strides = t.strides();
  DimVector at(std::max<size_t>(1, sizes.size()), 0);
  const T* p = static_cast<const T*>(t.data());
  int64_t length = sizes.empty() ? 1 : sizes.back();
  for (int64_t left = t.numel() / length; left > 0; --left) {
    row(p, at);
    for (size_t d = sizes.size() - 1; d < sizes.size() && d-- > 0;) {
      p += strides[d];
      if (++at[d] < sizes[d]) break;
      p -= strides[d] * sizes[d];
      at[d] = 0;
    }
  }
}

template <class T>
int64_t count_nonzero(const T* p, int64_t stride, int64_t n) {
  int64_t count = 0;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) count += is_nonzero(p[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) count += is_nonzero(p[i * stride]);
  }
  return count;
}

template <class T>
Coordinates coordinates_of(const Tensor& t) {
  Coordinates result;
  size_t rank = t.sizes().size();
  int64_t length = rank ? t.sizes().back() : 1, stride = rank ? t.strides().back() : 1;
  for_each_row<T>(
      t, [&](const T* p, const DimVector&) { result.count += count_nonzero(p, stride, length); });
  result.columns = empty_tensor({static_cast<int64_t>(rank) * result.count}, DType::Int64,
                                DeviceKind::CPU, "nonzero");
  if (rank == 0) return result;
  int64_t* to =
      result.columns.data_as<int64_t>();  // the next row of coordinates, in the first column
  for_each_row<T>(t, [&](const T* p, const DimVector& at) {
    int64_t* last = to + static_cast<int64_t>(rank - 1) * result.count;
    int64_t found = 0;
    for (int64_t i = 0; i < length; ++i) {
      if (is_nonzero(p[i * stride])) last[found++] = i;
    }
    for (size_t d = 0; d + 1 < rank; ++d) {
      std::fill_n(to + static_cast<int64_t>(d) * result.count, found, at[d]);
    }
    to += found;
  });
  return result;
}

}  // namespace

Coordinates nonzero_coordinates(const Tensor& t) {
  switch (t.dtype()) {
#define CEPH_CASE(name, type, text)                                                                \
  case DType::name:                                                                                \
    return coordinates_of<type>(t);
    CEPH_FORALL_DTYPES(CEPH_CASE)
#undef CEPH_CASE
  }
  fail(ErrorKind::kInternal, "nonzero", "unknown dtype");
}

IndexedDims plan_index_shape(const char* op, const Tensor& self, TensorList indices) {
  return arrange(op, self, separate(op, self, indices, /*with_values=*/false));
}

IndexPlan plan_index(const char* op, const Tensor& self, TensorList indices) {
  std::vector<OneIndex> list = separate(op, self, indices, /*with_values=*/true);
  IndexPlan plan;
  plan.dims = arrange(op, self, list);
  int64_t count = checked_numel(plan.dims.index_shape, op);
  plan.offsets = empty_tensor({count}, DType::Int64, DeviceKind::CPU, op);
  std::fill_n(plan.offsets.data_as<int64_t>(), count, 0);
  for (const OneIndex& index : list) {
    add_offsets(op, self, index, plan.dims.index_shape, plan.offsets);
  }
  return plan;
}

}  // namespace ceph::kernels
