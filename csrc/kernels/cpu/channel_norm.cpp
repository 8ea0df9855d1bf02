#include <algorithm>
#include <cmath>
#include <vector>

#include "base/thread_pool.h"
#include "core/layout.h"
#include "generated/kernels/norm.h"
#include "kernels/copy.h"
#include "kernels/cpu/norm_parameters.h"
#include "kernels/cpu/rows.h"
#include "kernels/tables.h"

// Norms whose scale and shift go by channel, the second dimension. Elements lie in planes of one
// channel, or, channels last, in rows of one element of each.

namespace ceph::kernels {
namespace {

// The second dimension moved to the end.
Tensor channels_moved(const Tensor& t) {
  DimVector sizes = t.sizes(), strides = t.strides();
  std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
  std::rotate(strides.begin() + 1, strides.begin() + 2, strides.end());
  return view_of(t, sizes, strides, t.storage_offset());
}

bool channels_last(const Tensor& t) {
  bool planes = t.is_contiguous() && t.numel() != t.size(0) * t.size(1);
  return !planes && channels_moved(t).is_contiguous();
}

std::vector<double> numbers(const Tensor& t, int64_t count, double otherwise) {
  if (!t.defined()) return std::vector<double>(static_cast<size_t>(count), otherwise);
  Tensor wide = contiguous_as(t, DType::Float64);
  const double* from = wide.data_as<double>();
  return {from, from + count};
}

// Input and output in the dtype that they are computed in, laid out alike.
class Channels {
 public:
  Channels(const Tensor& input, const Tensor& out)
      : last_(channels_last(input)), out_(last_ ? channels_moved(out) : out),
        compute_(row_dtype(input.dtype())), count_(input.size(1)),
        plane_(input.numel() / (input.size(0) * count_)), planes_(input.size(0) * count_) {
    source_ = contiguous_as(last_ ? channels_moved(input) : input, compute_);
    bool direct = out_.is_contiguous() && out_.dtype() == compute_;
    result_ = direct ? out_ : empty_tensor(out_.sizes(), compute_, out_.device());
  }

  int64_t count() const { return count_; }

  // Of each channel over all else.
  std::vector<Moments> moments() const { return last_ ? moments_of_rows() : moments_of_planes(); }

  void write(const std::vector<ChannelNorm>& norms) const {
    if (!last_) return write_planes(norms);
    auto kernel = CEPH_ACTIVE_TABLE(norm).channels[type()];
    parallel_for(0, rows(), grain(count_), [&](int64_t first, int64_t last) {
      kernel(from(first * count_), to(first * count_), last - first, count_, norms.data());
    });
  }

  void finish() const {
    if (!result_.is_same(out_)) copy_into(out_, result_);
  }

 private:
  int type() const { return static_cast<int>(compute_); }
  int64_t rows() const { return planes_ / count_ * plane_; }
  static int64_t grain(int64_t items) { return std::max<int64_t>(1, kGrain / items); }
  const char* from(int64_t element) const {
    return static_cast<const char*>(source_.data()) + element * item();
  }
  char* to(int64_t element) const { return static_cast<char*>(result_.data()) + element * item(); }
  int64_t item() const { return static_cast<int64_t>(item_size(compute_)); }

  void write_planes(const std::vector<ChannelNorm>& norms) const {
    auto kernel = CEPH_ACTIVE_TABLE(norm).channel[type()];
    parallel_for(0, planes_, grain(plane_), [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        const ChannelNorm& norm = norms[static_cast<size_t>(p % count_)];
        kernel(from(p * plane_), to(p * plane_), plane_, norm);
      }
    });
  }

  Moments moments_of(int64_t plane) const {
    Moments result;
    CEPH_ACTIVE_TABLE(norm).moments[type()](from(plane * plane_), plane_, &result);
    return result;
  }

  std::vector<Moments> moments_of_planes() const {
    const Fold& fold = CEPH_ACTIVE_TABLE(reduce).moments[type()];
    std::vector<Moments> result(static_cast<size_t>(count_));
    parallel_for(0, count_, grain(planes_ / count_ * plane_), [&](int64_t first, int64_t last) {
      for (int64_t c = first; c < last; ++c) {
        Moments& total = result[static_cast<size_t>(c)] = moments_of(c);
        for (int64_t p = c + count_; p < planes_; p += count_) {
          Moments next = moments_of(p);
          fold.combine(&total, &next, 1);
        }
      }
    });
    return result;
  }

  // Chunks of rows, joined in their order.
  std::vector<Moments> moments_of_rows() const {
    const Fold& fold = CEPH_ACTIVE_TABLE(reduce).moments[type()];
    int64_t chunks = (rows() + fold.chunk - 1) / fold.chunk;
    std::vector<Moments> parts(static_cast<size_t>(chunks * count_));
    parallel_for(0, chunks, grain(fold.chunk * count_), [&](int64_t first, int64_t last) {
      for (int64_t chunk = first; chunk < last; ++chunk) {
        moments_of_chunk(fold, chunk, &parts[static_cast<size_t>(chunk * count_)]);
      }
    });
    for (int64_t chunk = 1; chunk < chunks; ++chunk) {
      fold.combine(parts.data(), &parts[static_cast<size_t>(chunk * count_)], count_);
    }
    parts.resize(static_cast<size_t>(count_));
    return parts;
  }

