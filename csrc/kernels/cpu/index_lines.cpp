#include "kernels/cpu/index_lines.h"

#include <algorithm>

namespace ceph::kernels {
namespace {

// Whether one of `count` indices lies outside [0, size): the sign of the index, or of what is left
// up to the last place. Without a branch, so that the loop is a vector one.
template <class I>
bool any_outside(const char* index, int64_t count, int64_t size) {
  const I* at = reinterpret_cast<const I*>(index);
  const auto last = static_cast<uint64_t>(size - 1);
  uint64_t bad = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto v = static_cast<uint64_t>(static_cast<int64_t>(at[i]));
    bad |= v | (last - v);
  }
  return bad >> 63;
}

bool line_outside(DType dtype, const char* index, int64_t count, int64_t size) {
  return dtype == DType::Int32 ? any_outside<int32_t>(index, count, size)
                               : any_outside<int64_t>(index, count, size);
}

}  // namespace

Tensor at_least_1d(const Tensor& t) {
  return t.dim() > 0 ? t : view_of(t, {int64_t(1)}, {int64_t(1)}, t.storage_offset());
}

void check_index_dtype(const char* op, const Tensor& index) {
  CEPH_CHECK(index.dtype() == DType::Int64 || index.dtype() == DType::Int32, ErrorKind::kRuntime,
             op, "index must be int32 or int64; got ", name_of(index.dtype()));
}

void check_range(const char* op, ErrorKind kind, const Tensor& index, int64_t dim, int64_t size) {
  if (index.numel() == 0) return;
  const DType dtype = index.dtype();
  const int64_t item = static_cast<int64_t>(item_size(dtype));
  DimVector strides = byte_strides(index);
  IntArrayRef all[] = {strides};
  char* data = static_cast<char*>(index.data());
  auto it = TensorIterator::over(index.sizes(), data, ArrayRef<IntArrayRef>(all, 1));
  it.for_each([&](char* const* at, const int64_t* s, int64_t n0, int64_t n1) {
    for (int64_t j = 0; j < n1; ++j) {
      const char* line = at[0] + j * s[1];
      if (s[0] == item && !line_outside(dtype, line, n0, size)) continue;
      for (int64_t i = 0; i < n0; ++i) {
        int64_t v = load_index(dtype, line + i * s[0]);
        CEPH_CHECK(v >= 0 && v < size, kind, op, "index ", v, " is out of range for dimension ",
                   dim, " of size ", size);
      }
    }
  });
}

DimVector byte_strides(const Tensor& t) {
  DimVector strides = t.strides();
  for (int64_t& s : strides) s *= static_cast<int64_t>(item_size(t.dtype()));
  return strides;
}

void for_each_run(const Tensor& index, size_t dim, const Tensor& self, const Tensor& other,
                  RunBody body) {
  DimVector sizes = index.sizes(), index_strides = byte_strides(index);
  DimVector self_strides = byte_strides(self), other_strides = byte_strides(other);
  const int64_t length = sizes[dim], stride = self_strides[dim];
  const int64_t index_step = index_strides[dim], other_step = other_strides[dim];
  sizes[dim] = 1;
  char* data[] = {static_cast<char*>(index.data()), static_cast<char*>(self.data()),
                  static_cast<char*>(other.data())};
  IntArrayRef strides[] = {index_strides, self_strides, other_strides};
  auto it =
      TensorIterator::over(sizes, ArrayRef<char*>(data, 3), ArrayRef<IntArrayRef>(strides, 3));
  it.for_each(
      [&](char* const* at, const int64_t* s, int64_t n0, int64_t n1) {
        // Along what lies closer in memory.
        const bool along = n0 == 1 || index_step < s[0];
        for (int64_t j = 0; j < n1; ++j) {
          char *line = at[0] + j * s[3], *to = at[1] + j * s[4], *from = at[2] + j * s[5];
          for (int64_t i = 0; along && i < n0; ++i) {
            body({to + i * s[1], line + i * s[0], from + i * s[2], 0, index_step, other_step,
                  stride, length});
          }
          for (int64_t k = 0; !along && k < length; ++k) {
            body({to, line + k * index_step, from + k * other_step, s[1], s[0], s[2], stride, n0});
          }
        }
      },
      std::max<int64_t>(1, kGrain / length));
}

}  // namespace ceph::kernels
