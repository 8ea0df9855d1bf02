#include "generated/kernels/index.h"

#include <cstring>

#include "core/tensor_iterator.h"
#include "kernels/copy.h"
#include "kernels/cpu/index_transfer.h"
#include "kernels/cpu/representable.h"

// Reads and writes at computed places. Every index is checked before the first write.

namespace ceph::kernels {
namespace {

// A tensor without dimensions counts as one of one dimension.
Tensor at_least_1d(const Tensor& t) {
  return t.dim() > 0 ? t : view_of(t, {int64_t(1)}, {int64_t(1)}, t.storage_offset());
}

void check_index_dtype(const char* op, const Tensor& index) {
  CEPH_CHECK(index.dtype() == DType::Int64 || index.dtype() == DType::Int32, ErrorKind::kRuntime,
             op, "index must be int32 or int64; got ", name_of(index.dtype()));
}

// Refuses, with this kind of error, an index outside [0, size).
void check_range(const char* op, ErrorKind kind, const Tensor& index, int64_t dim, int64_t size) {
  if (index.numel() == 0) return;
  int64_t item = static_cast<int64_t>(item_size(index.dtype()));
  DimVector strides(index.sizes().size());
  for (size_t d = 0; d < strides.size(); ++d) strides[d] = index.strides()[d] * item;
  IntArrayRef all[] = {strides};
  char* data = static_cast<char*>(index.data());
  auto it = TensorIterator::over(index.sizes(), data, ArrayRef<IntArrayRef>(all, 1));
  it.for_each([&](char* const* at, const int64_t* s, int64_t n0, int64_t n1) {
    for (int64_t j = 0; j < n1; ++j) {
      for (int64_t i = 0; i < n0; ++i) {
        int64_t v = load_index(index.dtype(), at[0] + i * s[0] + j * s[1]);
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

template <class T, class I>
void gather_loop(char* const* at, const int64_t* s, int64_t n0, int64_t n1, int64_t step) {
  for (int64_t j = 0; j < n1; ++j) {
    char *out = at[0] + j * s[3], *index = at[1] + j * s[4], *self = at[2] + j * s[5];
    for (int64_t i = 0; i < n0; ++i) {
      int64_t k = *reinterpret_cast<const I*>(index + i * s[1]);
      std::memcpy(out + i * s[0], self + i * s[2] + k * step, sizeof(T));
    }
  }
}

template <class T>
void gather_items(const TensorIterator& it, DType index_dtype, int64_t step) {
  it.for_each([&](char* const* at, const int64_t* s, int64_t n0, int64_t n1) {
    if (index_dtype == DType::Int32) {
      gather_loop<T, int32_t>(at, s, n0, n1, step);
    } else {
      gather_loop<T, int64_t>(at, s, n0, n1, step);
    }
  });
}

struct Item16 {
  uint64_t words[2];
};

// Calls body(T()) for a plain type of the size of an element.
template <class F>
void with_item(DType dtype, F&& body) {
  switch (item_size(dtype)) {
  case 1:
    return body(uint8_t());
  case 2:
    return body(uint16_t());
  case 4:
    return body(uint32_t());
  case 8:
    return body(uint64_t());
  default:
    return body(Item16());
  }
}

// The bytes of `value` as an element of `dtype`, at the front.
Item16 bytes_of(const char* op, const Scalar& value, DType dtype) {
  Item16 bytes{};
  switch (dtype) {
#define CEPH_CASE(name, type, text)                                                                \
  case DType::name: {                                                                              \
    type v = value.to<type>(op);                                                                   \
    std::memcpy(bytes.words, &v, sizeof(type));                                                    \
    return bytes;                                                                                  \
  }
    CEPH_FORALL_DTYPES(CEPH_CASE)
#undef CEPH_CASE
  }
  fail(ErrorKind::kInternal, op, "unknown dtype");
}

template <class T>
void masked_fill_items(const TensorIterator& it, T value) {
  it.for_each([&](char* const* at, const int64_t* s, int64_t n0, int64_t n1) {
    for (int64_t j = 0; j < n1; ++j) {
      char *self = at[0] + j * s[2], *mask = at[1] + j * s[3];
      for (int64_t i = 0; i < n0; ++i) {
        if (mask[i * s[1]]) std::memcpy(self + i * s[0], &value, sizeof(T));
      }
    }
  });
}

void check_written(const char* op, const Tensor& self) {
  CEPH_CHECK(!overlaps_itself(self), ErrorKind::kRuntime, op, "several elements of self (size ",
             self.sizes(), ", strides ", self.strides(), ") lie in one place; clone it first");
}

void check_apart(const char* op, const Tensor& self, const Tensor& other, const char* name) {
  CEPH_CHECK(overlap_between(self, other) == Overlap::None, ErrorKind::kRuntime, op, "self and ",
             name, " share some of their memory; clone ", name, " first");
}

// `source` broadcast to `sizes`, which it must fit.
Tensor expanded(const char* op, const char* name, const Tensor& source, IntArrayRef sizes) {
  IntArrayRef have = source.sizes();
  size_t rank = sizes.size(), skip = rank - std::min(rank, have.size());
  bool fits = have.size() <= rank;
  DimVector strides(rank, 0);
  for (size_t d = skip; fits && d < rank; ++d) {
    fits = have[d - skip] == sizes[d] || have[d - skip] == 1;
    if (have[d - skip] != 1) strides[d] = source.strides()[d - skip];
  }
  CEPH_CHECK(fits, ErrorKind::kRuntime, op, name, " must broadcast to what is written; got ", name,
             " ", have, " for ", sizes);
  return view_of(source, sizes, strides, source.storage_offset());
}

}  // namespace

void index_put(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate) {
  const char* op = "index_put";
  CEPH_CHECK(values.dtype() == self.dtype(), ErrorKind::kRuntime, op,
             "values must have self's dtype; got self ", name_of(self.dtype()), " and values ",
             name_of(values.dtype()), "; convert values first");
  check_written(op, self);
  check_apart(op, self, values, "values");
  for (const Tensor& index : indices) {
    if (index.defined()) check_apart(op, self, index, "an index");
  }
  IndexPlan plan = plan_index(op, self, indices);
  Tensor dense = expanded(op, "values", values, plan.dims.sizes);
  bool narrow = self.dtype() == DType::Float16 || self.dtype() == DType::BFloat16;
  if (!accumulate || !narrow) {
    transfer(accumulate ? Transfer::kAccumulate : Transfer::kWrite, plan, self, dense);
    return;
  }
  // Sums of many terms are kept in float32 and rounded once.
  Tensor wide = cast(self, DType::Float32);
  transfer(Transfer::kAccumulate, plan_index(op, wide, indices), wide,
           expanded(op, "values", cast(values, DType::Float32), plan.dims.sizes));
  copy_into(self, wide);
}

void index_select(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& out) {
  const char* op = "index_select";
  check_index_dtype(op, index);
  int64_t d = wrap_dim(dim, self.dim(), op);
  Tensor from = at_least_1d(self), line = at_least_1d(index);
  check_range(op, ErrorKind::kIndex, line, d, from.size(d));
  std::vector<Tensor> indices(static_cast<size_t>(d));
  indices.push_back(line);
  transfer(Transfer::kRead, plan_index(op, from, indices), from, at_least_1d(out));
}

void gather(const Tensor& self, int64_t dim, const Tensor& index, bool, const Tensor& out) {
  const char* op = "gather";
  check_index_dtype(op, index);
  size_t d = static_cast<size_t>(wrap_dim(dim, self.dim(), op));
  Tensor from = at_least_1d(self), at = at_least_1d(index), to = at_least_1d(out);
  if (at.numel() == 0) return;
  check_range(op, ErrorKind::kRuntime, at, static_cast<int64_t>(d), from.size(d));
  DimVector out_strides = byte_strides(to), index_strides = byte_strides(at);
  DimVector self_strides = byte_strides(from);
  int64_t step = self_strides[d];
  self_strides[d] = 0;
  char* data[] = {static_cast<char*>(to.data()), static_cast<char*>(at.data()),
                  static_cast<char*>(from.data())};
  IntArrayRef strides[] = {out_strides, index_strides, self_strides};
  auto it =
      TensorIterator::over(at.sizes(), ArrayRef<char*>(data, 3), ArrayRef<IntArrayRef>(strides, 3));
  with_item(self.dtype(),
            [&](auto item) { gather_items<decltype(item)>(it, index.dtype(), step); });
}

void masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  const char* op = "masked_fill";
  CEPH_CHECK(mask.dtype() == DType::Bool, ErrorKind::kRuntime, op,
             "mask must be a bool tensor; got ", name_of(mask.dtype()),
             "; compare it with zero first");
  check_written(op, self);
  CEPH_CHECK(overlap_between(self, mask) != Overlap::Partial, ErrorKind::kRuntime, op,
             "self and mask share some of their memory; clone mask first");
  check_representable(op, "value", value, self.dtype());
  Item16 bytes = bytes_of(op, value, self.dtype());
  Tensor aligned = expanded(op, "mask", mask, self.sizes());
  if (self.numel() == 0) return;
  DimVector self_strides = byte_strides(self), mask_strides = byte_strides(aligned);
  char* data[] = {static_cast<char*>(self.data()), static_cast<char*>(aligned.data())};
  IntArrayRef strides[] = {self_strides, mask_strides};
  auto it = TensorIterator::over(self.sizes(), ArrayRef<char*>(data, 2),
                                 ArrayRef<IntArrayRef>(strides, 2));
  with_item(self.dtype(), [&](auto item) {
    std::memcpy(&item, bytes.words, sizeof(item));
    masked_fill_items(it, item);
  });
}

void cat(TensorList tensors, int64_t dim, const Tensor& out) {
  int64_t d = wrap_dim(dim, out.dim(), "cat"), at = 0;
  for (const Tensor& t : tensors) {
    bool skipped = t.dim() == 1 && t.numel() == 0 && out.dim() != 1;  // the old empty tensor
    if (skipped) continue;
    copy_into(view_of(out, t.sizes(), out.strides(), out.storage_offset() + at * out.stride(d)), t);
    at += t.size(d);
  }
}

}  // namespace ceph::kernels
