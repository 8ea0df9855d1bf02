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

using FoldTable = const Fold (&)[kNumDTypes];

// bfloat16 that is folded in float32 is widened on the way.
const Fold& fold_for(FoldTable table, DType in, DType compute) {
  bool widened = in == DType::BFloat16 && compute == DType::Float32;
  return table[static_cast<int>(widened ? in : compute)];
}

void no_finish(void*, int64_t) {}

// Sums and products: of nothing `empty`; terms are converted to the result's dtype first, as
// documented, which folding in a wider one would skip.
void accumulate(const char* op, const Tensor& self, const ReduceFlags& reduced, bool keepdim,
                const Tensor& out, FoldTable table, const Scalar& empty, Finish finish) {
  if (term_count(self, reduced) == 0) return fill(op, out, empty);
  if (self.numel() == 0) return;
  DType compute = compute_dtype(out.dtype());
  bool direct = self.dtype() == out.dtype() || compute == out.dtype();
  Tensor source = direct ? self : cast(self, out.dtype());
  const Fold& fold = fold_for(table, source.dtype(), compute);
  fold_into(source, reduced, keepdim, out, compute, fold, finish);
}

void sum_or_mean(const char* op, const Tensor& self, IntArrayRef dims, bool keepdim,
                 const Tensor& out, bool divides) {
  ReduceFlags reduced = listed_dims(op, self, dims);
  int64_t terms = term_count(self, reduced);
  bool nan = divides && !is_integral(out.dtype(), true);  // an empty mean is 0 / 0
  Scalar empty = nan ? Scalar(std::numeric_limits<double>::quiet_NaN()) : Scalar(0);
  DType compute = compute_dtype(out.dtype());
  accumulate(op, self, reduced, keepdim, out, CEPH_ACTIVE_TABLE(reduce).sum, empty,
             [&](void* sums, int64_t count) {
               if (divides) divide_sums(compute, sums, count, terms);
             });
}

void product(const Tensor& self, const ReduceFlags& reduced, bool keepdim, const Tensor& out) {
  accumulate("prod", self, reduced, keepdim, out, CEPH_ACTIVE_TABLE(reduce).product, Scalar(1),
             no_finish);
}

// any and all: the truth of nothing is the fold's neutral element.
void truth_over(const Tensor& self, const ReduceFlags& reduced, bool keepdim, const Tensor& out,
                const Fold& fold, bool neutral) {
  if (term_count(self, reduced) == 0) return fill("any", out, Scalar(neutral));
  if (self.numel() == 0) return;
  fold_into(self, reduced, keepdim, out, DType::Bool, fold, no_finish);
}
void any_over(const Tensor& self, const ReduceFlags& reduced, bool keepdim, const Tensor& out) {
  truth_over(self, reduced, keepdim, out, CEPH_ACTIVE_TABLE(reduce).any, false);
}
void all_over(const Tensor& self, const ReduceFlags& reduced, bool keepdim, const Tensor& out) {
  truth_over(self, reduced, keepdim, out, CEPH_ACTIVE_TABLE(reduce).all, true);
}

// Where half types are compared.
DType comparison_dtype(DType t) { return is_floating(t) && item_size(t) < 4 ? DType::Float32 : t; }

// The largest or smallest; the shape rule has refused results without terms.
void extreme(bool largest, const Tensor& self, const ReduceFlags& reduced, bool keepdim,
             const Tensor& out) {
  if (self.numel() == 0) return;
  DType compute = comparison_dtype(self.dtype());
  const ReduceTable& table = CEPH_ACTIVE_TABLE(reduce);
  const Fold& fold = (largest ? table.maximum : table.minimum)[static_cast<int>(compute)];
  fold_into(self, reduced, keepdim, out, compute, fold, no_finish);
}

// Position of the first largest or smallest of the `count` terms from `at`, `stride` bytes apart.
int64_t first_of_line(bool largest, const Tensor& self, const char* at, int64_t stride,
                      int64_t count) {
  constexpr int64_t kBlock = 1024;
  DType compute = comparison_dtype(self.dtype());
  const ReduceTable& table = CEPH_ACTIVE_TABLE(reduce);
  auto find = (largest ? table.first_maximum : table.first_minimum)[static_cast<int>(compute)];
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

// Calls `store(i, position)` for the first extreme along `dim` of each result; `plan` is over that
// dimension.
void search(bool largest, const Tensor& self, const ReducePlan& plan,
            FunctionRef<void(int64_t, int64_t)> store) {
  int64_t stride = plan.reduced_in.empty() ? 0 : plan.reduced_in[0];
  const char* in = static_cast<const char*>(self.data());
  int64_t grain = std::max<int64_t>(1, kGrain / plan.terms);
  parallel_for(0, plan.outputs, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      store(i, first_of_line(largest, self, in + plan.input_offset(i), stride, plan.terms));
    }
  });
}

