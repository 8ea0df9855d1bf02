#include "kernels/cpu/index_transfer.h"

#include <cstring>

#include "base/thread_pool.h"
#include "kernels/cpu/combine.h"
#include "kernels/cpu/index_lines.h"

namespace ceph::kernels {
namespace {

// Sizes with the byte strides of both sides, neighbours merged where both allow it.
struct Space {
  DimVector sizes, self, dense;

  void add(int64_t size, int64_t self_stride, int64_t dense_stride) {
    if (size == 1) return;
    if (!sizes.empty() && self.back() == self_stride * size &&
        dense.back() == dense_stride * size) {
      sizes.back() *= size;
      self.back() = self_stride;
      dense.back() = dense_stride;
      return;
    }
    sizes.push_back(size);
    self.push_back(self_stride);
    dense.push_back(dense_stride);
  }
  int64_t numel() const {
    int64_t n = 1;
    for (int64_t size : sizes) n *= size;
    return n;
  }
  // Offsets of both sides of element `linear` in row-major order.
  void locate(int64_t linear, int64_t* self_at, int64_t* dense_at) const {
    *self_at = *dense_at = 0;
    for (size_t d = sizes.size(); d-- > 0;) {
      int64_t i = linear % sizes[d];
      linear /= sizes[d];
      *self_at += i * self[d];
      *dense_at += i * dense[d];
    }
  }
};

struct Layout3 {
  Space before, positions, after;  // positions: of `dense` only, self's come from the plan
  int64_t count = 0;               // positions
};

Layout3 layout_of(const IndexPlan& plan, const Tensor& self, const Tensor& dense) {
  Layout3 l;
  int64_t item = static_cast<int64_t>(item_size(self.dtype()));
  int64_t d = 0;
  auto dense_stride = [&] { return dense.stride(d++) * item; };
  for (int64_t s : plan.dims.before)
    l.before.add(self.size(s), self.stride(s) * item, dense_stride());
  for (int64_t n : plan.dims.index_shape) l.positions.add(n, 0, dense_stride());
  for (int64_t s : plan.dims.after)
    l.after.add(self.size(s), self.stride(s) * item, dense_stride());
  l.count = plan.offsets.numel();
  return l;
}

template <class T>
struct Read {
  static constexpr bool kReads = true;
  static void line(char* self, int64_t s, char* dense, int64_t d, int64_t n) {
    constexpr int64_t item = sizeof(T);
    if (s == item && d == item && n > 1) {
      std::memcpy(dense, self, static_cast<size_t>(n * item));
      return;
    }
    for (int64_t i = 0; i < n; ++i) std::memcpy(dense + i * d, self + i * s, sizeof(T));
  }
};

template <class T>
struct Write {
  static constexpr bool kReads = false;
  static void line(char* self, int64_t s, char* dense, int64_t d, int64_t n) {
    Read<T>::line(dense, d, self, s, n);
  }
};

template <class T>
struct Accumulate {
  static constexpr bool kReads = false;
  static void line(char* self, int64_t s, char* dense, int64_t d, int64_t n) {
    constexpr int64_t item = sizeof(T);
    if (s == item && d == item) {
      T* to = reinterpret_cast<T*>(self);
      const T* from = reinterpret_cast<const T*>(dense);
      for (int64_t i = 0; i < n; ++i) to[i] = Sum<T>::of(to[i], from[i]);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      T* to = reinterpret_cast<T*>(self + i * s);
      *to = Sum<T>::of(*to, *reinterpret_cast<const T*>(dense + i * d));
    }
  }
};

// Elements [first, last) of `space`, line by line.
template <class Op>
void walk(const Space& space, char* self, char* dense, int64_t first, int64_t last) {
  if (space.sizes.empty()) {
    Op::line(self, 0, dense, 0, last - first);
    return;
  }
  int64_t inner = space.sizes.back();
  while (first < last) {
    int64_t s, d, n = std::min(inner - first % inner, last - first);
    space.locate(first, &s, &d);
    Op::line(self + s, space.self.back(), dense + d, space.dense.back(), n);
    first += n;
  }
}

template <class Op>
class Runner {
 public:
  Runner(const IndexPlan& plan, const Tensor& self, const Tensor& dense)
      : offsets_(plan.offsets.data_as<int64_t>()), l_(layout_of(plan, self, dense)),
        self_(static_cast<char*>(self.data())), dense_(static_cast<char*>(dense.data())) {}

