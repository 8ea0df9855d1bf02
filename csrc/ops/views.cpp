#include <algorithm>

#include "core/layout.h"
#include "generated/native/view.h"

// Views: new geometry over the same storage. None of these touches the heap for tensors of five
// dimensions and fewer (DimVector), and none reads an element.

namespace ceph::ops::impl {
namespace {

// a * b for strides; where that doesn't fit the tensor has no two elements along them, and any
// stride will do.
int64_t stride_product(int64_t a, int64_t b) {
  int64_t out;
  return __builtin_mul_overflow(a, b, &out) ? 1 : out;
}

// `offset + index * stride`, refused where it doesn't fit: only a tensor without elements can have
// such a stride.
int64_t moved_offset(const char* op, int64_t offset, int64_t index, int64_t stride) {
  int64_t step, moved;
  bool overflow = __builtin_mul_overflow(index, stride, &step) ||
                  __builtin_add_overflow(offset, step, &moved) || moved < 0;
  CEPH_CHECK(!overflow, ErrorKind::kRuntime, op, "the offset of the result must fit; got offset ",
             offset, " moved by ", index, " times the stride ", stride);
  return moved;
}

int64_t clamp_bound(int64_t bound, int64_t size) {
  if (bound < 0) bound += size;
  return bound < 0 ? 0 : bound > size ? size : bound;
}

// Stride of dimension `i` of an expanded tensor where `from` is the source's dimension, if any.
void check_expanded_size(const Tensor& self, IntArrayRef size, size_t i, int64_t from) {
  int64_t wanted = size[i];
  if (from < 0) {
    CEPH_CHECK(wanted >= 0, ErrorKind::kRuntime, "expand",
               "a leading size that the tensor does not have must be given; got ", wanted,
               " at dimension ", i, " of size ", size, " for a tensor of size ", self.sizes());
    return;
  }
  int64_t have = self.sizes()[static_cast<size_t>(from)];
  CEPH_CHECK(wanted == -1 || wanted == have || (have == 1 && wanted >= 0), ErrorKind::kRuntime,
             "expand", "a size may change only where it is 1; got size ", size,
             " for a tensor of size ", self.sizes(), ", which differ at dimension ", i);
}

}  // namespace

Tensor view(const Tensor& self, IntArrayRef size) {
  DimVector sizes = infer_size(size, self.numel(), "view");
  if (self.is_contiguous()) {
    return view_of(self, sizes, contiguous_strides(sizes), self.storage_offset());
  }
  std::optional<DimVector> strides = view_strides(self.sizes(), self.strides(), sizes);
  CEPH_CHECK(strides, ErrorKind::kRuntime, "view", "size and strides must allow a view; got size ",
             IntArrayRef(sizes), " for a tensor of size ", self.sizes(), " and strides ",
             self.strides(), "; use reshape, which copies where it must");
  return view_of(self, sizes, *strides, self.storage_offset());
}

Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  size_t a = static_cast<size_t>(wrap_dim(dim0, self.dim(), "transpose"));
  size_t b = static_cast<size_t>(wrap_dim(dim1, self.dim(), "transpose"));
  DimVector sizes = self.sizes(), strides = self.strides();
  if (a != b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return view_of(self, sizes, strides, self.storage_offset());
}

Tensor t(const Tensor& self) {
  CEPH_CHECK(self.dim() <= 2, ErrorKind::kRuntime, "t",
             "expected a tensor of at most 2 dimensions; got ", self.dim(), " (size ", self.sizes(),
             "); use transpose or permute");
  return self.dim() == 2 ? transpose(self, 0, 1) : detach(self);
}

Tensor permute(const Tensor& self, IntArrayRef dims) {
  size_t rank = self.sizes().size();
  CEPH_CHECK(dims.size() == rank, ErrorKind::kRuntime, "permute",
             "every dimension must be named once; got ", dims.size(), " of them, ", dims,
             ", for a tensor of ", rank, " dimensions");
  DimVector sizes(rank), strides(rank), seen(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    size_t d = static_cast<size_t>(wrap_dim(dims[i], self.dim(), "permute"));
    CEPH_CHECK(!seen[d], ErrorKind::kRuntime, "permute",
               "every dimension must be named once; got dimension ", d, " twice in ", dims);
    seen[d] = 1;
    sizes[i] = self.sizes()[d];
    strides[i] = self.strides()[d];
  }
  return view_of(self, sizes, strides, self.storage_offset());
}

Tensor expand(const Tensor& self, IntArrayRef size, bool) {
  size_t rank = size.size(), have = self.sizes().size();
  CEPH_CHECK(rank >= have, ErrorKind::kRuntime, "expand",
             "there must be a size for every dimension of the tensor; got size ", size,
             " for a tensor of size ", self.sizes());
  DimVector sizes(rank), strides(rank);
  for (size_t i = rank; i-- > 0;) {
    int64_t from = static_cast<int64_t>(i) - static_cast<int64_t>(rank - have);
    check_expanded_size(self, size, i, from);
    // A dimension that is new has, before it grows, the stride that unsqueeze would give it.
    int64_t before = from >= 0 ? self.sizes()[static_cast<size_t>(from)] : 1;
    int64_t stride = from >= 0      ? self.strides()[static_cast<size_t>(from)]
                     : i + 1 < rank ? stride_product(sizes[i + 1], strides[i + 1])
                                    : 1;
    sizes[i] = size[i] == -1 ? before : size[i];
    strides[i] = sizes[i] == before ? stride : 0;
  }
  checked_numel(sizes, "expand");
  return view_of(self, sizes, strides, self.storage_offset());
}

Tensor select(const Tensor& self, int64_t dim, int64_t index) {
  CEPH_CHECK(self.dim() > 0, ErrorKind::kIndex, "select",
             "a tensor without dimensions can't be indexed by a number; use item()");
  size_t d = static_cast<size_t>(wrap_dim(dim, self.dim(), "select"));
  int64_t size = self.sizes()[d];
  CEPH_CHECK(index >= -size && index < size, ErrorKind::kIndex, "select", "index ", index,
             " is out of range for dimension ", d, " of size ", size, " (tensor of size ",
             self.sizes(), ")");
  DimVector sizes = self.sizes(), strides = self.strides();
  int64_t offset =
      moved_offset("select", self.storage_offset(), index < 0 ? index + size : index, strides[d]);
  sizes.erase(d);
  strides.erase(d);
  return view_of(self, sizes, strides, offset);
}

Tensor slice(const Tensor& self, int64_t dim, std::optional<int64_t> start,
             std::optional<int64_t> end, int64_t step) {
  CEPH_CHECK(self.dim() > 0, ErrorKind::kIndex, "slice",
             "a tensor without dimensions can't be sliced");
  size_t d = static_cast<size_t>(wrap_dim(dim, self.dim(), "slice"));
  CEPH_CHECK(step > 0, ErrorKind::kValue, "slice", "step must be greater than zero; got ", step,
             "; use flip for the reverse order");
  DimVector sizes = self.sizes(), strides = self.strides();
  int64_t size = sizes[d];
  int64_t first = start ? clamp_bound(*start, size) : 0;
  int64_t last = end ? clamp_bound(*end, size) : size;
  if (last < first) last = first;
  int64_t offset = moved_offset("slice", self.storage_offset(), first, strides[d]);
  sizes[d] = (last - first) / step + ((last - first) % step != 0);
  strides[d] = stride_product(strides[d], step);
  return view_of(self, sizes, strides, offset);
}

Tensor squeeze(const Tensor& self, int64_t dim) {
  size_t d = static_cast<size_t>(wrap_dim(dim, self.dim(), "squeeze"));
  DimVector sizes = self.sizes(), strides = self.strides();
  if (self.dim() > 0 && sizes[d] == 1) {
    sizes.erase(d);
    strides.erase(d);
  }
  return view_of(self, sizes, strides, self.storage_offset());
}

Tensor unsqueeze(const Tensor& self, int64_t dim) {
  size_t d = static_cast<size_t>(wrap_dim(dim, self.dim() + 1, "unsqueeze"));
  DimVector sizes = self.sizes(), strides = self.strides();
  int64_t stride = d < sizes.size() ? stride_product(sizes[d], strides[d]) : 1;
  sizes.insert(d, 1);
  strides.insert(d, stride);
  return view_of(self, sizes, strides, self.storage_offset());
}

Tensor as_strided(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                  std::optional<int64_t> storage_offset) {
  const char* op = "as_strided";
  CEPH_CHECK(size.size() == stride.size(), ErrorKind::kRuntime, op,
             "size and stride must have the same length; got size ", size, " and stride ", stride);
  for (size_t i = 0; i < size.size(); ++i) {
    CEPH_CHECK(size[i] >= 0 && stride[i] >= 0, ErrorKind::kRuntime, op,
               "sizes and strides must not be negative; got size ", size, " and stride ", stride);
  }
  int64_t offset = storage_offset.value_or(self.storage_offset());
  CEPH_CHECK(offset >= 0, ErrorKind::kRuntime, op, "storage_offset must not be negative; got ",
             offset);
  if (checked_numel(size, op) > 0 && self->has_storage()) {
    size_t needed = checked_nbytes(size, stride, offset, self.dtype(), op);
    size_t have = self->storage()->nbytes();
    CEPH_CHECK(needed <= have, ErrorKind::kRuntime, op, "the result must lie in the storage; size ",
               size, ", stride ", stride, " and offset ", offset, " need ", needed,
               " bytes, but it has ", have);
  }
  return view_of(self, size, stride, offset);
}

Tensor detach(const Tensor& self) {
  return view_of(self, self.sizes(), self.strides(), self.storage_offset());
}

Tensor squeeze_all(const Tensor& self) {
  DimVector sizes, strides;
  for (size_t d = 0; d < self.sizes().size(); ++d) {
    if (self.sizes()[d] == 1) continue;
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  return view_of(self, sizes, strides, self.storage_offset());
}

Tensor squeeze_dims(const Tensor& self, IntArrayRef dim) {
  DimVector named(std::max<size_t>(self.sizes().size(), 1), 0);
  for (int64_t one : dim) {
    size_t d = static_cast<size_t>(wrap_dim(one, self.dim(), "squeeze"));
    CEPH_CHECK(!named[d], ErrorKind::kRuntime, "squeeze",
               "every dimension may be named once; got dimension ", d, " twice in ", dim);
    named[d] = 1;
  }
  DimVector sizes, strides;
  for (size_t d = 0; d < self.sizes().size(); ++d) {
    if (named[d] && self.sizes()[d] == 1) continue;
    sizes.push_back(self.sizes()[d]);
    strides.push_back(self.strides()[d]);
  }
  return view_of(self, sizes, strides, self.storage_offset());
}

Tensor diagonal(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const char* op = "diagonal";
  size_t row = static_cast<size_t>(wrap_dim(dim1, self.dim(), op));
  size_t column = static_cast<size_t>(wrap_dim(dim2, self.dim(), op));
  CEPH_CHECK(row != column, ErrorKind::kRuntime, op, "dim1 and dim2 must differ; got ", dim1,
             " and ", dim2, " for a tensor of size ", self.sizes());
  DimVector sizes = self.sizes(), strides = self.strides();
  // Along the diagonal both places grow; it begins `offset` columns in, or -offset rows down.
  int64_t length = offset >= 0 ? std::min(sizes[row], sizes[column] - offset)
                               : std::min(sizes[row] + offset, sizes[column]);
  length = std::max<int64_t>(length, 0);
  int64_t start = self.storage_offset();
  if (length > 0) {
    start = offset >= 0 ? moved_offset(op, start, offset, strides[column])
                        : moved_offset(op, start, -offset, strides[row]);
  }
  int64_t stride;
  bool overflow = __builtin_add_overflow(strides[row], strides[column], &stride);
  for (size_t d : {std::max(row, column), std::min(row, column)}) {
    sizes.erase(d);
    strides.erase(d);
  }
  sizes.push_back(length);
  strides.push_back(overflow ? 1 : stride);  // only what has no two elements has such strides
  return view_of(self, sizes, strides, start);
}

Tensor unfold(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  const char* op = "unfold";
  size_t d = static_cast<size_t>(wrap_dim(dimension, self.dim(), op));
  DimVector sizes = self.sizes(), strides = self.strides();
  int64_t have = sizes.empty() ? 1 : sizes[d];
  CEPH_CHECK(size >= 0 && size <= have, ErrorKind::kRuntime, op,
             "a window must lie inside the dimension; got size ", size, " for dimension ", d,
             " of size ", have);
  CEPH_CHECK(step > 0, ErrorKind::kRuntime, op, "step must be greater than zero; got ", step);
  int64_t inner = sizes.empty() ? 1 : strides[d];
  if (!sizes.empty()) {
    sizes[d] = (have - size) / step + 1;
    strides[d] = stride_product(inner, step);
  }
  sizes.push_back(size);
  strides.push_back(inner);
  return view_of(self, sizes, strides, self.storage_offset());
}

// ---- lists of views

namespace {

// The part of dimension d from `first` on, of the given length.
Tensor part(const char* op, const Tensor& self, size_t d, int64_t first, int64_t length) {
  DimVector sizes = self.sizes();
  sizes[d] = length;
  int64_t offset = moved_offset(op, self.storage_offset(), first, self.strides()[d]);
  return view_of(self, sizes, self.strides(), offset);
}

size_t split_dim(const char* op, const Tensor& self, int64_t dim) {
  CEPH_CHECK(self.dim() > 0, ErrorKind::kRuntime, op,
             "a tensor without dimensions can't be split; unsqueeze it first");
  return static_cast<size_t>(wrap_dim(dim, self.dim(), op));
}

// Parts of one length, the last perhaps shorter; at least one.
std::vector<Tensor> parts(const char* op, const Tensor& self, size_t d, int64_t length) {
  std::vector<Tensor> result;
  int64_t size = self.sizes()[d], first = 0;
  do {
    int64_t now = std::min(length, size - first);
    result.push_back(part(op, self, d, first, now));
    first += now;
  } while (first < size);
  return result;
}

}  // namespace

std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim) {
  const char* op = "split";
  size_t d = split_dim(op, self, dim);
  int64_t size = self.sizes()[d];
  CEPH_CHECK(split_size > 0 || (split_size == 0 && size == 0), ErrorKind::kRuntime, op,
             "split_size must be greater than zero; got ", split_size, " for dimension ", d,
             " of size ", size);
  return parts(op, self, d, split_size);
}

std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim) {
  const char* op = "split_with_sizes";
  size_t d = split_dim(op, self, dim);
  int64_t size = self.sizes()[d], total = 0;
  for (int64_t length : split_sizes) {
    bool overflow = __builtin_add_overflow(total, length, &total);
    CEPH_CHECK(length >= 0 && !overflow, ErrorKind::kRuntime, op,
               "sizes must not be negative and their sum must fit; got ", split_sizes);
  }
  CEPH_CHECK(total == size, ErrorKind::kRuntime, op, "sizes must add up to the size ", size,
             " of dimension ", d, "; got ", split_sizes, ", which make ", total);
  std::vector<Tensor> result;
  int64_t first = 0;
  for (int64_t length : split_sizes) {
    result.push_back(part(op, self, d, first, length));
    first += length;
  }
  return result;
}