void arg_extreme(bool largest, const char* op, const Tensor& self, std::optional<int64_t> dim,
                 bool keepdim, const Tensor& out) {
  if (self.numel() == 0) return;
  if (!dim || self.dim() == 0) {
    Tensor flat =
        self.is_contiguous() ? self : empty_tensor(self.sizes(), self.dtype(), self.device());
    if (!flat.is_same(self)) copy_into(flat, self);
    auto item = static_cast<int64_t>(item_size(self.dtype()));
    *out.data_as<int64_t>() =
        first_of_line(largest, flat, static_cast<char*>(flat.data()), item, flat.numel());
    return;
  }
  ReducePlan plan(self, listed_dims(op, self, {*dim}), keepdim, out);
  char* results = static_cast<char*>(out.data());
  search(largest, self, plan, [&](int64_t i, int64_t position) {
    std::memcpy(results + plan.output_offset(i), &position, sizeof(position));
  });
}

// The extreme of each line and where it is.
void extreme_of_lines(bool largest, const char* op, const Tensor& self, int64_t dim, bool keepdim,
                      const Tensor& values, const Tensor& indices) {
  if (self.numel() == 0) return;
  DenseOutput value(values), index(indices);
  ReducePlan plan(self, listed_dims(op, self, {dim}), keepdim, index.tensor);
  const char* in = static_cast<const char*>(self.data());
  char* found = static_cast<char*>(value.tensor.data());
  int64_t* places = index.tensor.data_as<int64_t>();
  const int64_t step = plan.reduced_in.empty() ? 0 : plan.reduced_in[0];
  const size_t item = item_size(self.dtype());
  search(largest, self, plan, [&](int64_t i, int64_t position) {
    const int64_t place = plan.output_offset(i) / static_cast<int64_t>(sizeof(int64_t));
    places[place] = position;
    std::memcpy(found + static_cast<size_t>(place) * item,
                in + plan.input_offset(i) + position * step, item);
  });
  value.write();
  index.write();
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
  extreme(true, self, listed_dims("amax", self, dim), keepdim, out);
}

void amin(const Tensor& self, IntArrayRef dim, bool keepdim, const Tensor& out) {
  extreme(false, self, listed_dims("amin", self, dim), keepdim, out);
}

void max_all(const Tensor& self, const Tensor& out) {
  extreme(true, self, all_dims(self), false, out);
}

void min_all(const Tensor& self, const Tensor& out) {
  extreme(false, self, all_dims(self), false, out);
}

void aminmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim, const Tensor& min,
             const Tensor& max) {
  ReduceFlags reduced = dim ? listed_dims("aminmax", self, {*dim}) : all_dims(self);
  extreme(false, self, reduced, keepdim, min);
  extreme(true, self, reduced, keepdim, max);
}

void max_dim(const Tensor& self, int64_t dim, bool keepdim, const Tensor& values,
             const Tensor& indices) {
  extreme_of_lines(true, "max", self, dim, keepdim, values, indices);
}

void min_dim(const Tensor& self, int64_t dim, bool keepdim, const Tensor& values,
             const Tensor& indices) {
  extreme_of_lines(false, "min", self, dim, keepdim, values, indices);
}

void argmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim, const Tensor& out) {
  arg_extreme(true, "argmax", self, dim, keepdim, out);
}

void argmin(const Tensor& self, std::optional<int64_t> dim, bool keepdim, const Tensor& out) {
  arg_extreme(false, "argmin", self, dim, keepdim, out);
}

void any_all(const Tensor& self, const Tensor& out) { any_over(self, all_dims(self), false, out); }

void any_dim(const Tensor& self, int64_t dim, bool keepdim, const Tensor& out) {
  any_over(self, listed_dims("any", self, {dim}), keepdim, out);
}

void any_dims(const Tensor& self, std::optional<IntArrayRef> dim, bool keepdim, const Tensor& out) {
  any_over(self, optional_dims("any", self, dim), keepdim, out);
}

void all_all(const Tensor& self, const Tensor& out) { all_over(self, all_dims(self), false, out); }

void all_dim(const Tensor& self, int64_t dim, bool keepdim, const Tensor& out) {
  all_over(self, listed_dims("all", self, {dim}), keepdim, out);
}

void all_dims(const Tensor& self, std::optional<IntArrayRef> dim, bool keepdim, const Tensor& out) {
  all_over(self, optional_dims("all", self, dim), keepdim, out);
}

void prod_all(const Tensor& self, std::optional<DType>, const Tensor& out) {
  product(self, all_dims(self), false, out);
}

void prod_dim(const Tensor& self, int64_t dim, bool keepdim, std::optional<DType>,
              const Tensor& out) {
  product(self, listed_dims("prod", self, {dim}), keepdim, out);
}

void nansum(const Tensor& self, std::optional<IntArrayRef> dim, bool keepdim, std::optional<DType>,
            const Tensor& out) {
  const ReduceTable& table = CEPH_ACTIVE_TABLE(reduce);
  bool integral = is_integral(compute_dtype(out.dtype()), true);
  accumulate("nansum", self, listed_dims("nansum", self, dim.value_or(IntArrayRef())), keepdim, out,
             integral ? table.sum : table.nansum, Scalar(0), no_finish);
}

void count_nonzero(const Tensor& self, IntArrayRef dim, const Tensor& out) {
  ReduceFlags reduced = listed_dims("count_nonzero", self, dim);
  if (term_count(self, reduced) == 0) return zero(out);
  if (self.numel() == 0) return;
  fold_into(self, reduced, false, out, DType::Int64, CEPH_ACTIVE_TABLE(reduce).truths, no_finish);
}

}  // namespace ceph::kernels
