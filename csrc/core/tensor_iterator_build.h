#pragma once

#include "core/tensor_iterator.h"

// How TensorIterator::build decides on shape, layout and overlap; nobody else includes this.

namespace ceph::detail {

// Order of iteration, innermost first, and the strides that a new output gets.
struct Arrangement {
  DimVector order;
  DimVector strides;
};

// Element strides of `t` seen with `sizes`: 0 where it is broadcast.
DimVector broadcast_strides(const Tensor& t, size_t rank, IntArrayRef sizes);

// Moves `index` on by size0 elements of the inner dimension, or by size1 whole rows.
void advance(DimVector& index, IntArrayRef shape, int64_t size0, int64_t size1);

struct Operands {
  const char* op;
  ArrayRef<Tensor*> outputs;
  ArrayRef<DType> dtypes;
  ArrayRef<const Tensor*> inputs;
  bool resize;

  template <class F>
  void for_each(F&& f) const {
    for (Tensor* t : outputs) f(*t);
    for (const Tensor* t : inputs) f(*t);
  }

  // The operand with the result's sizes if one loop over contiguous memory does it all, else null.
  const Tensor* all_contiguous() const;
  DimVector common_sizes() const;
  Arrangement arrange(IntArrayRef sizes) const;

  // Refuse what the result would depend on the order of writing for. Nothing is changed.
  void check_overlaps() const;
  void check_resized_overlaps(IntArrayRef sizes, IntArrayRef strides) const;

  void resize_outputs(IntArrayRef sizes, IntArrayRef strides) const;
  // `strides` empty: contiguous.
  void allocate_missing(IntArrayRef sizes, IntArrayRef strides) const;

 private:
  bool scalars_beside(const Tensor& widest) const;
  Device device() const;
  void check_devices() const;
  void check_output(size_t i, const Tensor& output) const;
};

}  // namespace ceph::detail