std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  const char* op = "chunk";
  size_t d = split_dim(op, self, dim);
  CEPH_CHECK(chunks > 0, ErrorKind::kRuntime, op, "chunks must be greater than zero; got ", chunks);
  int64_t size = self.sizes()[d];
  if (size > 0) return parts(op, self, d, size / chunks + (size % chunks != 0));
  // Of nothing there are as many parts as are asked for.
  constexpr int64_t kMost = int64_t(1) << 24;
  CEPH_CHECK(chunks <= kMost, ErrorKind::kRuntime, op, "there may be ", kMost,
             " parts of an empty dimension; got chunks ", chunks);
  return std::vector<Tensor>(static_cast<size_t>(chunks), detach(self));
}

std::vector<Tensor> unbind(const Tensor& self, int64_t dim) {
  CEPH_CHECK(self.dim() > 0, ErrorKind::kIndex, "unbind",
             "a tensor without dimensions has nothing to unbind");
  size_t d = static_cast<size_t>(wrap_dim(dim, self.dim(), "unbind"));
  DimVector sizes = self.sizes(), strides = self.strides();
  sizes.erase(d);
  strides.erase(d);
  std::vector<Tensor> result;
  for (int64_t i = 0; i < self.sizes()[d]; ++i) {
    int64_t offset = moved_offset("unbind", self.storage_offset(), i, self.strides()[d]);
    result.push_back(view_of(self, sizes, strides, offset));
  }
  return result;
}

}  // namespace ceph::ops::impl
