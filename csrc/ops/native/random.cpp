#include <cmath>

#include "generated/native/random.h"
#include "kernels/copy.h"
#include "kernels/rng/fill.h"
#include "ops/native/options.h"

// Random draws: every check comes before the first draw, so that a refused call leaves the
// generator as it was.

namespace ceph::ops::impl {
namespace {

// Numbers of the dtype: largest finite, and how many bits of integers it holds without gaps.
struct Limits {
  double lowest, highest;
  int digits;
};

template <class T>
Limits limits_of() {
  using L = std::numeric_limits<T>;
  return {static_cast<double>(L::lowest()), static_cast<double>(L::max()), L::digits};
}

Limits limits(const char* op, DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return {0, 1, 1};
#define CEPH_CASE(name, type)                                                                      \
  case DType::name:                                                                                \
    return limits_of<type>();
    CEPH_CASE(UInt8, uint8_t)
    CEPH_CASE(Int8, int8_t)
    CEPH_CASE(Int16, int16_t)
    CEPH_CASE(Int32, int32_t)
    CEPH_CASE(Int64, int64_t)
    CEPH_CASE(Float16, Half)
    CEPH_CASE(BFloat16, BFloat16)
    CEPH_CASE(Float32, float)
    CEPH_CASE(Float64, double)
#undef CEPH_CASE
  default:
    fail(ErrorKind::kNotImplemented, op, "does not work for ", name_of(dtype));
  }
}

void check_no_overlap(const char* op, const Tensor& self) {
  CEPH_CHECK(!overlaps_itself(self), ErrorKind::kRuntime, op, "several elements of self (size ",
             self.sizes(), ", strides ", self.strides(), ") lie in one place; clone it first");
}

void check_plain_floating(const char* op, const Tensor& self, bool complex_too = false) {
  DType t = self.dtype();
  bool fits = (is_floating(t) && !is_float8(t)) || (complex_too && is_complex(t));
  CEPH_CHECK(fits, ErrorKind::kNotImplemented, op, "expected a floating dtype; got ", name_of(t));
}

// The value that `value` has in the dtype.
double rounded(double value, DType dtype) {
  switch (dtype) {
  case DType::Float16:
    return static_cast<double>(static_cast<float>(Half(value)));
  case DType::BFloat16:
    return static_cast<double>(static_cast<float>(BFloat16(value)));
  case DType::Float32:
    return static_cast<double>(static_cast<float>(value));
  default:
    return value;
  }
}

// Where `to - 1` rounds up to `to` or beyond, the end becomes the value before the rounded one, so
// that no draw rounds to `to`.
int64_t rounded_end(int64_t to, DType dtype, int digits) {
  if (!is_floating(dtype)) return to;
  double last = static_cast<double>(to - 1), nearest = rounded(last, dtype);
  if (nearest < static_cast<double>(to)) return to;
  return static_cast<int64_t>(nearest - std::ldexp(1.0, std::ilogb(last) - digits + 1));
}

struct IntegerRange {
  int64_t from;
  uint64_t range;  // 0: 2^64
};

void check_not_empty(int64_t from, int64_t to) {
  CEPH_CHECK(from < to, ErrorKind::kRuntime, "random_", "from must be less than to; got from ",
             from, " and to ", to);
}

IntegerRange bounded_range(const Tensor& self, int64_t from, int64_t to) {
  Limits l = limits("random_", self.dtype());
  check_not_empty(from, to);
  auto fits = [&](int64_t v) {
    double d = static_cast<double>(v);
    return d >= l.lowest && d <= l.highest;
  };
  CEPH_CHECK(fits(from) && fits(to - 1), ErrorKind::kRuntime, "random_", "[from, to) must lie in ",
             name_of(self.dtype()), "; got from ", from, " and to ", to);
  to = rounded_end(to, self.dtype(), l.digits);
  check_not_empty(from, to);
  return {from, static_cast<uint64_t>(to) - static_cast<uint64_t>(from)};
}

// No end: up to the dtype's largest integer, or 2^digits, with both included.
IntegerRange open_range(const Tensor& self, int64_t from) {
  Limits l = limits("random_", self.dtype());
  CEPH_CHECK(static_cast<double>(from) >= l.lowest, ErrorKind::kRuntime, "random_",
             "from must lie in ", name_of(self.dtype()), "; got ", from);
  int64_t last = is_floating(self.dtype())      ? int64_t(1) << l.digits
                 : self.dtype() == DType::Int64 ? INT64_MAX
                                                : static_cast<int64_t>(l.highest);
  bool whole = from == INT64_MIN && (is_floating(self.dtype()) || self.dtype() == DType::Int64);
  if (whole) return {0, 0};  // the words as they are
  CEPH_CHECK(from <= last, ErrorKind::kRuntime, "random_", "from must be at most ", last, " for ",
             name_of(self.dtype()), "; got ", from);
  return {from, static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1};
}

void check_permutation(int64_t n, DType dtype) {
  CEPH_CHECK(n >= 0, ErrorKind::kRuntime, "randperm", "n must not be negative; got ", n);
  CEPH_CHECK(dtype != DType::Bool, ErrorKind::kNotImplemented, "randperm",
             "does not work for bool");
  Limits l = limits("randperm", dtype);
  bool fits = l.digits >= 63 || n - 1 <= (is_floating(dtype) ? int64_t(1) << l.digits
                                                             : static_cast<int64_t>(l.highest));
  CEPH_CHECK(fits, ErrorKind::kRuntime, "randperm", "0 .. n-1 must be representable in ",
             name_of(dtype), "; got n ", n);
}

template <class T>
bool all_probabilities(const T* p, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double v = static_cast<double>(p[i]);
    if (!(v >= 0 && v <= 1)) return false;
  }
  return true;
}

