#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "kernels/cpu_features.h"
#include "kernels/pointwise_blocks.h"

// What each family's units offer: one table of function pointers per ISA, defined at the end of
// generic/<family>.h and picked by the drivers in cpu/<family>.cpp.

namespace ceph::kernels {

struct CreationTable {
  // [to][from], contiguous: data[0] = converted data[1]. Note [Casts] in copy.h.
  BlockLoop casts[kNumDTypes][kNumDTypes];
  // out[j] = start + (first + j) * step, by dtype; null where the other arithmetic applies.
  void (*integer_range[kNumDTypes])(void* out, int64_t first, int64_t count, int64_t start,
                                    int64_t step);
  void (*floating_range[kNumDTypes])(void* out, int64_t first, int64_t count, double start,
                                     double step);
};

// Note [Order of a fold]
// The terms of one result are numbered in the logical order of the reduced dimensions, whatever the
// layout. Every `chunk` of them is folded into lanes, term t into lane t mod (number of lanes); the
// lanes are combined in a tree of halves; and the chunks in a balanced tree over their numbers. So
// the result's bits depend on the terms and the ISA only, not on strides, threads or the way that
// the terms were read, and the error of a sum grows with the logarithm of its length.
struct Fold {
  DType term = DType::Float32;  // of the terms in memory
  int64_t chunk = 0;            // terms of a chunk; 0: this dtype is not folded
  int64_t item_size = 0;        // bytes of what is folded
  // One result of `count` contiguous terms, any number of chunks.
  void (*row)(const void* terms, int64_t count, void* result) = nullptr;
  // `width` results, each of the terms at its place of the rows; at most a chunk of them.
  void (*columns)(const char* const* rows, int64_t count, int64_t width, void* result) = nullptr;
  // accumulated[i] = accumulated[i] combined with next[i].
  void (*combine)(void* accumulated, const void* next, int64_t count) = nullptr;