  void run() const {
    int64_t slice = l_.after.numel(), outer = l_.before.numel();
    if (slice == 0 || outer == 0 || l_.count == 0) return;
    int64_t rows = std::max<int64_t>(1, kGrain / slice);
    if (Op::kReads) {
      parallel_for(0, outer * l_.count, rows, [&](int64_t b, int64_t e) { rows_of(b, e); });
    } else if (outer > 1) {
      // Elements under different `before` coordinates never meet, positions of one may.
      int64_t grain = std::max<int64_t>(1, rows / l_.count);
      parallel_for(0, outer, grain,
                   [&](int64_t b, int64_t e) { rows_of(b * l_.count, e * l_.count); });
    } else {
      // Each part goes through all positions: no more parts than there are threads.
      int64_t share = (slice + num_threads() - 1) / num_threads();
      int64_t grain = std::max({int64_t(64), kGrain / l_.count, share});
      parallel_for(0, slice, grain, [&](int64_t b, int64_t e) { columns_of(b, e); });
    }
  }

 private:
  // Rows [first, last) of before x positions, every element of `after`.
  void rows_of(int64_t first, int64_t last) const {
    int64_t slice = l_.after.numel(), self_before, dense_before, none, dense_at;
    for (int64_t row = first; row < last;) {
      int64_t p = row % l_.count, stop = std::min(last, row - p + l_.count);
      l_.before.locate(row / l_.count, &self_before, &dense_before);
      if (slice == 1 && l_.positions.sizes.size() <= 1) {
        int64_t step = l_.positions.sizes.empty() ? 0 : l_.positions.dense[0];
        points(self_ + self_before, dense_ + dense_before + p * step, step, p, p + (stop - row));
        row = stop;
        continue;
      }
      for (; row < stop; ++row, ++p) {
        l_.positions.locate(p, &none, &dense_at);
        walk<Op>(l_.after, self_ + self_before + offsets_[p], dense_ + dense_before + dense_at, 0,
                 slice);
      }
    }
  }

  // Single elements whose dense sides are a line.
  void points(char* self, char* dense, int64_t step, int64_t first, int64_t last) const {
    for (int64_t p = first; p < last; ++p, dense += step)
      Op::line(self + offsets_[p], 0, dense, 0, 1);
  }

  // Elements [first, last) of `after` at every position, in order.
  void columns_of(int64_t first, int64_t last) const {
    int64_t none, dense_at;
    for (int64_t p = 0; p < l_.count; ++p) {
      l_.positions.locate(p, &none, &dense_at);
      walk<Op>(l_.after, self_ + offsets_[p], dense_ + dense_at, first, last);
    }
  }

  const int64_t* offsets_;
  Layout3 l_;
  char* self_;
  char* dense_;
};

template <template <class> class Op>
void move_bytes(const IndexPlan& plan, const Tensor& self, const Tensor& dense) {
  with_item(self.dtype(), [&](auto item) { Runner<Op<decltype(item)>>(plan, self, dense).run(); });
}

void accumulate(const IndexPlan& plan, const Tensor& self, const Tensor& dense) {
  switch (self.dtype()) {
#define CEPH_CASE(name, type)                                                                      \
  case DType::name:                                                                                \
    return Runner<Accumulate<type>>(plan, self, dense).run();
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
    fail(ErrorKind::kNotImplemented, "index_put", "accumulate does not work for ",
         name_of(self.dtype()));
  }
}

}  // namespace

void transfer(Transfer kind, const IndexPlan& plan, const Tensor& self, const Tensor& dense) {
  switch (kind) {
  case Transfer::kRead:
    return move_bytes<Read>(plan, self, dense);
  case Transfer::kWrite:
    return move_bytes<Write>(plan, self, dense);
  case Transfer::kAccumulate:
    return accumulate(plan, self, dense);
  }
}

}  // namespace ceph::kernels
