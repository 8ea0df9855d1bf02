// Weights of attention, block of keys by block: a running maximum keeps every power in range.

#include "kernels/generic/fold.h"

template <class T>
struct AttentionState {
  T largest, sum;
};

template <class T>
static void weigh_row(const AttentionScores& row, void* state, void* sums, int64_t width) {
  AttentionState<T>& so_far = *static_cast<AttentionState<T>*>(state);
  T* s = static_cast<T*>(row.scores);
  T* y = static_cast<T*>(sums);
  const T* mask = static_cast<const T*>(row.mask);
  const T* kept = static_cast<const T*>(row.kept);
  if (row.first) so_far = {-T(__builtin_inf()), T(0)};
  for (int64_t i = row.count; i < row.count + row.unseen; ++i) s[i] = 0;
  if (row.count == 0) return;
  const T scale = static_cast<T>(row.scale);
#pragma GCC ivdep
  for (int64_t i = 0; i < row.count; ++i) s[i] *= scale;
  if (mask) {
#pragma GCC ivdep
    for (int64_t i = 0; i < row.count; ++i) s[i] += mask[i * row.mask_step];
  }
  T largest;
  FoldOf<MaximumOp, T, 1>::row(s, row.count, &largest);
  largest = maximum(so_far.largest, largest);
  // Where every score is -inf the query sees nothing: weights of 0.
  const T base = largest == -T(__builtin_inf()) ? T(0) : largest;
#pragma GCC ivdep
  for (int64_t i = 0; i < row.count; ++i) s[i] = exp(s[i] - base);
  const T shrink = exp(so_far.largest - base);
  so_far = {largest, so_far.sum * shrink + sum_of(s, row.count)};
#pragma GCC ivdep
  for (int64_t i = 0; i < width; ++i) y[i] *= shrink;
  if (kept) {
#pragma GCC ivdep
    for (int64_t i = 0; i < row.count; ++i) s[i] *= kept[i];
  }
}

template <class T>
static void finish_row(const void* state, void* sums, int64_t width) {
  const T sum = static_cast<const AttentionState<T>*>(state)->sum;
  T* y = static_cast<T*>(sums);
  const T share = sum == 0 ? T(0) : T(1) / sum;
#pragma GCC ivdep
  for (int64_t i = 0; i < width; ++i) y[i] *= share;
}

template <class T>
static constexpr void add_attention(AttentionTable& table, DType dtype) {
  table.weigh[static_cast<int>(dtype)] = &weigh_row<T>;
  table.finish[static_cast<int>(dtype)] = &finish_row<T>;
}

static constexpr AttentionTable make_attention_table() {
  AttentionTable table{};
  add_attention<float>(table, DType::Float32);
  add_attention<double>(table, DType::Float64);
  return table;
}
extern constexpr AttentionTable attention_table = make_attention_table();
