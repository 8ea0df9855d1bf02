#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "core/layout.h"

// What rules emitted as C++ (generated/rules/<family>.cpp) call: the Python operations on ints and
// tuples of ints that C++ has no operator for, and the twins of rules/prelude.py.

namespace ceph::rules {

// An int whose arithmetic refuses to overflow; the error names `op`. Positions (subscripts and
// slice bounds) are plain int64_t in emitted code: a length bounds them.
class Checked {
 public:
  Checked(const char* op, int64_t value) : op_(op), value_(value) {}
  operator int64_t() const { return value_; }

  template <class B>
  friend Checked operator+(Checked a, B b) {
    int64_t sum;
    bool overflow = __builtin_add_overflow(a.value_, int64_t(b), &sum);
    return a.made(overflow, sum);
  }
  template <class B>
  friend Checked operator-(Checked a, B b) {
    int64_t difference;
    bool overflow = __builtin_sub_overflow(a.value_, int64_t(b), &difference);
    return a.made(overflow, difference);
  }
  template <class B>
  friend Checked operator*(Checked a, B b) {
    int64_t product;
    bool overflow = __builtin_mul_overflow(a.value_, int64_t(b), &product);
    return a.made(overflow, product);
  }

 private:
  Checked made(bool overflow, int64_t value) const {
    CEPH_CHECK(!overflow, ErrorKind::kRuntime, op_, "a size must fit into 64 bits; got ", value_,
               " times or plus a number that takes it out of range");
    return Checked(op_, value);
  }

  const char* op_;
  int64_t value_;
};

// Division and remainder as Python has them: towards minus infinity.
inline int64_t floor_div(const char* op, int64_t a, int64_t b) {
  CEPH_CHECK(b != 0, ErrorKind::kRuntime, op, "a size can't be divided by 0; got ", a, " / 0");
  CEPH_CHECK(b != -1, ErrorKind::kRuntime, op, "a divisor must not be -1; got ", a, " / -1");
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
inline int64_t floor_mod(const char* op, int64_t a, int64_t b) {
  return a - floor_div(op, a, b) * b;
}

template <class T>
int64_t len(const T& list) {
  return static_cast<int64_t>(list.size());
}

// list[i], negative i from the end.
template <class T>
auto at(const T& list, int64_t i) {
  int64_t position = i < 0 ? i + len(list) : i;
  CEPH_INTERNAL(position >= 0 && position < len(list));
  return list[static_cast<size_t>(position)];
}

// list[start:stop], both from the end where negative, cut to the list.
inline DimVector slice(IntArrayRef list, std::optional<int64_t> start,
                       std::optional<int64_t> stop) {
  auto position = [&](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + len(list) : i, 0, len(list));
  };
  int64_t first = position(start.value_or(0));
  int64_t last = std::max(first, position(stop.value_or(len(list))));
  return list.slice(static_cast<size_t>(first), static_cast<size_t>(last - first));
}

// a + b + ... of tuples.
inline DimVector joined(std::initializer_list<IntArrayRef> parts) {
  DimVector result;
  for (IntArrayRef part : parts) {
    for (int64_t value : part) result.push_back(value);
  }
  return result;
}

// list * count.
inline DimVector repeated(IntArrayRef list, int64_t count) {
  DimVector result;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t value : list) result.push_back(value);
  }
  return result;
}

// A float in a message, as Python prints it: 1.0, 0.5, inf.
inline std::string shown(double value) {
  char text[32];
  std::string result(text, std::to_chars(text, text + sizeof text, value).ptr);
  return result.find_first_of(".en") == std::string::npos ? result + ".0" : result;
}

inline bool same(IntArrayRef a, IntArrayRef b) { return a == b; }

// ---- twins of prelude.py: core has them already, for every other caller too
// ------------------------

inline int64_t numel(const char* op, IntArrayRef shape) { return checked_numel(shape, op); }
inline int64_t wrap_dim(const char* op, int64_t dim, int64_t rank) {
  return ceph::wrap_dim(dim, rank, op);
}
inline DimVector broadcast_shapes(const char* op, IntArrayRef a, IntArrayRef b) {
  return ceph::broadcast_shapes(a, b, op);
}
inline DimVector infer_size(const char* op, IntArrayRef size, int64_t count) {
  return ceph::infer_size(size, count, op);
}
using ceph::view_strides;
inline DType number_dtype(const Scalar& value) { return value.wrapped_dtype(); }

}  // namespace ceph::rules
