#include "generated/kernels/index.h"

#include <cstring>

#include "core/tensor_iterator.h"
#include "kernels/copy.h"
#include "kernels/cpu/combine.h"
#include "kernels/cpu/index_lines.h"
#include "kernels/cpu/index_transfer.h"
#include "kernels/cpu/representable.h"
#include "kernels/fill.h"
#include "kernels/inspect.h"

// Reads and writes at computed places. Every index is checked before the first write.

namespace ceph::kernels {
namespace {

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

Tensor cast_contiguous(const char* op, const Tensor& t) {
  Tensor packed = empty_tensor(t.sizes(), t.dtype(), t.device(), op);
  copy_into(packed, t);
  return packed;
}

// Element by element; the index is checked, and all have one dimension at least.
void gather_checked(const Tensor& from, size_t dim, const Tensor& index, const Tensor& to) {
  with_item(from.dtype(), [&](auto item) {
    using T = decltype(item);
    auto copy = [](const char* source, char* target) { std::memcpy(target, source, sizeof(T)); };
    for_each_run(index, dim, from, to, [&](const Run& run) {
      if (index.dtype() == DType::Int32) {
        each_place<T, int32_t>(run, copy);
      } else {
        each_place<T, int64_t>(run, copy);
      }
    });
  });
}

// The places counted from the front, in int64.
Tensor from_the_front(const char* op, const Tensor& index, int64_t dim, int64_t size) {
  Tensor places = cast(index, DType::Int64);
  Tensor flat = places.is_contiguous() ? places : cast_contiguous(op, places);
  int64_t* at = flat.data_as<int64_t>();
  parallel_for(0, flat.numel(), kGrain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      CEPH_CHECK(at[i] >= -size && at[i] < size, ErrorKind::kIndex, op, "index ", at[i],
                 " is out of range for dimension ", dim, " of size ", size);
      if (at[i] < 0) at[i] += size;
    }
  });
  return flat;
}

// `self` in row-major order is one line, of which negative places count from the end.
void take_from_line(const char* op, const Tensor& self, const Tensor& index, const Tensor& out) {
  Tensor packed = self.is_contiguous() ? self : cast_contiguous(op, self);
  Tensor line = view_of(packed, {self.numel()}, {int64_t(1)}, packed.storage_offset());
  transfer(Transfer::kRead, plan_index(op, line, {index}), line, out);
}

// The terms of index_add, multiplied.
template <class T>
void multiply(const Tensor& terms, T alpha) {
  T* at = terms.data_as<T>();
  parallel_for(0, terms.numel(), kGrain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) at[i] = Product<T>::of(at[i], alpha);
  });
}

Tensor scaled(const char* op, const Tensor& source, const Scalar& alpha) {
  if (alpha.equals(Scalar(int64_t(1)))) return source;
  Tensor terms = cast_contiguous(op, source);
  switch (terms.dtype()) {
#define CEPH_CASE(name, type)                                                                      \
  case DType::name:                                                                                \
    multiply<type>(terms, alpha.to<type>(op));                                                     \
    return terms;
    CEPH_CASE(Bool, bool)
    CEPH_CASE(UInt8, uint8_t)
    CEPH_CASE(Int8, int8_t)
    CEPH_CASE(Int16, int16_t)
    CEPH_CASE(Int32, int32_t)
    CEPH_CASE(Int64, int64_t)
    CEPH_CASE(Float32, float)
    CEPH_CASE(Float64, double)
    CEPH_CASE(Complex64, std::complex<float>)
    CEPH_CASE(Complex128, std::complex<double>)
#undef CEPH_CASE
  default:
    fail(ErrorKind::kInternal, op, "unknown dtype");
  }
}

template <class T>
void move_items(const TensorIterator& it) {
  it.for_each([](char* const* at, const int64_t* s, int64_t n0, int64_t n1) {
    for (int64_t j = 0; j < n1; ++j) {
      char *to = at[0] + j * s[2], *from = at[1] + j * s[3];
      for (int64_t i = 0; i < n0; ++i) std::memcpy(to + i * s[0], from + i * s[1], sizeof(T));
    }
  });
}