bool all_probabilities(const Tensor& p) {
  switch (p.dtype()) {
  case DType::Float16:
    return all_probabilities(p.data_as<Half>(), p.numel());
  case DType::BFloat16:
    return all_probabilities(p.data_as<BFloat16>(), p.numel());
  case DType::Float32:
    return all_probabilities(p.data_as<float>(), p.numel());
  default:
    return all_probabilities(p.data_as<double>(), p.numel());
  }
}

// Whether a row of n weights can be drawn from: finite, none below 0, some above it.
template <class T>
bool all_weights(const T* p, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    bool some = false;
    for (int64_t i = r * n; i < (r + 1) * n; ++i) {
      const double v = static_cast<double>(p[i]);
      if (!(v >= 0 && std::isfinite(v))) return false;
      some = some || v > 0;
    }
    if (!some) return false;
  }
  return true;
}

bool all_weights(const Tensor& p) {
  const int64_t rows = p.sizes()[0], n = p.sizes()[1];
  switch (p.dtype()) {
  case DType::Float16:
    return all_weights(p.data_as<Half>(), rows, n);
  case DType::BFloat16:
    return all_weights(p.data_as<BFloat16>(), rows, n);
  case DType::Float32:
    return all_weights(p.data_as<float>(), rows, n);
  default:
    return all_weights(p.data_as<double>(), rows, n);
  }
}

// `t` in the logical order of `sizes`, to which it broadcasts.
Tensor laid_out(const char* op, const Tensor& t, IntArrayRef sizes) {
  if (t.is_contiguous() && t.sizes() == sizes) return t;
  Tensor out = empty_tensor(sizes, t.dtype(), t.device(), op);
  kernels::copy_into(out, t);
  return out;
}

// A row, or a matrix, as a matrix. It is contiguous.
Tensor as_matrix(const Tensor& t) {
  if (t.sizes().size() == 2) return t;
  const int64_t n = t.sizes()[0];
  return view_of(t, {1, n}, {n, 1}, t->storage_offset());
}

void check_real(const char* op, const Tensor& self, bool bool_too) {
  limits(op, self.dtype());
  CEPH_CHECK(bool_too || self.dtype() != DType::Bool, ErrorKind::kNotImplemented, op,
             "does not work for bool");
}

