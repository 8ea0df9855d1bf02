#include "kernels/fill.h"

#include <cstring>

#include "core/tensor_iterator.h"
#include "kernels/copy.h"
#include "kernels/repeat.h"
#include "kernels/tables.h"

namespace ceph::kernels {

namespace {

// One element of a dtype, as bytes.
struct Pattern {
  alignas(16) char bytes[16] = {};
  size_t size = 1;

  bool one_byte() const {
    for (size_t i = 1; i < size; ++i) {
      if (bytes[i] != bytes[0]) return false;
    }
    return true;
  }
};

void fill_line(char* to, int64_t stride, int64_t count, const Pattern& pattern) {
  const auto item = static_cast<int64_t>(pattern.size);
  if (stride == item) return repeat_item(to, pattern.bytes, item, count);
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * stride, pattern.bytes, pattern.size);
}

void fill_pattern(const Tensor& self, const Pattern& pattern) {
  if (self.numel() == 0) return;
  auto item = static_cast<int64_t>(pattern.size);
  if (self.is_contiguous()) {
    char* data = static_cast<char*>(self.data());
    bool bytes = pattern.one_byte();
    parallel_for(0, self.numel(), kGrain, [&](int64_t first, int64_t last) {
      char* at = data + first * item;
      if (bytes)
        std::memset(at, pattern.bytes[0], static_cast<size_t>((last - first) * item));
      else
        fill_line(at, item, last - first, pattern);
    });
    return;
  }
  DimVector strides = self.strides();
  for (int64_t& stride : strides) stride *= item;
  char* data = static_cast<char*>(self.data());
  TensorIterator it = TensorIterator::over(self.sizes(), {data}, {strides});
  it.for_each([&](char* const* at, const int64_t* steps, int64_t size0, int64_t size1) {
    for (int64_t row = 0; row < size1; ++row) {
      fill_line(at[0] + row * steps[1], steps[0], size0, pattern);
    }
  });
}

Pattern pattern_of(const char* op, const Scalar& value, DType dtype) {
  Pattern pattern;
  pattern.size = item_size(dtype);
  switch (dtype) {
#define CEPH_CASE(name, type, text)                                                                \
  case DType::name: {                                                                              \
    type element = value.to<type>(op);                                                             \
    std::memcpy(pattern.bytes, &element, sizeof(type));                                            \
    break;                                                                                         \
  }
    CEPH_FORALL_DTYPES(CEPH_CASE)
#undef CEPH_CASE
  }
  return pattern;
}

}  // namespace

void fill(const char* op, const Tensor& self, const Scalar& value) {
  fill_pattern(self, pattern_of(op, value, self.dtype()));
}

void zero(const Tensor& self) {
  Pattern pattern;
  pattern.size = item_size(self.dtype());
  fill_pattern(self, pattern);
}

void arange_fill(const Tensor& out, const Scalar& start, const Scalar& step) {
  if (!out.is_contiguous()) {
    Tensor flat = empty_tensor(out.sizes(), out.dtype(), out.device(), "arange");
    arange_fill(flat, start, step);
    return copy_into(out, flat);
  }
  auto index = static_cast<int>(out.dtype());
  const CreationTable& table = CEPH_ACTIVE_TABLE(creation);
  auto item = static_cast<int64_t>(item_size(out.dtype()));
  char* data = static_cast<char*>(out.data());
  bool integral = is_integral(out.dtype());
  CEPH_INTERNAL(integral || table.floating_range[index]);
  int64_t first_int = integral ? start.to_int64("arange") : 0;
  int64_t step_int = integral ? step.to_int64("arange") : 0;
  double first_real = integral ? 0 : start.to_double("arange");
  double step_real = integral ? 0 : step.to_double("arange");
  parallel_for(0, out.numel(), kGrain, [&](int64_t first, int64_t last) {
    void* at = data + first * item;
    if (integral)
      table.integer_range[index](at, first, last - first, first_int, step_int);
    else
      table.floating_range[index](at, first, last - first, first_real, step_real);
  });
}

}  // namespace ceph::kernels
