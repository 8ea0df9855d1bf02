#include <algorithm>
#include <limits>
#include <vector>

#include "base/thread_pool.h"
#include "generated/kernels/pool.h"
#include "kernels/copy.h"
#include "kernels/tables.h"

// Pooling of planes: where each window lies is worked out once, then planes are split over threads.

namespace ceph::kernels {
namespace {

constexpr const char* kOp = "pool";

// What PoolWindows points to.
class Windows {
 public:
  // Windows of `kernel` elements, `dilation` apart, every `stride`; those in the padding are left
  // out, but count in the divisor if `count_padding`.
  Windows(int64_t size, int64_t count, int64_t kernel, int64_t stride, int64_t padding,
          int64_t dilation, bool count_padding)
      : size_(size), step_(dilation) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t first = i * stride - padding;
      int64_t last = std::min(first + (kernel - 1) * dilation + 1, size + padding);
      int64_t inside = first < 0 ? (-first + dilation - 1) / dilation * dilation + first : first;
      int64_t end = std::min(last, size);
      add(inside, end, count_padding ? last - first : end - inside);
    }
  }

  // `count` windows that cover everything, overlapping where `count` doesn't divide the size.
  Windows(int64_t size, int64_t count) : size_(size), step_(1) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t first = i * size / count, last = ((i + 1) * size + count - 1) / count;
      add(first, last, last - first);
    }
  }

  void divide_by(int64_t number) { std::fill(divisor_.begin(), divisor_.end(), number); }

  PoolWindows view() const {
    int64_t count = static_cast<int64_t>(first_.size());
    return {size_, count, step_, first_.data(), last_.data(), divisor_.data()};
  }

 private:
  void add(int64_t first, int64_t last, int64_t divisor) {
    first_.push_back(first);
    last_.push_back(last);
    divisor_.push_back(divisor);
  }

  int64_t size_, step_;
  std::vector<int64_t> first_, last_, divisor_;
};

struct Plane {
  Windows rows, columns;
};

int64_t of_direction(IntArrayRef values, size_t d) { return values[values.size() == 1 ? 0 : d]; }

Plane windows_of(const Tensor& self, const Tensor& out, IntArrayRef kernel_size,
                 IntArrayRef strides, IntArrayRef padding, IntArrayRef dilation,
                 bool count_padding) {
  auto make = [&](size_t d) {
    int64_t dim = static_cast<int64_t>(d) - 2;
    return Windows(self.size(dim), out.size(dim), of_direction(kernel_size, d),
                   of_direction(strides.empty() ? kernel_size : strides, d),
                   of_direction(padding, d), of_direction(dilation, d), count_padding);
  };
  return {make(0), make(1)};
}

Tensor dense(const Tensor& t, DType dtype) {
  if (t.is_contiguous() && t.dtype() == dtype) return t;
  Tensor copy = empty_tensor(t.sizes(), dtype, t.device(), kOp);
  copy_into(copy, t);
  return copy;
}

DType compute_dtype(DType t) {
  return t == DType::Float16 || t == DType::BFloat16 ? DType::Float32 : t;
}

using PlaneKernel = void (*)(const void* in, const PoolWindows& rows, const PoolWindows& columns,
                             void* line, void* out);

// `kernel` on every plane, in the dtype that it is computed in.
void pool(const Tensor& self, const Plane& plane, PlaneKernel kernel, const Tensor& out) {
  if (out.numel() == 0) return;
  DType compute = compute_dtype(out.dtype());
  bool direct = out.dtype() == compute && out.is_contiguous();
  Tensor from = dense(self, compute);
  Tensor to = direct ? out : empty_tensor(out.sizes(), compute, out.device(), kOp);
  PoolWindows rows = plane.rows.view(), columns = plane.columns.view();
  int64_t item = static_cast<int64_t>(item_size(compute));
  int64_t in_step = rows.size * columns.size * item, out_step = rows.count * columns.count * item;
  const char* in = static_cast<const char*>(from.data());
  char* result = static_cast<char*>(to.data());
  int64_t planes = out.numel() / (rows.count * columns.count);
  int64_t grain = std::max<int64_t>(1, kGrain / (rows.size * columns.size));
  parallel_for(0, planes, grain, [&](int64_t first, int64_t last) {
    std::vector<char> line(static_cast<size_t>(columns.size * item));
    for (int64_t i = first; i < last; ++i) {
      kernel(in + i * in_step, rows, columns, line.data(), result + i * out_step);
    }
  });
  if (!direct) copy_into(out, to);
}

template <class T>
T lowest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