// Zeros above the diagonal of every matrix, or below it.
void clear_triangle(const char* op, const Tensor& self, int64_t diagonal, bool above) {
  CEPH_CHECK(self.dim() >= 2, ErrorKind::kRuntime, op,
             "self must have at least two dimensions; got self ", self.sizes());
  if (self.numel() == 0) return;
  const int64_t rows = self.size(-2), columns = self.size(-1);
  const int64_t shift = std::clamp(diagonal, -rows, columns);
  DimVector sizes = self.sizes(), strides = byte_strides(self);
  const int64_t step = strides.back(), row_step = strides[strides.size() - 2];
  const auto item = static_cast<size_t>(item_size(self.dtype()));
  sizes.resize(sizes.size() - 2);
  strides.resize(strides.size() - 2);
  int64_t matrices = self.numel() / (rows * columns);
  parallel_for(0, matrices * rows, std::max<int64_t>(1, kGrain / columns),
               [&](int64_t first, int64_t last) {
                 for (int64_t line = first; line < last; ++line) {
                   int64_t row = line % rows, rest = line / rows;
                   char* at = static_cast<char*>(self.data()) + row * row_step;
                   for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) {
                     at += rest % sizes[d] * strides[d];
                   }
                   // The first place right of what tril keeps, and of what triu clears.
                   int64_t edge = std::clamp<int64_t>(row + shift + (above ? 1 : 0), 0, columns);
                   int64_t begin = above ? edge : 0, end = above ? columns : edge;
                   if (step == static_cast<int64_t>(item)) {
                     std::memset(at + begin * step, 0, static_cast<size_t>(end - begin) * item);
                     continue;
                   }
                   for (int64_t i = begin; i < end; ++i) std::memset(at + i * step, 0, item);
                 }
               });
}

// Whole slices of self along one dimension, by a vector of their places.
struct Lines {
  Tensor self, line;
  size_t dim;

  Lines(const char* op, const Tensor& to, int64_t along, const Tensor& index)
      : self(at_least_1d(to)), line(at_least_1d(index)),
        dim(static_cast<size_t>(wrap_dim(along, to.dim(), op))) {
    check_index_dtype(op, index);
    CEPH_CHECK(line.dim() == 1, ErrorKind::kIndex, op, "index must be a vector; got index ",
               index.sizes(), ", flatten it");
  }

  // `source` has a slice for each place; places don't count from the end.
  void check(const char* op, const Tensor& index, const Tensor& source) const {
    CEPH_CHECK(source.dtype() == self.dtype(), ErrorKind::kRuntime, op,
               "the source must have self's dtype; got self ", name_of(self.dtype()),
               " and source ", name_of(source.dtype()), "; convert the source first");
    DimVector wanted = self.sizes();
    wanted[dim] = line.numel();
    CEPH_CHECK(at_least_1d(source).sizes() == IntArrayRef(wanted), ErrorKind::kRuntime, op,
               "the source must have a slice of self for each index; got self ", self.sizes(),
               ", dim ", dim, ", index ", index.sizes(), " and source ", source.sizes());
    check_range(op, ErrorKind::kIndex, line, static_cast<int64_t>(dim), self.sizes()[dim]);
  }

  IndexPlan plan(const char* op, const Tensor& target) const {
    std::vector<Tensor> indices(dim);
    indices.push_back(line);
    return plan_index(op, target, indices);
  }
};

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
  Lines lines(op, self, dim, index);
  int64_t size = lines.self.size(static_cast<int64_t>(lines.dim));
  check_range(op, ErrorKind::kIndex, lines.line, static_cast<int64_t>(lines.dim), size);
  transfer(Transfer::kRead, lines.plan(op, lines.self), lines.self, at_least_1d(out));
}

