#include <algorithm>
#include <cmath>
#include <vector>

#include "base/thread_pool.h"
#include "core/layout.h"
#include "generated/kernels/attention.h"
#include "kernels/blas/gemm.h"
#include "kernels/copy.h"
#include "kernels/cpu/rows.h"
#include "kernels/tables.h"

// Attention without a matrix of all scores: some queries meet some keys at a time, and what they
// have gathered is scaled down whenever a larger score appears.

namespace ceph::kernels {
namespace {

constexpr int64_t kQueries = 64, kKeys = 512;

// An operand of shape [batch..., rows, columns], which repeats along the batch where it is smaller.
class Operand {
 public:
  Operand() = default;
  // `per_head`: how many heads in turn share one matrix.
  Operand(const Tensor& t, int64_t batch_dims, int64_t per_head = 1)
      : item_(static_cast<int64_t>(item_size(t.dtype()))), per_head_(per_head) {
    data_ = static_cast<const char*>(t.data());
    row_ = t.dim() >= 2 && t.size(-2) != 1 ? t.stride(-2) : 0;
    column_ = t.size(-1) != 1 ? t.stride(-1) : 0;
    for (int64_t d = 0; d < batch_dims; ++d) {
      int64_t own = d + t.dim() - 2 - batch_dims;
      bool repeats = own < 0 || t.size(own) == 1;
      strides_.push_back(repeats ? 0 : t.stride(own));
    }
  }

  bool given() const { return data_ != nullptr; }
  int64_t column() const { return column_; }
  // From row `row` of the matrix at a place of the batch.
  ConstMatrix matrix(IntArrayRef place, int64_t row) const {
    return {at(place, row, 0), row_, column_};
  }
  const void* at(IntArrayRef place, int64_t row, int64_t column) const {
    int64_t offset = row * row_ + column * column_;
    for (size_t d = 0; d < place.size(); ++d) {
      bool heads = d + 1 == place.size();
      offset += (heads ? place[d] / per_head_ : place[d]) * strides_[d];
    }
    return data_ + offset * item_;
  }

 private:
  const char* data_ = nullptr;
  int64_t item_ = 0, per_head_ = 1, row_ = 0, column_ = 0;
  DimVector strides_;
};

struct Attention {
  const AttentionTable& table = CEPH_ACTIVE_TABLE(attention);
  DType dtype;
  DimVector batch;
  int64_t queries, keys, depth, width;
  double scale;
  bool causal;
  Operand query, key, value, mask, kept;
  char* out;  // contiguous

  int64_t item() const { return static_cast<int64_t>(item_size(dtype)); }
  int64_t tiles() const { return (queries + kQueries - 1) / kQueries; }

  DimVector place(int64_t index) const {
    DimVector result = batch;
    for (size_t d = batch.size(); d-- > 0; index /= batch[d]) result[d] = index % batch[d];
    return result;
  }

  // Queries `first` and the following `rows` at one place of the batch.
  void run(int64_t index, int64_t first, int64_t rows, std::vector<char>& scores) const {
    DimVector where = place(index);
    char* sums = out + (index * queries + first) * width * item();
    alignas(16) char states[kQueries][16];  // an AttentionState each
    std::fill_n(sums, rows * width * item(), 0);
    int64_t seen = causal ? std::min(keys, first + rows) : keys;
    for (int64_t k = 0; k < seen; k += kKeys) {
      int64_t count = std::min(kKeys, seen - k);
      gemm("attention", dtype, rows, count, depth, query.matrix(where, first),
           key.matrix(where, k).transposed(), {scores.data(), kKeys});
      for (int64_t r = 0; r < rows; ++r) weigh(where, first + r, k, count, scores, r, states, sums);
      gemm("attention", dtype, rows, width, count, {scores.data(), kKeys, 1},
           value.matrix(where, k), {sums, width}, {1, 1});
    }
    if (seen == 0) return;
    auto finish = table.finish[static_cast<int>(dtype)];
    for (int64_t r = 0; r < rows; ++r) finish(states[r], sums + r * width * item(), width);
  }

