#pragma once

#include "core/generator.h"
#include "core/tensor.h"

namespace ceph::kernels {

// Note [Order of draws]
// Draws are taken in the order of the elements in memory (of the strides, for a tensor with gaps),
// one after the other, with the generator held for the whole tensor. So are PyTorch's, and the same
// seed gives the same values. bernoulli alone follows the logical order.
//
// Arguments have been checked; an output that overlaps itself is refused here, before any draw.

// float16, bfloat16, float32, float64: [from, to) with both in the dtype's range.
void draw_uniform(const Tensor& self, double from, double to, GeneratorImpl& generator);

// Floating or complex (each part then has variance std^2 / 2). Contiguous tensors of 16 numbers and
// more take the block transform, others pairs in double precision.
void draw_normal(const Tensor& self, double mean, double std, GeneratorImpl& generator);

// Integers from + [0, range), range 0 standing for 2^64; any real dtype or bool.
void draw_integers(const Tensor& self, int64_t from, uint64_t range, GeneratorImpl& generator);

// out = 1 with probability p, else 0. Same shape, both contiguous, of one floating dtype.
void draw_bernoulli(const Tensor& p, const Tensor& out, GeneratorImpl& generator);

// A permutation of 0 .. n-1 into a contiguous tensor of n elements (Fisher and Yates).
void draw_permutation(const Tensor& out, GeneratorImpl& generator);

}  // namespace ceph::kernels