IntegerRange integer_range(const Tensor& self, int64_t from, std::optional<int64_t> to) {
  return to ? bounded_range(self, from, *to) : open_range(self, from);
}

}  // namespace

Tensor randperm_meta(int64_t n, const Generator&, std::optional<DType> dtype, std::optional<Layout>,
                     std::optional<Device> device, std::optional<bool> pin_memory) {
  refuse_pinned("randperm", pin_memory);
  DType t = dtype.value_or(DType::Int64);
  check_permutation(n, t);
  return empty_tensor({n}, t, device_or_default(device), "randperm");
}

Tensor randperm(int64_t n, const Generator& generator, std::optional<DType> dtype,
                std::optional<Layout> layout, std::optional<Device> device,
                std::optional<bool> pin_memory) {
  GeneratorImpl& source = *cpu_generator(generator, "randperm");
  Tensor out = randperm_meta(n, generator, dtype, layout, device, pin_memory);
  kernels::draw_permutation(out, source);
  return out;
}

Tensor uniform_meta_(const Tensor& self, double from, double to, const Generator&) {
  check_plain_floating("uniform_", self);
  Limits l = limits("uniform_", self.dtype());
  CEPH_CHECK(from >= l.lowest && from <= l.highest && to >= l.lowest && to <= l.highest,
             ErrorKind::kRuntime, "uniform_", "the bounds must be finite in ",
             name_of(self.dtype()), "; got from ", from, " and to ", to);
  CEPH_CHECK(from <= to, ErrorKind::kRuntime, "uniform_",
             "from must not be greater than to; got from ", from, " and to ", to);
  CEPH_CHECK(to - from <= l.highest, ErrorKind::kRuntime, "uniform_",
             "to - from must be finite in ", name_of(self.dtype()), "; got from ", from, " and to ",
             to);
  check_no_overlap("uniform_", self);
  return self;
}

Tensor uniform_(const Tensor& self, double from, double to, const Generator& generator) {
  uniform_meta_(self, from, to, generator);
  kernels::draw_uniform(self, from, to, *cpu_generator(generator, "uniform_"));
  return self;
}

Tensor normal_meta_(const Tensor& self, double, double std, const Generator&) {
  check_plain_floating("normal_", self, /*complex_too=*/true);
  CEPH_CHECK(std >= 0, ErrorKind::kRuntime, "normal_", "std must not be negative; got ", std);
  check_no_overlap("normal_", self);
  return self;
}

Tensor normal_(const Tensor& self, double mean, double std, const Generator& generator) {
  normal_meta_(self, mean, std, generator);
  kernels::draw_normal(self, mean, std, *cpu_generator(generator, "normal_"));
  return self;
}

Tensor random_from_meta_(const Tensor& self, int64_t from, std::optional<int64_t> to,
                         const Generator&) {
  integer_range(self, from, to);
  check_no_overlap("random_", self);
  return self;
}

Tensor random_from_(const Tensor& self, int64_t from, std::optional<int64_t> to,
                    const Generator& generator) {
  IntegerRange r = integer_range(self, from, to);
  check_no_overlap("random_", self);
  kernels::draw_integers(self, r.from, kernels::IntegerDraw(r.range),
                         *cpu_generator(generator, "random_"));
  return self;
}

Tensor random_meta_(const Tensor& self, const Generator& generator) {
  return random_from_meta_(self, 0, std::nullopt, generator);
}

Tensor random_(const Tensor& self, const Generator& generator) {
  random_meta_(self, generator);
  // A range of 2^31 divides the values of one word, and takes no more than that.
  IntegerRange r = open_range(self, 0);
  kernels::IntegerDraw draw(r.range, r.range <= uint64_t(1) << 31);
  kernels::draw_integers(self, 0, draw, *cpu_generator(generator, "random_"));
  return self;
}

Tensor exponential_meta_(const Tensor& self, double lambd, const Generator&) {
  check_plain_floating("exponential_", self);
  CEPH_CHECK(lambd > 0, ErrorKind::kRuntime, "exponential_", "lambd must be above 0; got ", lambd);
  check_no_overlap("exponential_", self);
  return self;
}

