#pragma once

#include "core/tensor_iterator.h"
#include "kernels/cpu/index_plan.h"

// What gather and the scatter ops share: an index of any shape names, for each of its elements, a
// place along one dimension of self; the other coordinates are the element's own.

namespace ceph::kernels {

// A tensor without dimensions counts as one of one dimension.
Tensor at_least_1d(const Tensor& t);

void check_index_dtype(const char* op, const Tensor& index);

// Refuses, with this kind of error, an index outside [0, size). No index is read twice where one
// pass can tell.
void check_range(const char* op, ErrorKind kind, const Tensor& index, int64_t dim, int64_t size);

DimVector byte_strides(const Tensor& t);

struct Item16 {
  uint64_t words[2];
};

// Calls body(T()) for a plain type of the size of an element.
template <class F>
void with_item(DType dtype, F&& body) {
  switch (item_size(dtype)) {
  case 1:
    return body(uint8_t());
  case 2:
    return body(uint16_t());
  case 4:
    return body(uint32_t());
  case 8:
    return body(uint64_t());
  default:
    return body(Item16());
  }
}

// Elements that are worked on one after the other. Steps are in bytes; `stride` is that of self
// along the indexed dimension, `self_step` that from one element of the run to the next.
struct Run {
  char *self, *index, *other;
  int64_t self_step, index_step, other_step, stride, count;
};

// Calls body(self_element, other_element) for each element of a run, in order. T is what an element
// is made of: steps that are known at compile time make the loop tight.
template <class T, class I, class F>
void each_place(const Run& r, F&& body) {
  constexpr int64_t kItem = sizeof(T), kIndex = sizeof(I);
  auto place = [&](int64_t i, int64_t step) {
    return static_cast<int64_t>(*reinterpret_cast<const I*>(r.index + i * step)) * r.stride;
  };
  if (r.self_step == 0 && r.index_step == kIndex && r.other_step == kItem) {
    for (int64_t i = 0; i < r.count; ++i) body(r.self + place(i, kIndex), r.other + i * kItem);
  } else {
    for (int64_t i = 0; i < r.count; ++i) {
      body(r.self + i * r.self_step + place(i, r.index_step), r.other + i * r.other_step);
    }
  }
}

// Splits the index into runs. Elements that may meet at one place of self lie along `dim`; these
// are worked on by one thread, in order, so that results don't depend on the number of threads.
// `other` has the index's sizes at least. All are tensors of one dimension and more.
using RunBody = FunctionRef<void(const Run&)>;
void for_each_run(const Tensor& index, size_t dim, const Tensor& self, const Tensor& other,
                  RunBody body);

}  // namespace ceph::kernels