 private:
  // The scores of query `q`, row `r` of the tile, with `count` keys from key `k` on.
  void weigh(IntArrayRef where, int64_t q, int64_t k, int64_t count, std::vector<char>& scores,
             int64_t r, char (*states)[16], char* sums) const {
    int64_t seen = causal ? std::clamp<int64_t>(q + 1 - k, 0, count) : count;
    AttentionScores row{scores.data() + r * kKeys * item(),
                        seen,
                        count - seen,
                        k == 0,
                        scale,
                        mask.given() ? mask.at(where, q, k) : nullptr,
                        mask.column(),
                        kept.given() ? kept.at(where, q, k) : nullptr};
    table.weigh[static_cast<int>(dtype)](row, states[r], sums + r * width * item(), width);
  }
};

// What is added to scores: a bool says which keys are seen.
Tensor added_mask(const Tensor& mask, DType compute) {
  if (!mask.defined() || mask.dtype() == compute) return mask;
  if (mask.dtype() != DType::Bool) return cast(mask, compute);
  Tensor dense = contiguous_as(mask, DType::Bool);
  Tensor result = empty_tensor(mask.sizes(), compute, mask.device());
  const bool* from = dense.data_as<bool>();
  auto write = [&](auto* to) {
    for (int64_t i = 0; i < mask.numel(); ++i) to[i] = from[i] ? 0 : -INFINITY;
  };
  if (compute == DType::Float64)
    write(result.data_as<double>());
  else
    write(result.data_as<float>());
  return result;
}

void check_dtypes(const char* op, const Tensor& query, const Tensor& key, const Tensor& value,
                  const Tensor& mask) {
  CEPH_CHECK(key.dtype() == query.dtype() && value.dtype() == query.dtype(), ErrorKind::kRuntime,
             op, "query, key and value must have one dtype; got ", name_of(query.dtype()), ", ",
             name_of(key.dtype()), " and ", name_of(value.dtype()));
  bool fits = !mask.defined() || mask.dtype() == DType::Bool || mask.dtype() == query.dtype() ||
              mask.dtype() == DType::Float32;
  CEPH_CHECK(fits, ErrorKind::kRuntime, op,
             "attn_mask must be of bool, float32 or the query's dtype; got ", name_of(mask.dtype()),
             " and a query of ", name_of(query.dtype()));
}

}  // namespace

void attention(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask,
               const Tensor& kept, bool is_causal, std::optional<double> scale, bool enable_gqa,
               const Tensor& out) {
  check_dtypes("scaled_dot_product_attention", query, key, value, attn_mask);
  if (out.numel() == 0) return;
  DType compute = row_dtype(out.dtype());
  auto in = [&](const Tensor& t) {
    return t.defined() && t.dtype() != compute ? cast(t, compute) : t;
  };
  Tensor q = in(query), k = in(key), v = in(value), factors = in(kept);
  Tensor mask = added_mask(attn_mask, compute);
  bool direct = out.is_contiguous() && out.dtype() == compute;
  Tensor result = direct ? out : empty_tensor(out.sizes(), compute, out.device());
  int64_t dims = out.dim() - 2, heads = dims == 0 ? 1 : out.size(-3);
  auto per_head = [&](const Tensor& t) { return enable_gqa ? heads / t.size(-3) : 1; };
  int64_t depth = query.size(-1);
  Attention problem{
      .dtype = compute,
      .batch = out.sizes().slice(0, static_cast<size_t>(dims)),
      .queries = out.size(-2),
      .keys = key.size(-2),
      .depth = depth,
      .width = out.size(-1),
      .scale = scale.value_or(1 / std::sqrt(static_cast<double>(depth))),
      .causal = is_causal,
      .query = Operand(q, dims),
      .key = Operand(k, dims, per_head(k)),
      .value = Operand(v, dims, per_head(v)),
      .mask = mask.defined() ? Operand(mask, dims) : Operand(),
      .kept = factors.defined() ? Operand(factors, dims) : Operand(),
      .out = static_cast<char*>(result.data()),
  };
  int64_t tiles = problem.tiles(), places = out.numel() / (problem.queries * problem.width);
  parallel_for(0, places * tiles, 1, [&](int64_t first, int64_t last) {
    std::vector<char> scores(static_cast<size_t>(kQueries * kKeys * problem.item()));
    for (int64_t i = first; i < last; ++i) {
      int64_t row = i % tiles * kQueries;
      problem.run(i / tiles, row, std::min(kQueries, problem.queries - row), scores);
    }
  });
  if (!direct) copy_into(out, result);
}

}  // namespace ceph::kernels