Tensor exponential_(const Tensor& self, double lambd, const Generator& generator) {
  exponential_meta_(self, lambd, generator);
  kernels::draw_law("exponential_", self, kernels::Law::Exponential, lambd, 0,
                    *cpu_generator(generator, "exponential_"));
  return self;
}

Tensor geometric_meta_(const Tensor& self, double p, const Generator&) {
  check_real("geometric_", self, /*bool_too=*/false);
  CEPH_CHECK(p > 0 && p < 1, ErrorKind::kRuntime, "geometric_", "p must lie between 0 and 1; got ",
             p);
  check_no_overlap("geometric_", self);
  return self;
}

Tensor geometric_(const Tensor& self, double p, const Generator& generator) {
  geometric_meta_(self, p, generator);
  kernels::draw_law("geometric_", self, kernels::Law::Geometric, p, 0,
                    *cpu_generator(generator, "geometric_"));
  return self;
}

Tensor cauchy_meta_(const Tensor& self, double, double sigma, const Generator&) {
  check_plain_floating("cauchy_", self);
  CEPH_CHECK(sigma > 0, ErrorKind::kRuntime, "cauchy_", "sigma must be above 0; got ", sigma);
  check_no_overlap("cauchy_", self);
  return self;
}

Tensor cauchy_(const Tensor& self, double median, double sigma, const Generator& generator) {
  cauchy_meta_(self, median, sigma, generator);
  kernels::draw_law("cauchy_", self, kernels::Law::Cauchy, median, sigma,
                    *cpu_generator(generator, "cauchy_"));
  return self;
}

Tensor log_normal_meta_(const Tensor& self, double, double std, const Generator&) {
  check_plain_floating("log_normal_", self);
  CEPH_CHECK(std > 0, ErrorKind::kRuntime, "log_normal_", "std must be above 0; got ", std);
  check_no_overlap("log_normal_", self);
  return self;
}

Tensor log_normal_(const Tensor& self, double mean, double std, const Generator& generator) {
  log_normal_meta_(self, mean, std, generator);
  kernels::draw_law("log_normal_", self, kernels::Law::LogNormal, mean, std,
                    *cpu_generator(generator, "log_normal_"));
  return self;
}

Tensor bernoulli_float_meta_(const Tensor& self, double p, const Generator&) {
  check_real("bernoulli_", self, /*bool_too=*/true);
  CEPH_CHECK(p >= 0 && p <= 1, ErrorKind::kRuntime, "bernoulli_", "p must lie in [0, 1]; got ", p);
  check_no_overlap("bernoulli_", self);
  return self;
}

Tensor bernoulli_float_(const Tensor& self, double p, const Generator& generator) {
  bernoulli_float_meta_(self, p, generator);
  kernels::draw_law("bernoulli_", self, kernels::Law::Bernoulli, p, 0,
                    *cpu_generator(generator, "bernoulli_"));
  return self;
}

Tensor bernoulli_p_meta(const Tensor& self, double p, const Generator& generator) {
  const Tensor out = empty_strided_tensor(self.sizes(), preserved_strides(self), self.dtype(),
                                          self.device(), "bernoulli");
  return bernoulli_float_meta_(out, p, generator);
}

Tensor bernoulli_p(const Tensor& self, double p, const Generator& generator) {
  return bernoulli_float_(bernoulli_p_meta(self, p, generator), p, generator);
}

Tensor bernoulli_tensor_meta_(const Tensor& self, const Tensor& p, const Generator&) {
  check_real("bernoulli_", self, /*bool_too=*/true);
  check_plain_floating("bernoulli_", p);
  CEPH_CHECK(p.device() == self.device(), ErrorKind::kRuntime, "bernoulli_",
             "operands must be on one device; got ", self.device(), " and ", p.device());
  check_broadcasts_to("bernoulli_", p.sizes(), self.sizes());
  check_no_overlap("bernoulli_", self);
  return self;
}

