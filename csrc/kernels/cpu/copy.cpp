#include "kernels/copy.h"

#include <algorithm>
#include <cstring>

#include "core/tensor_iterator.h"
#include "kernels/repeat.h"
#include "kernels/tables.h"

namespace ceph::kernels {

namespace {

BlockLoop cast_loop(DType to, DType from) {
  return CEPH_ACTIVE_TABLE(creation).casts[static_cast<int>(to)][static_cast<int>(from)];
}

// ---- elements of one dtype: bytes are moved
// ---------------------------------------------------------

template <class T>
void copy_line(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t count) {
  constexpr int64_t kSize = sizeof(T);
  if (to_stride == kSize && from_stride == kSize) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
  } else if (to_stride == kSize && from_stride == 0) {
    repeat_item(to, from, kSize, count);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(T));
    }
  }
}

// Tiles whose rows in both tensors stay in the first-level cache, so that a transposition reads
// each cache line once.
template <class T>
void copy_transposed(char* to, int64_t to_row, const char* from, int64_t from_item, int64_t count,
                     int64_t rows) {
  constexpr int64_t kTile = 512 / sizeof(T) < 32 ? 32 : 64;
  constexpr int64_t kSize = sizeof(T);
  for (int64_t i0 = 0; i0 < count; i0 += kTile) {
    int64_t i1 = std::min(count, i0 + kTile);
    for (int64_t j0 = 0; j0 < rows; j0 += kTile) {
      int64_t j1 = std::min(rows, j0 + kTile);
      for (int64_t j = j0; j < j1; ++j) {
        for (int64_t i = i0; i < i1; ++i) {
          std::memcpy(to + j * to_row + i * kSize, from + i * from_item + j * kSize, sizeof(T));
        }
      }
    }
  }
}

template <class T>
void copy_plane(char* const* data, const int64_t* strides, int64_t size0, int64_t size1) {
  constexpr int64_t kSize = sizeof(T);
  char* to = data[0];
  const char* from = data[1];
  bool transposed = strides[0] == kSize && strides[3] == kSize && strides[1] > kSize && size1 > 1;
  if (transposed) return copy_transposed<T>(to, strides[2], from, strides[1], size0, size1);
  for (int64_t row = 0; row < size1; ++row) {
    copy_line<T>(to, strides[0], from, strides[1], size0);
    to += strides[2];
    from += strides[3];
  }
}

struct Item16 {
  uint64_t words[2];
};

using PlaneCopy = void (*)(char* const*, const int64_t*, int64_t, int64_t);

PlaneCopy plane_copy(size_t item) {
  switch (item) {
  case 1:
    return copy_plane<uint8_t>;
  case 2:
    return copy_plane<uint16_t>;
  case 4:
    return copy_plane<uint32_t>;
  case 8:
    return copy_plane<uint64_t>;
  default:
    return copy_plane<Item16>;
  }
}

void copy_flat(const Tensor& dst, const Tensor& src) {
  char* to = static_cast<char*>(dst.data());
  char* from = static_cast<char*>(src.data());
  auto to_item = static_cast<int64_t>(item_size(dst.dtype()));
  auto from_item = static_cast<int64_t>(item_size(src.dtype()));
  bool bytes = dst.dtype() == src.dtype();
  BlockLoop loop = bytes ? nullptr : cast_loop(dst.dtype(), src.dtype());
  parallel_for(0, dst.numel(), kGrain, [&](int64_t first, int64_t last) {
    char* data[2] = {to + first * to_item, from + first * from_item};
    if (bytes)
      std::memcpy(data[0], data[1], static_cast<size_t>((last - first) * to_item));
    else
      loop(data, last - first, nullptr);
  });
}

void copy_strided(const Tensor& dst, const Tensor& src) {
  Tensor written = dst;
  TensorIterator it = TensorIterator::build("copy_", {&written}, {dst.dtype()}, {&src}, false);
  if (dst.dtype() == src.dtype()) {
    return it.for_each(plane_copy(item_size(dst.dtype())));
  }
  BlockKernel kernel = {cast_loop(dst.dtype(), src.dtype()), 2, {}};
  kernel.item_sizes[0] = static_cast<int64_t>(item_size(dst.dtype()));
  kernel.item_sizes[1] = static_cast<int64_t>(item_size(src.dtype()));
  it.for_each([&](char* const* data, const int64_t* strides, int64_t size0, int64_t size1) {
    run_blocks(kernel, data, strides, size0, size1, nullptr);
  });
}

// Whether `src` is to be read first because writing to dst would change what is still to be read.
bool shares_memory(const Tensor& dst, const Tensor& src) {
  auto range = [](const Tensor& t) {
    int64_t extent = static_cast<int64_t>(item_size(t.dtype()));
    for (int64_t d = 0; d < t.dim(); ++d) {
      extent += (t.size(d) - 1) * t.stride(d) * static_cast<int64_t>(item_size(t.dtype()));
    }
    auto begin = reinterpret_cast<uintptr_t>(t.data());
    return std::pair(begin, begin + static_cast<uintptr_t>(extent));
  };
  auto [dst_begin, dst_end] = range(dst);
  auto [src_begin, src_end] = range(src);
  if (dst_end <= src_begin || src_end <= dst_begin) return false;
  return overlap_between(dst, src) != Overlap::None;
}

}  // namespace

void convert_elements(void* to, DType to_dtype, const void* from, DType from_dtype, int64_t count) {
  char* data[2] = {static_cast<char*>(to), static_cast<char*>(const_cast<void*>(from))};
  cast_loop(to_dtype, from_dtype)(data, count, nullptr);
}

void convert_element(void* to, DType to_dtype, const void* from, DType from_dtype) {
  convert_elements(to, to_dtype, from, from_dtype, 1);
}

void copy_into(const Tensor& dst, const Tensor& src) {
  if (dst.numel() == 0) {
    broadcast_shapes(dst.sizes(), src.sizes(), "copy_");
    return;
  }
  if (src.numel() != 0 && shares_memory(dst, src)) {
    bool same = dst.dtype() == src.dtype() && overlap_between(dst, src) == Overlap::Full;
    if (!same) copy_into(dst, cast(src, src.dtype()));
    return;
  }
  bool flat = dst.is_contiguous() && src.is_contiguous() && dst.sizes() == src.sizes();
  if (flat)
    copy_flat(dst, src);
  else
    copy_strided(dst, src);
}

Tensor cast(const Tensor& src, DType dtype) {
  Tensor result = src.is_contiguous() ? empty_tensor(src.sizes(), dtype, src.device(), "cast")
                                      : empty_strided_tensor(src.sizes(), preserved_strides(src),
                                                             dtype, src.device(), "cast");
  copy_into(result, src);
  return result;
}

Tensor contiguous_as(const Tensor& t, DType dtype) {
  if (t.is_contiguous() && t.dtype() == dtype) return t;
  Tensor result = empty_tensor(t.sizes(), dtype, t.device(), "contiguous");
  copy_into(result, t);
  return result;
}

}  // namespace ceph::kernels
