#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "generated/kernels/reduce.h"
#include "kernels/copy.h"
#include "kernels/cpu/reduce_fold.h"
#include "kernels/cpu/reduce_rows.h"
#include "kernels/fill.h"

// Note [Squares out of range]
// Squares are summed in float64, where those of every narrower dtype fit. Those of float64 itself
// may overflow or vanish although the result doesn't: such results are computed once more from
// terms that are scaled by a power of two, which is exact.

namespace ceph::kernels {

namespace {

constexpr double kSmallSquares = 0x1p-900;

bool squares_left_range(double squares) {
  return !(squares >= kSmallSquares && squares < INFINITY);
}

// The exponent of the largest magnitude; 0 where that is 0, infinite or NaN.
int largest_exponent(const double* x, int64_t count) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(x[i])) return 0;
    largest = std::max(largest, std::abs(x[i]));
  }
  return largest == 0 ? 0 : std::ilogb(largest);
}

// Computes those float64 results whose squares left the range once more. `again(terms, count)` is
// of terms below 2 in magnitude, `factors`: how often the scale enters the result.
void rescue(const Tensor& self, const ReduceFlags& reduced, bool keepdim, const Tensor& results,
            FunctionRef<bool(double)> doubtful, int factors,
            FunctionRef<double(const double*, int64_t)> again) {
  double* values = results.data_as<double>();
  if (std::none_of(values, values + results.numel(), doubtful)) return;
  for_each_result(self, reduced, keepdim, results, DType::Float64,
                  [&](const void* terms, int64_t count, int64_t place) {
                    if (!doubtful(values[place])) return;
                    const double* x = static_cast<const double*>(terms);
                    int exponent = largest_exponent(x, count);
                    if (exponent == 0) return;
                    std::vector<double> scaled(static_cast<size_t>(count));
                    for (int64_t i = 0; i < count; ++i) {
                      scaled[static_cast<size_t>(i)] = std::scalbn(x[i], -exponent);
                    }
                    values[place] = std::scalbn(again(scaled.data(), count), factors * exponent);
                  });
}

struct Spread {
  bool root;
  double correction;

  double of(const Moments& moments) const {
    double variance = moments.squares / std::max(0.0, moments.count - correction);
    return root ? std::sqrt(variance) : variance;
  }
};

// The variance, or its root, of a real tensor with terms; `results` is contiguous, of float64.
void spread_into(const Tensor& self, const ReduceFlags& reduced, bool keepdim,
                 const Tensor& results, Spread spread) {
  const ReduceTable& table = CEPH_ACTIVE_TABLE(reduce);
  bool wide = self.dtype() == DType::Float64;
  const Fold& fold = table.moments[static_cast<int>(wide ? DType::Float64 : DType::Float32)];
  fold_into(self, reduced, keepdim, results, DType::Float64, fold, [&](void* folds, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      Moments moments;
      std::memcpy(&moments, static_cast<char*>(folds) + i * sizeof(moments), sizeof(moments));
      double value = spread.of(moments);
      std::memcpy(static_cast<char*>(folds) + i * sizeof(value), &value, sizeof(value));
    }
  });
  if (!wide) return;
  auto doubtful = [&](double value) {
    return squares_left_range(spread.root ? value * value : value);
  };
  rescue(self, reduced, keepdim, results, doubtful, spread.root ? 1 : 2,
         [&](const double* terms, int64_t count) {
           Moments moments;
           fold.row(terms, count, &moments);
           return spread.of(moments);
         });
}

// Real and imaginary parts, or magnitudes, of complex numbers in float64.
template <class Part>
Tensor parts_of(const Tensor& self, Part part) {
  Tensor numbers = empty_tensor(self.sizes(), DType::Complex128, self.device());
  copy_into(numbers, self);
  Tensor result = empty_tensor(self.sizes(), DType::Float64, self.device());
  const auto* z = static_cast<const std::complex<double>*>(numbers.data());
  double* to = result.data_as<double>();
  for (int64_t i = 0; i < self.numel(); ++i) to[i] = part(z[i]);
  return result;
}

void spread(const char* op, const Tensor& self, std::optional<IntArrayRef> dim,
            const std::optional<Scalar>& correction, bool keepdim, const Tensor& out, bool root) {
  Spread spread{root, correction ? correction->to_double(op) : 1.0};
  ReduceFlags reduced = listed_dims(op, self, dim.value_or(IntArrayRef()));
  if (term_count(self, reduced) == 0) {
    return fill(op, out, Scalar(std::numeric_limits<double>::quiet_NaN()));
  }
  if (self.numel() == 0) return;
  DenseOutput results(out, DType::Float64);
  if (is_complex(self.dtype())) {
    // The squares of both parts are added before they are divided, which may be by 0.
    const auto count = static_cast<double>(term_count(self, reduced));
    const double factor = count / std::max(0.0, count - spread.correction);
    spread = {false, 0};
    Tensor other = empty_tensor(out.sizes(), DType::Float64, out.device());
    Tensor real = parts_of(self, [](std::complex<double> z) { return z.real(); });
    Tensor imag = parts_of(self, [](std::complex<double> z) { return z.imag(); });
    spread_into(real, reduced, keepdim, results.tensor, spread);
    spread_into(imag, reduced, keepdim, other, spread);
    double* sums = results.tensor.data_as<double>();
    const double* added = other.data_as<double>();
    for (int64_t i = 0; i < out.numel(); ++i) {
      const double variance = (sums[i] + added[i]) * factor;
      sums[i] = root ? std::sqrt(variance) : variance;
    }
  } else {
    spread_into(self, reduced, keepdim, results.tensor, spread);
  }
  results.write();
}

