#pragma once

#include <optional>

#include "core/tensor.h"

namespace ceph::kernels {

// One flag per dimension: whether it is folded.
using ReduceFlags = SmallVector<uint8_t, 8>;

ReduceFlags all_dims(const Tensor& self);
// No dimension listed means all of them.
ReduceFlags listed_dims(const char* op, const Tensor& self, IntArrayRef dims);
// No list means all of them, an empty one none.
ReduceFlags optional_dims(const char* op, const Tensor& self, std::optional<IntArrayRef> dims);
int64_t term_count(const Tensor& self, const ReduceFlags& reduced);

// Results that are computed contiguous, in a dtype of their own, and then put where they belong.
struct DenseOutput {
  Tensor target, tensor;

  explicit DenseOutput(const Tensor& out) : DenseOutput(out, out.dtype()) {}
  DenseOutput(const Tensor& out, DType dtype);
  void write() const;
};

// The geometry of a reduction: what is kept, what is folded, strides in bytes. Dimensions of size 1
// are left out and adjoining ones merged; the reduced ones stay in logical order, which numbers the
// terms of a result.
struct ReducePlan {
  enum class Reading : uint8_t {
    kRow,      // the terms of a result adjoin
    kGather,   // they don't
    kColumns,  // the results of one term adjoin
    kTile,     // few terms a result: gathered for many results at once
  };

  DimVector kept_sizes, kept_in, kept_out;
  DimVector reduced_sizes, reduced_in;
  int64_t outputs = 1;
  int64_t terms = 1;
  Reading reading = Reading::kGather;

  // `reduced`: one flag per dimension of `self`; `out` has them kept as 1 or left out.
  ReducePlan(const Tensor& self, ArrayRef<uint8_t> reduced, bool keepdim, const Tensor& out);

  // Byte offsets in the input and the output of `count` results from `first` on, and of terms from
  // their result.
  void input_offsets(int64_t first, int64_t count, int64_t* offsets) const;
  void output_offsets(int64_t first, int64_t count, int64_t* offsets) const;
  void term_offsets(int64_t first, int64_t count, int64_t* offsets) const;
  int64_t input_offset(int64_t output) const;
  int64_t output_offset(int64_t output) const;

 private:
  void add_kept(int64_t size, int64_t in, int64_t out);
  void add_reduced(int64_t size, int64_t in);
  void choose_reading(int64_t item);
};

}  // namespace ceph::kernels
