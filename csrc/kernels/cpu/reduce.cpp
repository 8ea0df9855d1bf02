#include "kernels/cpu/reduce_fold.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>

#include "core/layout.h"
#include "core/tensor_iterator.h"
#include "generated/kernels/reduce.h"
#include "kernels/copy.h"
#include "kernels/fill.h"

namespace ceph::kernels {

namespace {

using Flags = SmallVector<uint8_t, 8>;

Flags all_dims(const Tensor& self) { return Flags(static_cast<size_t>(self.dim()), true); }

// No dimension listed means all of them.
Flags listed_dims(const char* op, const Tensor& self, IntArrayRef dims) {
  if (dims.empty()) return all_dims(self);
  Flags flags(static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), false);
  for (int64_t d : dims) flags[static_cast<size_t>(wrap_dim(d, self.dim(), op))] = true;
  flags.resize(static_cast<size_t>(self.dim()));
  return flags;
}

int64_t term_count(const Tensor& self, const Flags& reduced) {
  int64_t count = 1;
  for (size_t d = 0; d < reduced.size(); ++d) {
    if (reduced[d]) count *= self.sizes()[d];
  }
  return count;
}

// The dtype that terms are folded in: float for half types, int64 for integers.
DType compute_dtype(DType result) {
  if (is_integral(result, true)) return DType::Int64;
  bool reduced = is_floating(result) && item_size(result) < 4;
  return reduced ? DType::Float32 : result;
}

template <class T>
void divide(void* sums, int64_t count, int64_t terms) {
  for (int64_t i = 0; i < count; ++i) static_cast<T*>(sums)[i] /= static_cast<T>(terms);
}

// Sums become means. Complex numbers are divided part by part.
void divide_sums(DType compute, void* sums, int64_t count, int64_t terms) {
  switch (compute) {
  case DType::Float32:
    return divide<float>(sums, count, terms);
  case DType::Float64:
    return divide<double>(sums, count, terms);
  case DType::Complex64:
    return divide<float>(sums, 2 * count, terms);
  case DType::Complex128:
    return divide<double>(sums, 2 * count, terms);
  default:
    CEPH_INTERNAL(false && "a mean of integers");
  }
}

void sum_or_mean(const char* op, const Tensor& self, IntArrayRef dims, bool keepdim,
                 const Tensor& out, bool divides) {
  DType compute = compute_dtype(out.dtype());
  Flags reduced = listed_dims(op, self, dims);
  int64_t terms = term_count(self, reduced);
  if (terms == 0) {  // an empty sum is 0, an empty mean 0 / 0
    bool nan = divides && !is_integral(out.dtype(), true);
    return fill(op, out, nan ? Scalar(std::numeric_limits<double>::quiet_NaN()) : Scalar(0));
  }
  if (self.numel() == 0) return;
  // The terms are converted to the result's dtype first, as documented, which folding in a wider
  // one would skip.
  bool direct = self.dtype() == out.dtype() || compute == out.dtype();
  Tensor source = direct ? self : cast(self, out.dtype());
  const Fold& fold = CEPH_ACTIVE_TABLE(reduce).sum[static_cast<int>(compute)];
  fold_into(source, reduced, keepdim, out, compute, fold, [&](void* sums, int64_t count) {
    if (divides) divide_sums(compute, sums, count, terms);
  });
}

void any_over(const Tensor& self, const Flags& reduced, bool keepdim, const Tensor& out) {
  if (term_count(self, reduced) == 0) return zero(out);
  if (self.numel() == 0) return;
  const Fold& fold = CEPH_ACTIVE_TABLE(reduce).any;
  fold_into(self, reduced, keepdim, out, DType::Bool, fold, [](void*, int64_t) {});
}

// Where half types and bool are compared.
DType comparison_dtype(DType t) { return is_floating(t) && item_size(t) < 4 ? DType::Float32 : t; }

// Position of the first largest of the `count` terms from `at`, `stride` bytes apart.
int64_t first_of_line(const Tensor& self, const char* at, int64_t stride, int64_t count) {
  constexpr int64_t kBlock = 1024;
  DType compute = comparison_dtype(self.dtype());
  auto find = CEPH_ACTIVE_TABLE(reduce).first_maximum[static_cast<int>(compute)];
  auto item = static_cast<int64_t>(item_size(self.dtype()));
  bool direct = stride == item && compute == self.dtype();
  alignas(16) char raw[kBlock * 8], terms[kBlock * 8], best[16];
  convert_element(best, compute, at, self.dtype());
  int64_t position = 0;
  for (int64_t first = 0; first < count; first += kBlock) {
    int64_t length = std::min(kBlock, count - first);
    const char* block = at + first * stride;
    if (!direct && stride != item) {
      for (int64_t i = 0; i < length; ++i) {
        std::memcpy(raw + i * item, block + i * stride, static_cast<size_t>(item));
      }
      block = raw;
    }
    if (compute != self.dtype()) {
      convert_elements(terms, compute, block, self.dtype(), length);
      block = terms;
    }
    int64_t found = find(block, length, best);
    if (found >= 0) position = first + found;
  }
  return position;
}

}  // namespace

void sum(const Tensor& self, std::optional<IntArrayRef> dim, bool keepdim, std::optional<DType>,
         const Tensor& out) {
  sum_or_mean("sum", self, dim.value_or(IntArrayRef()), keepdim, out, false);
}

void mean(const Tensor& self, std::optional<IntArrayRef> dim, bool keepdim, std::optional<DType>,
          const Tensor& out) {
  sum_or_mean("mean", self, dim.value_or(IntArrayRef()), keepdim, out, true);
}

void amax(const Tensor& self, IntArrayRef dim, bool keepdim, const Tensor& out) {
  if (self.numel() == 0) return;  // the shape rule has refused results without terms
  DType compute = comparison_dtype(self.dtype());
  const Fold& fold = CEPH_ACTIVE_TABLE(reduce).maximum[static_cast<int>(compute)];
  fold_into(self, listed_dims("amax", self, dim), keepdim, out, compute, fold,
            [](void*, int64_t) {});
}

void any_all(const Tensor& self, const Tensor& out) { any_over(self, all_dims(self), false, out); }

void any_dim(const Tensor& self, int64_t dim, bool keepdim, const Tensor& out) {
  any_over(self, listed_dims("any", self, {dim}), keepdim, out);
}

void argmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim, const Tensor& out) {
  if (!dim || self.dim() == 0) {
    Tensor flat =
        self.is_contiguous() ? self : empty_tensor(self.sizes(), self.dtype(), self.device());
    if (!flat.is_same(self)) copy_into(flat, self);
    auto item = static_cast<int64_t>(item_size(self.dtype()));
    *out.data_as<int64_t>() =
        first_of_line(flat, static_cast<char*>(flat.data()), item, flat.numel());
    return;
  }
  if (self.numel() == 0) return;
  Flags reduced = listed_dims("argmax", self, {*dim});
  ReducePlan plan(self, reduced, keepdim, out);
  int64_t stride = plan.reduced_in.empty() ? 0 : plan.reduced_in[0];
  const char* in = static_cast<const char*>(self.data());
  char* results = static_cast<char*>(out.data());
  parallel_for(
      0, plan.outputs, std::max<int64_t>(1, kGrain / plan.terms), [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          int64_t position = first_of_line(self, in + plan.input_offset(i), stride, plan.terms);
          std::memcpy(results + plan.output_offset(i), &position, sizeof(position));
        }
      });
}

}  // namespace ceph::kernels
