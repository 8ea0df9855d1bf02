#include <cmath>
#include <numeric>
#include <vector>

#include "core/tensor_iterator.h"
#include "kernels/rng/box_muller.h"
#include "kernels/rng/draw.h"
#include "kernels/rng/fill.h"

namespace ceph::kernels {
namespace {

using Lock = std::lock_guard<std::mutex>;

// Stores next() into every element, in the order of memory.
template <class T, class F>
void fill_in_order(const char* op, const Tensor& self, F&& next) {
  Tensor out = self;
  Tensor* outputs[] = {&out};
  DType dtypes[] = {self.dtype()};
  TensorIterator it = TensorIterator::build(op, ArrayRef<Tensor*>(outputs, 1),
                                            ArrayRef<DType>(dtypes, 1), {}, /*resize=*/false);
  it.serial_for_each([&](char* const* data, const int64_t* strides, int64_t n0, int64_t n1) {
    for (int64_t j = 0; j < n1; ++j) {
      char* at = data[0] + j * strides[1];
      for (int64_t i = 0; i < n0; ++i, at += strides[0]) *reinterpret_cast<T*>(at) = next();
    }
  });
}

// The type in which a dtype's draws are made.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
void uniform_of(const Tensor& self, double from, double to, GeneratorImpl& generator) {
  using W = Wide<T>;
  W low = static_cast<W>(from), high = static_cast<W>(to), span = high - low;
  // Rounding may reach `to`, which is outside the range: those few values become `from`.
  W top = static_cast<W>(static_cast<T>(high));
  T bottom = static_cast<T>(low);
  bool unit = low == 0 && span == 1;
  Mt19937& engine = generator.engine();
  fill_in_order<T>("uniform_", self, [&] {
    W u = draw_unit(engine, W());
    T value = static_cast<T>(unit ? u : std::fma(u, span, low));
    return static_cast<W>(value) >= top ? bottom : value;
  });
}

// One normal draw from two uniform ones, the other of the pair kept for the next call.
double draw_pair_normal(GeneratorImpl& generator) {
  if (generator.next_double_normal) {
    double spare = *generator.next_double_normal;
    generator.next_double_normal.reset();
    return spare;
  }
  double u = draw_unit(generator.engine(), double()), v = draw_unit(generator.engine(), double());
  double radius = std::sqrt(-2.0 * std::log1p(-v)), angle = 6.283185307179586 * u;
  generator.next_double_normal = radius * std::sin(angle);
  return radius * std::cos(angle);
}

// n >= 16 numbers in a row. The last block overlaps the one before and is drawn anew.
template <class T>
void normal_row(T* data, int64_t n, double mean, double std, Mt19937& engine) {
  for (int64_t i = 0; i < n; ++i) data[i] = draw_unit(engine, T());
  normal_blocks(data, n / 16, static_cast<T>(mean), static_cast<T>(std));
  if (n % 16 == 0) return;
  T* tail = data + n - 16;
  for (int64_t i = 0; i < 16; ++i) tail[i] = draw_unit(engine, T());
  normal_blocks(tail, 1, static_cast<T>(mean), static_cast<T>(std));
}

// The same for dtypes of 16 bits, block by block through float.
template <class T>
void normal_row_narrow(T* data, int64_t n, float mean, float std, Mt19937& engine) {
  float block[16];
  for (int64_t i = 0; i < n; i += 16) {
    T* to = data + std::min(i, n - 16);
    for (float& u : block) u = draw_unit(engine, float());
    normal_blocks(block, 1, mean, std);
    for (int64_t j = 0; j < 16; ++j) to[j] = static_cast<T>(block[j]);
  }
}

template <class T>
void normal_of(const Tensor& self, double mean, double std, GeneratorImpl& generator) {
  if (self.numel() >= 16 && self.is_contiguous()) {
    T* data = self.data_as<T>();
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      normal_row(data, self.numel(), mean, std, generator.engine());
    } else {
      normal_row_narrow(data, self.numel(), static_cast<float>(mean), static_cast<float>(std),
                        generator.engine());
    }
    return;
  }
  fill_in_order<T>("normal_", self,
                   [&] { return static_cast<T>(draw_pair_normal(generator) * std + mean); });
}

template <class T>
void complex_normal_of(const Tensor& self, double mean, double std, GeneratorImpl& generator) {
  using C = std::complex<T>;
  double part = std / std::sqrt(2.0);
  if (self.numel() >= 8 && self.is_contiguous()) {
    T* data = reinterpret_cast<T*>(self.data_as<C>());
    normal_row(data, 2 * self.numel(), 0, part, generator.engine());
    if (mean == 0) return;
    for (int64_t i = 0; i < self.numel(); ++i) data[2 * i] += static_cast<T>(mean);
    return;
  }
  fill_in_order<C>("normal_", self, [&] {
    T real = static_cast<T>(draw_pair_normal(generator) * part + mean);
    return C(real, static_cast<T>(draw_pair_normal(generator) * part));
  });
}

template <class T>
void integers_of(const Tensor& self, int64_t from, const IntegerDraw& draw,
                 GeneratorImpl& generator) {
  uint64_t first = static_cast<uint64_t>(from);
  Mt19937& engine = generator.engine();
  fill_in_order<T>("random_", self, [&] {
    int64_t value = static_cast<int64_t>(first + draw(engine));
    if constexpr (std::is_same_v<T, bool>)
      return value != 0;
    else
      return static_cast<T>(value);
  });
}

template <class T>
void bernoulli_of(const Tensor& p, const Tensor& out, GeneratorImpl& generator) {
  using W = Wide<T>;
  const T* from = p.data_as<T>();
  T* to = out.data_as<T>();
  for (int64_t i = 0; i < p.numel(); ++i) {
    bool one = draw_unit(generator.engine(), W()) < static_cast<W>(from[i]);
    to[i] = static_cast<T>(one ? W(1) : W(0));
  }
}

// Positions are drawn as int64 and swapped in the output's own type.
template <class T>
void permutation_of(const Tensor& out, GeneratorImpl& generator) {
  T* data = out.data_as<T>();
  int64_t n = out.numel();
  for (int64_t i = 0; i < n; ++i) data[i] = static_cast<T>(i);
  PlaceDraw draw(n);
  for (int64_t i = 0; i < n - 1; ++i) std::swap(data[i], data[i + draw(generator.engine(), n - i)]);
}

double draw_exponential(Mt19937& engine, double lambda) {
  return -1.0 / lambda * std::log1p(-draw_unit(engine, double()));
}

// The number of trials up to the first success. Of a draw of 0 that is infinite.
double draw_trials(Mt19937& engine, double p) {
  return std::ceil(std::log(draw_unit(engine, double())) / std::log1p(-p));
}

// A double in any real dtype: whole numbers beyond an integral one wrap, 16 bits are rounded by way
// of float.
template <class T>
T number_of(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr double kEnd = 0x1p63;
    return static_cast<T>(value < kEnd ? static_cast<int64_t>(value) : INT64_MAX);
  } else {
    return static_cast<T>(static_cast<Wide<T>>(value));
  }
}

