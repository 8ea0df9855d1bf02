#include <algorithm>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "core/layout.h"
#include "generated/kernels/loss.h"
#include "generated/kernels/norm.h"
#include "kernels/copy.h"
#include "kernels/cpu/rows.h"

// Losses over classes. Elements are computed and summed in float64, whatever the dtype.

namespace ceph::kernels {
namespace {

// One element of a loss and what it weighs in the mean.
struct Term {
  double value = 0, weight = 0;
};
Term operator+(const Term& a, const Term& b) { return {a.value + b.value, a.weight + b.weight}; }

// Halves of halves: the order depends on the number of terms only.
template <class Element>
Term sum_of_terms(int64_t first, int64_t last, const Element& element) {
  if (last - first > 8) {
    int64_t middle = first + (last - first) / 2;
    return sum_of_terms(first, middle, element) + sum_of_terms(middle, last, element);
  }
  Term total;
  for (int64_t i = first; i < last; ++i) total = total + element(i);
  return total;
}

// The elements, their sum, or their mean by weight; `cost` is of one element.
template <class Element>
void write_loss(std::string_view reduction, int64_t count, int64_t cost, const Element& element,
                const Tensor& out) {
  constexpr int64_t kChunk = 1024;
  bool fold = reduction != "none";
  int64_t step = fold ? kChunk : 1, pieces = (count + step - 1) / step;
  int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, step * cost));
  Tensor values = empty_tensor({pieces}, DType::Float64, out.device());
  double* value = values.data_as<double>();
  std::vector<double> weights(fold ? static_cast<size_t>(pieces) : 0);
  parallel_for(0, pieces, grain, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      Term sum = sum_of_terms(piece * step, std::min(piece * step + step, count), element);
      value[piece] = sum.value;
      if (fold) weights[static_cast<size_t>(piece)] = sum.weight;
    }
  });
  if (!fold)
    return copy_into(out, view_of(values, out.sizes(), contiguous_strides(out.sizes()), 0));
  Term total = sum_of_terms(0, pieces, [&](int64_t piece) {
    return Term{value[piece], weights[static_cast<size_t>(piece)]};
  });
  double result = reduction == "mean" ? total.value / total.weight : total.value;
  convert_element(out.data(), out.dtype(), &result, DType::Float64);
}

// Logarithms of shares in [outer, classes, inner], and a weight for each class or none.
template <class T>
struct ClassLogs {
  const T* logs;
  const T* weight;
  int64_t classes, inner, elements;

  ClassLogs(const Tensor& input, const Tensor& weights)
      : logs(input.data_as<T>()), weight(weights.defined() ? weights.data_as<T>() : nullptr),
        classes(input.size(input.dim() == 1 ? 0 : 1)), inner(1) {
    for (int64_t d = 2; d < input.dim(); ++d) inner *= input.size(d);
    elements = input.dim() == 1 ? 1 : input.size(0) * inner;
  }

  int64_t place(int64_t element) const {
    return element / inner * classes * inner + element % inner;
  }
  double weight_of(int64_t c) const { return weight ? weight[c] : 1.0; }
  double loss_of(int64_t at, int64_t c) const {
    return -static_cast<double>(logs[at + c * inner]) * weight_of(c);
  }
};

void check_range(const char* op, const int64_t* target, int64_t count, int64_t classes,
                 int64_t ignored) {
  for (int64_t i = 0; i < count; ++i) {
    CEPH_CHECK(target[i] == ignored || (target[i] >= 0 && target[i] < classes), ErrorKind::kIndex,
               op, "a target must be in [0, ", classes, ") or ignore_index ", ignored, "; got ",
               target[i], " at element ", i);
  }
}

// What a class gives, mixed with the mean over all classes as `smoothing` says.
template <class T>
void loss_of_indices(const char* op, const Tensor& input, const Tensor& target,
                     const Tensor& weight, int64_t ignored, std::string_view reduction,
                     double smoothing, const Tensor& out) {
  ClassLogs<T> logs(input, weight);
  Tensor indices = contiguous_as(target, DType::Int64);
  const int64_t* index = indices.data_as<int64_t>();
  check_range(op, index, logs.elements, logs.classes, ignored);
  double share = smoothing / static_cast<double>(logs.classes);
  auto element = [&](int64_t i) -> Term {
    if (index[i] == ignored) return {};
    int64_t at = logs.place(i);
    double picked = logs.loss_of(at, index[i]), weighs = logs.weight_of(index[i]);
    if (smoothing == 0) return {picked, weighs};
    auto all = [&](int64_t c) { return Term{logs.loss_of(at, c), 0}; };
    return {(1 - smoothing) * picked + share * sum_of_terms(0, logs.classes, all).value, weighs};
  };
  write_loss(reduction, logs.elements, smoothing == 0 ? 1 : logs.classes, element, out);
}

// The losses of all classes by their shares.
template <class T>
void loss_of_shares(const Tensor& input, const Tensor& target, const Tensor& weight,
                    std::string_view reduction, double smoothing, const Tensor& out) {
  ClassLogs<T> logs(input, weight);
  const T* shares = target.data_as<T>();
  double count = static_cast<double>(logs.classes);
  auto element = [&](int64_t i) {
    int64_t at = logs.place(i);
    auto of_class = [&](int64_t c) {
      double given = shares[at + c * logs.inner];
      return Term{logs.loss_of(at, c) * (given * (1 - smoothing) + smoothing / count), 0};
    };
    return Term{sum_of_terms(0, logs.classes, of_class).value, 1};
  };
  write_loss(reduction, logs.elements, logs.classes, element, out);
}

Tensor weights_as(const Tensor& weight, DType dtype) {
  return weight.defined() ? contiguous_as(weight, dtype) : weight;
}

}  // namespace

void nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t ignore_index,
              std::string_view reduction, const Tensor& out) {
  DType compute = row_dtype(out.dtype());
  auto loss = compute == DType::Float64 ? &loss_of_indices<double> : &loss_of_indices<float>;
  loss("nll_loss", contiguous_as(input, compute), target, weights_as(weight, compute), ignore_index,
       reduction, 0, out);
}

void cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                   int64_t ignore_index, std::string_view reduction, double label_smoothing,
                   const Tensor& out) {
  DType compute = row_dtype(out.dtype());
  Tensor logs = empty_tensor(input.sizes(), compute, input.device());
  log_softmax(input, input.dim() == 1 ? 0 : 1, compute, logs);
  Tensor weights = weights_as(weight, compute);
  if (target.sizes() == input.sizes()) {
    auto loss = compute == DType::Float64 ? &loss_of_shares<double> : &loss_of_shares<float>;
    return loss(logs, contiguous_as(target, compute), weights, reduction, label_smoothing, out);
  }
  auto loss = compute == DType::Float64 ? &loss_of_indices<double> : &loss_of_indices<float>;
  loss("cross_entropy", logs, target, weights, ignore_index, reduction, label_smoothing, out);
}

}  // namespace ceph::kernels