void gather(const Tensor& self, int64_t dim, const Tensor& index, bool, const Tensor& out) {
  const char* op = "gather";
  check_index_dtype(op, index);
  size_t d = static_cast<size_t>(wrap_dim(dim, self.dim(), op));
  Tensor from = at_least_1d(self), at = at_least_1d(index), to = at_least_1d(out);
  if (at.numel() == 0) return;
  check_range(op, ErrorKind::kRuntime, at, static_cast<int64_t>(d), from.size(d));
  gather_checked(from, d, at, to);
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

void masked_fill_tensor(const Tensor& self, const Tensor& mask, const Tensor& value) {
  CEPH_CHECK(value.dim() == 0, ErrorKind::kRuntime, "masked_fill",
             "value must be a number or a tensor without dimensions; got value ", value.sizes());
  masked_fill(self, mask, number_in(value));
}

void index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
               const Scalar& alpha) {
  const char* op = "index_add";
  Lines lines(op, self, dim, index);
  lines.check(op, index, source);
  check_representable(op, "alpha", alpha, self.dtype());
  bool narrow = self.dtype() == DType::Float16 || self.dtype() == DType::BFloat16;
  Tensor sum = narrow ? cast(lines.self, DType::Float32) : lines.self;
  Tensor terms = scaled(op, narrow ? cast(source, DType::Float32) : source, alpha);
  transfer(Transfer::kAccumulate, lines.plan(op, sum), sum, at_least_1d(terms));
  if (narrow) copy_into(lines.self, sum);
}

void index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  const char* op = "index_copy";
  Lines lines(op, self, dim, index);
  lines.check(op, index, source);
  transfer(Transfer::kWrite, lines.plan(op, lines.self), lines.self, at_least_1d(source));
}

void index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  const char* op = "index_fill";
  Lines lines(op, self, dim, index);
  check_representable(op, "value", value, self.dtype());
  IndexPlan plan = lines.plan(op, lines.self);  // counts negative places from the end
  Tensor number = empty_tensor({}, self.dtype(), DeviceKind::CPU, op);
  fill(op, number, value);
  transfer(Transfer::kWrite, plan, lines.self, expanded(op, "value", number, plan.dims.sizes));
}

void index_fill_tensor(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  CEPH_CHECK(value.dim() == 0, ErrorKind::kRuntime, "index_fill",
             "value must be a number or a tensor without dimensions; got value ", value.sizes());
  index_fill(self, dim, index, number_in(value));
}

void embedding(const Tensor& weight, const Tensor& indices, int64_t, bool, bool,
               const Tensor& out) {
  const char* op = "embedding";
  check_index_dtype(op, indices);
  check_range(op, ErrorKind::kIndex, indices, 0, weight.size(0));
  transfer(Transfer::kRead, plan_index(op, weight, {indices}), weight, out);
}

void take(const Tensor& self, const Tensor& index, const Tensor& out) {
  check_index_dtype("take", index);
  take_from_line("take", self, index, out);
}

void take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim,
                    const Tensor& out) {
  const char* op = "take_along_dim";
  check_index_dtype(op, indices);
  if (!dim) {
    Tensor flat = view_of(cast_contiguous(op, indices), {indices.numel()}, {int64_t(1)}, 0);
    return take_from_line(op, self, flat, out);
  }
  size_t d = static_cast<size_t>(wrap_dim(*dim, self.dim(), op));
  DimVector sizes = out.sizes();
  sizes[d] = self.sizes()[d];
  Tensor places = from_the_front(op, indices, static_cast<int64_t>(d), sizes[d]);
  if (out.numel() == 0) return;
  gather_checked(expanded(op, "self", self, sizes), d, expanded(op, "indices", places, out.sizes()),
                 out);
}

// Read backwards: from the last place of each flipped dimension on, with its stride negated.
void flip(const Tensor& self, IntArrayRef dims, const Tensor& out) {
  if (out.numel() == 0) return;
  DimVector from_strides = byte_strides(self), to_strides = byte_strides(out);
  char* from = static_cast<char*>(self.data());
  for (int64_t dim : dims) {
    if (self.dim() == 0) continue;
    size_t d = static_cast<size_t>(wrap_dim(dim, self.dim(), "flip"));
    from += (self.sizes()[d] - 1) * from_strides[d];
    from_strides[d] = -from_strides[d];
  }
  char* data[] = {static_cast<char*>(out.data()), from};
  IntArrayRef strides[] = {to_strides, from_strides};
  auto it = TensorIterator::over(out.sizes(), ArrayRef<char*>(data, 2),
                                 ArrayRef<IntArrayRef>(strides, 2));
  with_item(self.dtype(), [&](auto item) { move_items<decltype(item)>(it); });
}

void tril(const Tensor& self, int64_t diagonal) { clear_triangle("tril", self, diagonal, true); }

void triu(const Tensor& self, int64_t diagonal) { clear_triangle("triu", self, diagonal, false); }

}  // namespace ceph::kernels
