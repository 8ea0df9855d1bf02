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
  if (whole) return {from, 0};
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
  kernels::draw_integers(self, r.from, r.range, *cpu_generator(generator, "random_"));
  return self;
}

Tensor bernoulli_meta(const Tensor& self, const Generator&) {
  check_plain_floating("bernoulli", self);
  return empty_tensor(self.sizes(), self.dtype(), self.device(), "bernoulli");
}

Tensor bernoulli(const Tensor& self, const Generator& generator) {
  GeneratorImpl& source = *cpu_generator(generator, "bernoulli");
  Tensor out = bernoulli_meta(self, generator);
  Tensor p = self;
  if (!self.is_contiguous()) {
    p = empty_tensor(self.sizes(), self.dtype(), self.device(), "bernoulli");
    kernels::copy_into(p, self);
  }
  CEPH_CHECK(all_probabilities(p), ErrorKind::kRuntime, "bernoulli",
             "every probability must lie in [0, 1]");
  kernels::draw_bernoulli(p, out, source);
  return out;
}

}  // namespace ceph::ops::impl