Tensor bernoulli_tensor_(const Tensor& self, const Tensor& p, const Generator& generator) {
  bernoulli_tensor_meta_(self, p, generator);
  GeneratorImpl& source = *cpu_generator(generator, "bernoulli_");
  const Tensor each = laid_out("bernoulli_", p, self.sizes());
  CEPH_CHECK(all_probabilities(each), ErrorKind::kRuntime, "bernoulli_",
             "every probability must lie in [0, 1]");
  Tensor drawn = empty_tensor(self.sizes(), p.dtype(), self.device(), "bernoulli_");
  kernels::draw_bernoulli(each, drawn, source);
  kernels::copy_into(self, drawn);
  return self;
}

Tensor dropout_meta(const Tensor& input, double p, bool train) {
  CEPH_CHECK(p >= 0 && p <= 1, ErrorKind::kRuntime, "dropout", "p must lie in [0, 1]; got ", p);
  if (!train || p == 0) return input;
  check_plain_floating("dropout", input);
  return empty_strided_tensor(input.sizes(), preserved_strides(input), input.dtype(),
                              input.device(), "dropout");
}

Tensor dropout(const Tensor& input, double p, bool train) {
  Tensor out = dropout_meta(input, p, train);
  if (!train || p == 0) return out;
  Tensor from = input;
  if (IntArrayRef(input.strides()) != IntArrayRef(out.strides())) {
    kernels::copy_into(out, input);
    from = out;
  }
  kernels::draw_dropout(from, out, 1 - p, *cpu_generator(Generator(), "dropout"));
  return out;
}

Tensor multinomial_meta(const Tensor& self, int64_t num_samples, bool replacement,
                        const Generator&) {
  check_plain_floating("multinomial", self);
  const size_t rank = self.sizes().size();
  CEPH_CHECK(rank == 1 || rank == 2, ErrorKind::kRuntime, "multinomial",
             "self must be a row of weights or a matrix of rows; got size ", self.sizes());
  CEPH_CHECK(num_samples > 0, ErrorKind::kRuntime, "multinomial",
             "num_samples must be above 0; got ", num_samples);
  const int64_t categories = self.sizes()[rank - 1];
  CEPH_CHECK(replacement || num_samples <= categories, ErrorKind::kRuntime, "multinomial",
             "without replacement num_samples must be at most the ", categories,
             " weights of a row; got ", num_samples);
  CEPH_CHECK(categories <= int64_t(1) << 24, ErrorKind::kRuntime, "multinomial",
             "a row must have at most 2^24 weights; got ", categories);
  DimVector sizes = self.sizes();
  sizes[rank - 1] = num_samples;
  return empty_tensor(sizes, DType::Int64, self.device(), "multinomial");
}

Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement,
                   const Generator& generator) {
  GeneratorImpl& source = *cpu_generator(generator, "multinomial");
  const Tensor out = multinomial_meta(self, num_samples, replacement, generator);
  const Tensor p = as_matrix(laid_out("multinomial", self, self.sizes()));
  CEPH_CHECK(all_weights(p), ErrorKind::kRuntime, "multinomial",
             "the weights must be finite and not negative, and some of each row above 0");
  kernels::draw_places(p, as_matrix(out), replacement && num_samples > 1, source);
  return out;
}

Tensor bernoulli_meta(const Tensor& self, const Generator&) {
  check_plain_floating("bernoulli", self);
  return empty_tensor(self.sizes(), self.dtype(), self.device(), "bernoulli");
}

Tensor bernoulli(const Tensor& self, const Generator& generator) {
  GeneratorImpl& source = *cpu_generator(generator, "bernoulli");
  Tensor out = bernoulli_meta(self, generator);
  const Tensor p = laid_out("bernoulli", self, self.sizes());
  CEPH_CHECK(all_probabilities(p), ErrorKind::kRuntime, "bernoulli",
             "every probability must lie in [0, 1]");
  kernels::draw_bernoulli(p, out, source);
  return out;
}

}  // namespace ceph::ops::impl