template <class T>
void law_of(const char* op, const Tensor& self, Law law, double first, double second,
            GeneratorImpl& generator) {
  Mt19937& engine = generator.engine();
  auto fill = [&](auto&& next) {
    fill_in_order<T>(op, self, [&] { return number_of<T>(next()); });
  };
  switch (law) {
  case Law::Bernoulli:
    return fill([&] { return draw_unit(engine, double()) < first ? 1.0 : 0.0; });
  case Law::Geometric:
    return fill([&] { return draw_trials(engine, first); });
  case Law::Exponential:
    return fill([&] { return draw_exponential(engine, first); });
  case Law::Cauchy:
    return fill([&] {
      constexpr double kPi = 3.14159265358979323846;
      return first + second * std::tan(kPi * (draw_unit(engine, double()) - 0.5));
    });
  case Law::LogNormal:
    return fill([&] { return std::exp(draw_pair_normal(generator) * second + first); });
  }
}

// Words are taken by the block, which is faster than one at a time.
template <class T>
void dropout_of(const Tensor& x, const Tensor& out, double keep, GeneratorImpl& generator) {
  using W = Wide<T>;
  constexpr int64_t kBlock = 512;
  // Of a draw in [0, 1) with 53 bits: below keep.
  const uint64_t end = static_cast<uint64_t>(std::ceil(keep * 0x1p53));
  const W scale = static_cast<W>(static_cast<T>(W(1) / static_cast<W>(keep)));
  const T* from = x.data_as<T>();
  T* to = out.data_as<T>();
  uint32_t words[2 * kBlock] = {};
  for (int64_t start = 0; start < x.numel(); start += kBlock) {
    const int64_t count = std::min(kBlock, x.numel() - start);
    if (end > 0) generator.engine().fill(words, 2 * count);
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t high = words[2 * i] & 0x1fffffu;
      const W factor = (high << 32 | words[2 * i + 1]) < end ? scale : W(0);
      to[start + i] = static_cast<T>(static_cast<W>(from[start + i]) * factor);
    }
  }
}