void no_finish(void*, int64_t) {}

// The p-norm of one result's terms, which are scaled by the largest: (sum |x / m|^p)^(1/p) m.
double power_norm(const double* x, int64_t count, double p) {
  double extreme = p > 0 ? 0 : INFINITY;
  for (int64_t i = 0; i < count; ++i) {
    double size = std::abs(x[i]);
    if (std::isnan(size)) return size;
    extreme = p > 0 ? std::max(extreme, size) : std::min(extreme, size);
  }
  if (extreme == 0 || std::isinf(extreme)) return extreme;
  double sum = 0, lost = 0;  // what rounding took from the sum, as every term is at most 1
  for (int64_t i = 0; i < count; ++i) {
    double term = std::pow(std::abs(x[i]) / extreme, p), next = sum + term;
    lost += sum >= term ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  return std::pow(sum + lost, 1 / p) * extreme;
}

// Norms of real terms; `results` is contiguous, of float64.
void norm_into(const Tensor& self, const ReduceFlags& reduced, bool keepdim, const Tensor& results,
               double p) {
  const ReduceTable& table = CEPH_ACTIVE_TABLE(reduce);
  bool wide = self.dtype() == DType::Float64;
  auto own = static_cast<int>(wide ? DType::Float64 : DType::Float32);
  if (p == 0) {
    Tensor counts = empty_tensor(results.sizes(), DType::Int64, results.device());
    fold_into(self, reduced, keepdim, counts, DType::Int64, table.truths, no_finish);
    return copy_into(results, counts);
  }
  if (p == 1 || std::isinf(p)) {
    const Fold& fold = p == 1  ? table.magnitudes[own]
                       : p > 0 ? table.largest[own]
                               : table.smallest[own];
    DType folded = p == 1 || wide ? DType::Float64 : DType::Float32;
    return fold_into(self, reduced, keepdim, results, folded, fold, no_finish);
  }
  if (p != 2) {
    double* values = results.data_as<double>();
    return for_each_result(self, reduced, keepdim, results, DType::Float64,
                           [&](const void* terms, int64_t count, int64_t place) {
                             values[place] =
                                 power_norm(static_cast<const double*>(terms), count, p);
                           });
  }
  const Fold& fold = table.squares[own];
  fold_into(self, reduced, keepdim, results, DType::Float64, fold, [](void* sums, int64_t count) {
    double* values = static_cast<double*>(sums);
    for (int64_t i = 0; i < count; ++i) values[i] = std::sqrt(values[i]);
  });
  if (!wide) return;
  auto doubtful = [](double value) { return squares_left_range(value * value); };
  rescue(self, reduced, keepdim, results, doubtful, 1, [&](const double* terms, int64_t count) {
    double sum;
    fold.row(terms, count, &sum);
    return std::sqrt(sum);
  });
}

}  // namespace

void var(const Tensor& self, std::optional<IntArrayRef> dim,
         const std::optional<Scalar>& correction, bool keepdim, const Tensor& out) {
  spread("var", self, dim, correction, keepdim, out, false);
}

void standard_deviation(const Tensor& self, std::optional<IntArrayRef> dim,
                        const std::optional<Scalar>& correction, bool keepdim, const Tensor& out) {
  spread("std", self, dim, correction, keepdim, out, true);
}

void vector_norm(const Tensor& self, const Scalar& ord, std::optional<IntArrayRef> dim,
                 bool keepdim, std::optional<DType> dtype, const Tensor& out) {
  ReduceFlags reduced = listed_dims("vector_norm", self, dim.value_or(IntArrayRef()));
  if (term_count(self, reduced) == 0) return zero(out);
  if (self.numel() == 0) return;
  Tensor source = dtype && *dtype != self.dtype() ? cast(self, *dtype) : self;
  if (is_complex(source.dtype())) {
    source = parts_of(source, [](std::complex<double> z) { return std::abs(z); });
  }
  DenseOutput results(out, DType::Float64);
  norm_into(source, reduced, keepdim, results.tensor, ord.to_double("vector_norm"));
  results.write();
}

}  // namespace ceph::kernels
