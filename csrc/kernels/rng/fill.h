#pragma once

#include "core/generator.h"
#include "core/tensor.h"
#include "kernels/rng/draw.h"

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

// Integers of the draw from `from` on; any real dtype or bool.
void draw_integers(const Tensor& self, int64_t from, const IntegerDraw& draw,
                   GeneratorImpl& generator);

// Laws that are drawn in double precision whatever the dtype: the parameters of each, and the
// dtypes that it is for.
enum class Law {
  Bernoulli,    // p; any real dtype or bool
  Geometric,    // p; any real dtype
  Exponential,  // lambda; floating, as the rest
  Cauchy,       // median, sigma
  LogNormal,    // mean and std of the logarithm
};
void draw_law(const char* op, const Tensor& self, Law law, double first, double second,
              GeneratorImpl& generator);

// out = x / keep with probability keep, else x * 0 (without a draw where keep is 0); floating
// dtypes. Both are `count` elements in a row; they may be the same.
void draw_dropout(const Tensor& x, const Tensor& out, double keep, GeneratorImpl& generator);

// Row by row of p [rows, categories], as many places as out [rows, count] has columns, int64; both
// contiguous. With replacement by the sums of a row up to each place, else in the order of p over
// an exponential draw.
void draw_places(const Tensor& p, const Tensor& out, bool replacement, GeneratorImpl& generator);

// out = 1 with probability p, else 0. Same shape, both contiguous, of one floating dtype.
void draw_bernoulli(const Tensor& p, const Tensor& out, GeneratorImpl& generator);

// A permutation of 0 .. n-1 into a contiguous tensor of n elements (Fisher and Yates).
void draw_permutation(const Tensor& out, GeneratorImpl& generator);

}  // namespace ceph::kernels