// A row's sums up to each place, as parts of the whole, into `sums`.
template <class T, class W>
void running_parts(const T* p, int64_t n, W* sums) {
  W sum = 0;
  for (int64_t i = 0; i < n; ++i) sums[i] = sum += static_cast<W>(p[i]);
  for (int64_t i = 0; i < n; ++i) sums[i] /= sum;
  sums[n - 1] = 1;
}

// The `count` places with the largest keys, the largest first; of equal keys the first place.
template <class T>
void largest_places(const std::vector<T>& keys, int64_t* places, int64_t count) {
  std::vector<int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int64_t a, int64_t b) {
    return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
  });
  std::copy_n(order.begin(), count, places);
}

template <class T>
void places_of(const Tensor& p, const Tensor& out, bool replacement, GeneratorImpl& generator) {
  using W = Wide<T>;
  const int64_t rows = p.sizes()[0], categories = p.sizes()[1], count = out.sizes()[1];
  Mt19937& engine = generator.engine();
  std::vector<W> row(static_cast<size_t>(categories));
  for (int64_t r = 0; r < rows; ++r) {
    const T* from = p.data_as<T>() + r * categories;
    int64_t* to = out.data_as<int64_t>() + r * count;
    if (replacement) {
      running_parts(from, categories, row.data());
      for (int64_t i = 0; i < count; ++i) {
        const double u = draw_unit(engine, double());
        to[i] = std::lower_bound(row.begin(), row.end(), u) - row.begin();
      }
      continue;
    }
    for (int64_t i = 0; i < categories; ++i) {
      const W time = static_cast<W>(number_of<T>(draw_exponential(engine, 1)));
      const W weight = static_cast<W>(from[i]);
      row[i] = weight == 0 ? 0 : static_cast<W>(static_cast<T>(weight / time));
    }
    largest_places(row, to, count);
  }
}

[[noreturn]] void refuse_dtype(const char* op, const Tensor& self) {
  fail(ErrorKind::kNotImplemented, op, "does not work for ", name_of(self.dtype()));
}

}  // namespace

#define CEPH_FLOATING(call)                                                                        \
  case DType::Float16:                                                                             \
    return call(Half);                                                                             \
  case DType::BFloat16:                                                                            \
    return call(BFloat16);                                                                         \
  case DType::Float32:                                                                             \
    return call(float);                                                                            \
  case DType::Float64:                                                                             \
    return call(double);
#define CEPH_INTEGRAL(call)                                                                        \
  case DType::UInt8:                                                                               \
    return call(uint8_t);                                                                          \
  case DType::Int8:                                                                                \
    return call(int8_t);                                                                           \
  case DType::Int16:                                                                               \
    return call(int16_t);                                                                          \
  case DType::Int32:                                                                               \
    return call(int32_t);                                                                          \
  case DType::Int64:                                                                               \
    return call(int64_t);