// The largest of each window of a plane and its place there: of equal ones the first, of NaN the
// last; 0 for a window that lies wholly in the padding.
template <class T>
void maxima_of_plane(const T* in, const PoolWindows& rows, const PoolWindows& columns, T* out,
                     int64_t* places) {
  for (int64_t i = 0; i < rows.count; ++i) {
    for (int64_t j = 0; j < columns.count; ++j) {
      bool empty = rows.first[i] >= rows.last[i] || columns.first[j] >= columns.last[j];
      int64_t place = empty ? 0 : rows.first[i] * columns.size + columns.first[j];
      for (int64_t y = rows.first[i]; y < rows.last[i]; y += rows.step) {
        for (int64_t x = columns.first[j]; x < columns.last[j]; x += columns.step) {
          int64_t at = y * columns.size + x;
          if (in[at] > in[place] || in[at] != in[at]) place = at;
        }
      }
      *out++ = empty ? lowest<T>() : in[place];
      *places++ = place;
    }
  }
}

template <class T>
void maxima(const Tensor& self, const Plane& plane, const Tensor& out, const Tensor& indices) {
  PoolWindows rows = plane.rows.view(), columns = plane.columns.view();
  int64_t in_step = rows.size * columns.size, out_step = rows.count * columns.count;
  const T* in = self.data_as<T>();
  T* result = out.data_as<T>();
  int64_t* places = indices.data_as<int64_t>();
  int64_t grain = std::max<int64_t>(1, kGrain / in_step);
  parallel_for(0, out.numel() / out_step, grain, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      maxima_of_plane(in + i * in_step, rows, columns, result + i * out_step,
                      places + i * out_step);
    }
  });
}

}  // namespace

void max_pool2d(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                IntArrayRef padding, IntArrayRef dilation, bool, const Tensor& out) {
  Plane plane = windows_of(self, out, kernel_size, stride, padding, dilation, false);
  DType compute = compute_dtype(out.dtype());
  pool(self, plane, CEPH_ACTIVE_TABLE(pool).maximum[static_cast<int>(compute)], out);
}

void max_pool2d_with_indices(const Tensor& self, IntArrayRef kernel_size, IntArrayRef stride,
                             IntArrayRef padding, IntArrayRef dilation, bool, const Tensor& out,
                             const Tensor& indices) {
  if (out.numel() == 0) return;
  Plane plane = windows_of(self, out, kernel_size, stride, padding, dilation, false);
  DType compute = compute_dtype(out.dtype());
  Tensor from = dense(self, compute);
  Tensor values = empty_tensor(out.sizes(), compute, out.device(), kOp);
  Tensor places = empty_tensor(out.sizes(), DType::Int64, out.device(), kOp);
  switch (compute) {
#define CEPH_MAXIMA(name, type)                                                                    \
  case DType::name:                                                                                \
    maxima<type>(from, plane, values, places);                                                     \
    break;
    CEPH_MAXIMA(UInt8, uint8_t)
    CEPH_MAXIMA(Int8, int8_t)
    CEPH_MAXIMA(Int16, int16_t)
    CEPH_MAXIMA(Int32, int32_t)
    CEPH_MAXIMA(Int64, int64_t)
    CEPH_MAXIMA(Float32, float)
    CEPH_MAXIMA(Float64, double)
#undef CEPH_MAXIMA
  default:
    fail(ErrorKind::kNotImplemented, "max_pool2d", "does not work for ", name_of(out.dtype()));
  }
  copy_into(out, values);
  copy_into(indices, places);
}

void avg_pool2d(const Tensor& self, IntArrayRef kernel_size, std::optional<IntArrayRef> stride,
                IntArrayRef padding, bool, bool count_include_pad,
                std::optional<int64_t> divisor_override, const Tensor& out) {
  const int64_t dense_window[] = {1};
  Plane plane = windows_of(self, out, kernel_size, stride.value_or(IntArrayRef()), padding,
                           {dense_window, 1}, count_include_pad);
  if (divisor_override) {
    plane.rows.divide_by(*divisor_override);
    plane.columns.divide_by(1);
  }
  DType compute = compute_dtype(out.dtype());
  pool(self, plane, CEPH_ACTIVE_TABLE(pool).average[static_cast<int>(compute)], out);
}

void adaptive_avg_pool2d(const Tensor& self, IntArrayRef, const Tensor& out) {
  Plane plane{Windows(self.size(-2), out.size(-2)), Windows(self.size(-1), out.size(-1))};
  DType compute = compute_dtype(out.dtype());
  pool(self, plane, CEPH_ACTIVE_TABLE(pool).average[static_cast<int>(compute)], out);
}

}  // namespace ceph::kernels