  static constexpr int64_t kMaxColumns = 128;
};

// Folds by the dtype of their terms; bfloat16 is folded in float32, bool (a byte) in its own type.
struct ReduceTable {
  Fold sum[kNumDTypes];      // int64, bfloat16, floating and complex
  Fold nansum[kNumDTypes];   // bfloat16, float32, float64; a NaN counts as 0
  Fold product[kNumDTypes];  // int64, floating and complex
  // float32, float64: sums, in float64, of squares and of magnitudes; the largest and the smallest
  // magnitude; an item of the moments is a Moments.
  Fold squares[kNumDTypes];
  Fold magnitudes[kNumDTypes];
  Fold largest[kNumDTypes];
  Fold smallest[kNumDTypes];
  Fold moments[kNumDTypes];
  Fold maximum[kNumDTypes];  // uint8 (bool too), signed integers, float32, float64; NaN wins
  Fold minimum[kNumDTypes];
  Fold any, all;  // bool
  Fold truths;    // how many of bool are true, in int64
  // Index of the first largest (smallest) of contiguous elements, a NaN counting as such, beside
  // `best`, which holds the one of the elements before; -1 where none of these surpasses it.
  using Search = int64_t (*)(const void* terms, int64_t count, void* best);
  Search first_maximum[kNumDTypes];
  Search first_minimum[kNumDTypes];
};

// How many terms there are, their mean in two words, and the sum of the squares of their distances
// from it.
struct Moments {
  double count, mean, low, squares;
};

struct ScanTable {
  // Running sums of contiguous elements: int64, float32, float64, complex64, complex128.
  void (*cumsum[kNumDTypes])(const void* in, void* out, int64_t count);
  void (*cumprod[kNumDTypes])(const void* in, void* out, int64_t count);
  // float32, float64: running log(sum(exp)).
  void (*logcumsumexp[kNumDTypes])(const void* in, void* out, int64_t count);
};

// How elements of a channel become y = (x - mean - low) scale + shift.
struct ChannelNorm {
  double mean, low, scale, shift;
};

// One contiguous row of float32 or float64; `in` and `out` may be the same.
struct NormTable {
  void (*softmax[kNumDTypes])(const void* in, void* out, int64_t count);
  void (*log_softmax[kNumDTypes])(const void* in, void* out, int64_t count);
  // One number of the row.
  void (*logsumexp[kNumDTypes])(const void* in, int64_t count, void* result);
  // weight and bias hold `count` elements or are null.
  using NormRow = void (*)(const void* in, void* out, int64_t count, const void* weight,
                           const void* bias, double eps);
  NormRow layer_norm[kNumDTypes];
  NormRow rms_norm[kNumDTypes];
  void (*moments[kNumDTypes])(const void* in, int64_t count, Moments* result);
  // Elements of one channel, and rows of one element of each channel.
  void (*channel[kNumDTypes])(const void* in, void* out, int64_t count, const ChannelNorm& norm);
  void (*channels[kNumDTypes])(const void* in, void* out, int64_t rows, int64_t channels,
                               const ChannelNorm* norms);
};

// The windows of one direction of a plane: window i takes the elements [first[i], last[i]), every
// `step`th of them, and its sum is divided by divisor[i].
struct PoolWindows {
  int64_t size;   // of the plane
  int64_t count;  // of windows
  int64_t step;
  const int64_t* first;
  const int64_t* last;
  const int64_t* divisor;
};

// One contiguous plane. `line` holds as many elements as a row.
struct PoolTable {
  void (*maximum[kNumDTypes])(const void* in, const PoolWindows& rows, const PoolWindows& columns,
                              void* line, void* out);
  // Sums divided by the product of both directions' divisors: float32, float64.
  void (*average[kNumDTypes])(const void* in, const PoolWindows& rows, const PoolWindows& columns,
                              void* line, void* out);
};

// Scores of one query with some keys, on their way to weights; `mask` is added and `kept`
// multiplied where they are given.
struct AttentionScores {
  void* scores;    // replaced by weights, relative to the largest score so far
  int64_t count;   // of keys that the query sees
  int64_t unseen;  // keys after them, whose weights are 0
  bool first;      // nothing has been seen before
  double scale;    // of the scores
  const void* mask;
  int64_t mask_step;
  const void* kept;
};

struct AttentionTable {
  // `state`: the largest score so far and the sum of the weights; `sums` holds `width` sums of
  // weighted values, which follow the largest score.
  void (*weigh[kNumDTypes])(const AttentionScores& row, void* state, void* sums, int64_t width);
  // Sums divided by the sum of the weights; nothing seen gives 0.
  void (*finish[kNumDTypes])(const void* state, void* sums, int64_t width);
};

#define CEPH_DECLARE_TABLES(isa)                                                                   \
  namespace isa {                                                                                  \
  extern const CreationTable creation_table;                                                       \
  extern const ReduceTable reduce_table;                                                           \
  extern const ScanTable scan_table;                                                               \
  extern const NormTable norm_table;                                                               \
  extern const PoolTable pool_table;                                                               \
  extern const AttentionTable attention_table;                                                     \
  }
CEPH_DECLARE_TABLES(scalar)
#if defined(__x86_64__)
CEPH_DECLARE_TABLES(avx2)
CEPH_DECLARE_TABLES(avx512)
#endif
#undef CEPH_DECLARE_TABLES

// The table of the ISA in use: active_table(scalar::t, avx2::t, avx512::t), where the last two
// exist.
template <class Table, class... Others>
const Table& active_table(const Table& scalar_table, const Others&... others) {
  const Table* tables[] = {&scalar_table, &others...};
  return *tables[static_cast<int>(active_isa())];
}
#if defined(__x86_64__)
#define CEPH_ACTIVE_TABLE(family)                                                                  \
  active_table(scalar::family##_table, avx2::family##_table, avx512::family##_table)
#else
#define CEPH_ACTIVE_TABLE(family) active_table(scalar::family##_table)
#endif

}  // namespace ceph::kernels