void draw_uniform(const Tensor& self, double from, double to, GeneratorImpl& generator) {
  Lock lock(generator.mutex());
#define CEPH_CALL(T) uniform_of<T>(self, from, to, generator)
  switch (self.dtype()) {
    CEPH_FLOATING(CEPH_CALL)
  default:
    refuse_dtype("uniform_", self);
  }
#undef CEPH_CALL
}

void draw_normal(const Tensor& self, double mean, double std, GeneratorImpl& generator) {
  Lock lock(generator.mutex());
#define CEPH_CALL(T) normal_of<T>(self, mean, std, generator)
  switch (self.dtype()) {
    CEPH_FLOATING(CEPH_CALL)
  case DType::Complex64:
    return complex_normal_of<float>(self, mean, std, generator);
  case DType::Complex128:
    return complex_normal_of<double>(self, mean, std, generator);
  default:
    refuse_dtype("normal_", self);
  }
#undef CEPH_CALL
}

void draw_integers(const Tensor& self, int64_t from, const IntegerDraw& draw,
                   GeneratorImpl& generator) {
  Lock lock(generator.mutex());
#define CEPH_CALL(T) integers_of<T>(self, from, draw, generator)
  switch (self.dtype()) {
  case DType::Bool:
    return integers_of<bool>(self, from, draw, generator);
    CEPH_INTEGRAL(CEPH_CALL)
    CEPH_FLOATING(CEPH_CALL)
  default:
    refuse_dtype("random_", self);
  }
#undef CEPH_CALL
}

void draw_bernoulli(const Tensor& p, const Tensor& out, GeneratorImpl& generator) {
  Lock lock(generator.mutex());
#define CEPH_CALL(T) bernoulli_of<T>(p, out, generator)
  switch (p.dtype()) {
    CEPH_FLOATING(CEPH_CALL)
  default:
    refuse_dtype("bernoulli", p);
  }
#undef CEPH_CALL
}

void draw_law(const char* op, const Tensor& self, Law law, double first, double second,
              GeneratorImpl& generator) {
  Lock lock(generator.mutex());
#define CEPH_CALL(T) law_of<T>(op, self, law, first, second, generator)
  switch (self.dtype()) {
  case DType::Bool:
    return law_of<bool>(op, self, law, first, second, generator);
    CEPH_INTEGRAL(CEPH_CALL)
    CEPH_FLOATING(CEPH_CALL)
  default:
    refuse_dtype(op, self);
  }
#undef CEPH_CALL
}

void draw_dropout(const Tensor& x, const Tensor& out, double keep, GeneratorImpl& generator) {
  Lock lock(generator.mutex());
#define CEPH_CALL(T) dropout_of<T>(x, out, keep, generator)
  switch (x.dtype()) {
    CEPH_FLOATING(CEPH_CALL)
  default:
    refuse_dtype("dropout", x);
  }
#undef CEPH_CALL
}

void draw_places(const Tensor& p, const Tensor& out, bool replacement, GeneratorImpl& generator) {
  Lock lock(generator.mutex());
#define CEPH_CALL(T) places_of<T>(p, out, replacement, generator)
  switch (p.dtype()) {
    CEPH_FLOATING(CEPH_CALL)
  default:
    refuse_dtype("multinomial", p);
  }
#undef CEPH_CALL
}

void draw_permutation(const Tensor& out, GeneratorImpl& generator) {
  Lock lock(generator.mutex());
#define CEPH_CALL(T) permutation_of<T>(out, generator)
  switch (out.dtype()) {
    CEPH_INTEGRAL(CEPH_CALL)
    CEPH_FLOATING(CEPH_CALL)
  default:
    refuse_dtype("randperm", out);
  }
#undef CEPH_CALL
}

#undef CEPH_FLOATING
#undef CEPH_INTEGRAL

}  // namespace ceph::kernels