  void moments_of_chunk(const Fold& fold, int64_t chunk, Moments* results) const {
    int64_t first = chunk * fold.chunk, length = std::min(fold.chunk, rows() - first);
    std::vector<const char*> lines(static_cast<size_t>(length));
    for (int64_t c = 0; c < count_; c += Fold::kMaxColumns) {
      for (int64_t r = 0; r < length; ++r) {
        lines[static_cast<size_t>(r)] = from((first + r) * count_ + c);
      }
      fold.columns(lines.data(), length, std::min(Fold::kMaxColumns, count_ - c), results + c);
    }
  }

  bool last_;
  Tensor source_, result_, out_;
  DType compute_;
  int64_t count_, plane_, planes_;
};

// running = (1 - momentum) running + momentum now.
void update(const Tensor& running, double momentum, std::vector<double> now) {
  Tensor wide = contiguous_as(running, DType::Float64);
  Tensor next = empty_tensor(running.sizes(), DType::Float64, running.device());
  const double* old = wide.data_as<double>();
  double* to = next.data_as<double>();
  for (size_t c = 0; c < now.size(); ++c) to[c] = (1 - momentum) * old[c] + momentum * now[c];
  copy_into(running, next);
  running->bump_version();
}

void update_running(const Tensor& running_mean, const Tensor& running_var, double momentum,
                    const std::vector<Moments>& moments) {
  std::vector<double> means, variances;
  for (const Moments& m : moments) {
    means.push_back(m.mean + m.low);
    variances.push_back(m.squares / (m.count - 1));
  }
  update(running_mean, momentum, means);
  update(running_var, momentum, variances);
}

ChannelNorm channel_norm(double mean, double low, double variance, double eps, double weight,
                         double bias) {
  return {mean, low, weight / std::sqrt(variance + eps), bias};
}

}  // namespace

void batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                const Tensor& weight, const Tensor& bias, bool training, double momentum,
                double eps, const Tensor& out) {
  check_parameter("batch_norm", "running_mean", running_mean, input.dtype());
  check_parameter("batch_norm", "running_var", running_var, input.dtype());
  check_parameter("batch_norm", "weight", weight, input.dtype());
  check_parameter("batch_norm", "bias", bias, input.dtype());
  if (input.numel() == 0) return;
  Channels channels(input, out);
  std::vector<double> weights = numbers(weight, channels.count(), 1);
  std::vector<double> biases = numbers(bias, channels.count(), 0);
  std::vector<ChannelNorm> norms;
  auto add = [&](double mean, double low, double variance) {
    size_t c = norms.size();
    norms.push_back(channel_norm(mean, low, variance, eps, weights[c], biases[c]));
  };
  if (training) {
    std::vector<Moments> moments = channels.moments();
    for (const Moments& m : moments) add(m.mean, m.low, m.squares / m.count);
    if (running_mean.defined()) update_running(running_mean, running_var, momentum, moments);
  } else {
    std::vector<double> means = numbers(running_mean, channels.count(), 0);
    std::vector<double> variances = numbers(running_var, channels.count(), 1);
    for (size_t c = 0; c < means.size(); ++c) add(means[c], 0, variances[c]);
  }
  channels.write(norms);
  channels.finish();
}

void group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias,
                double eps, const Tensor& out) {
  check_parameter("group_norm", "weight", weight, input.dtype());
  check_parameter("group_norm", "bias", bias, input.dtype());
  if (input.numel() == 0) return;
  Tensor planar = contiguous_as(input, row_dtype(input.dtype()));
  bool direct = out.is_contiguous() && out.dtype() == planar.dtype();
  Tensor result = direct ? out : empty_tensor(out.sizes(), planar.dtype(), out.device());
  int64_t count = input.size(1), size = count / num_groups, rows = input.size(0) * num_groups;
  int64_t plane = input.numel() / (input.size(0) * count);
  auto item = static_cast<int64_t>(item_size(planar.dtype()));
  const char* from = static_cast<const char*>(planar.data());
  char* to = static_cast<char*>(result.data());
  std::vector<double> weights = numbers(weight, count, 1), biases = numbers(bias, count, 0);
  const NormTable& table = CEPH_ACTIVE_TABLE(norm);
  auto moments_of = table.moments[static_cast<int>(planar.dtype())];
  auto kernel = table.channel[static_cast<int>(planar.dtype())];
  int64_t grain = std::max<int64_t>(1, kGrain / (size * plane));
  parallel_for(0, rows, grain, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      int64_t at = row * size * plane * item;
      Moments m;
      moments_of(from + at, size * plane, &m);
      for (int64_t i = 0; i < size; ++i, at += plane * item) {
        auto c = static_cast<size_t>(row % num_groups * size + i);
        kernel(from + at, to + at, plane,
               channel_norm(m.mean, m.low, m.squares / m.count, eps, weights[c], biases[c]));
      }
    }
  });
  if (!direct) copy_into(out, result);
}

}  // namespace ceph::kernels
