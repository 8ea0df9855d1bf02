#include "kernels/cpu/reduce_plan.h"

namespace ceph::kernels {

namespace {

int64_t offset_of(int64_t index, const DimVector& sizes, const DimVector& strides) {
  int64_t offset = 0;
  for (size_t d = sizes.size(); d-- > 0;) {
    offset += index % sizes[d] * strides[d];
    index /= sizes[d];
  }
  return offset;
}

}  // namespace

ReducePlan::ReducePlan(const Tensor& self, ArrayRef<uint8_t> reduced, bool keepdim,
                       const Tensor& out) {
  auto item = static_cast<int64_t>(item_size(self.dtype()));
  auto out_item = static_cast<int64_t>(item_size(out.dtype()));
  int64_t out_dim = 0;
  for (int64_t d = 0; d < self.dim(); ++d) {
    bool folded = reduced[static_cast<size_t>(d)];
    if (folded)
      add_reduced(self.size(d), self.stride(d) * item);
    else
      add_kept(self.size(d), self.stride(d) * item, out.stride(out_dim) * out_item);
    out_dim += !folded || keepdim;
  }
  choose_reading(item);
}

void ReducePlan::add_kept(int64_t size, int64_t in, int64_t out) {
  outputs *= size;
  if (size == 1) return;
  if (!kept_sizes.empty() && kept_in.back() == in * size && kept_out.back() == out * size) {
    kept_sizes.back() *= size;
    kept_in.back() = in;
    kept_out.back() = out;
    return;
  }
  kept_sizes.push_back(size);
  kept_in.push_back(in);
  kept_out.push_back(out);
}

void ReducePlan::add_reduced(int64_t size, int64_t in) {
  terms *= size;
  if (size == 1) return;
  if (!reduced_sizes.empty() && reduced_in.back() == in * size) {
    reduced_sizes.back() *= size;
    reduced_in.back() = in;
    return;
  }
  reduced_sizes.push_back(size);
  reduced_in.push_back(in);
}

void ReducePlan::choose_reading(int64_t item) {
  constexpr int64_t kFewTerms = 32, kManyColumns = 8;
  bool row = reduced_sizes.empty() || (reduced_sizes.size() == 1 && reduced_in[0] == item);
  for (size_t d = 0; d < kept_sizes.size(); ++d) {
    bool adjoining = kept_in[d] == item && kept_sizes[d] >= kManyColumns;
    bool rows_are_short = !row || terms <= kFewTerms;
    if (!adjoining || !rows_are_short) continue;
    // Results are independent: their dimensions may be walked in any order.
    std::swap(kept_sizes[d], kept_sizes.back());
    std::swap(kept_in[d], kept_in.back());
    std::swap(kept_out[d], kept_out.back());
    reading = Reading::kColumns;
    return;
  }
  if (terms <= kFewTerms && outputs >= kManyColumns)
    reading = Reading::kTile;
  else
    reading = row ? Reading::kRow : Reading::kGather;
}

int64_t ReducePlan::input_offset(int64_t output) const {
  return offset_of(output, kept_sizes, kept_in);
}
int64_t ReducePlan::output_offset(int64_t output) const {
  return offset_of(output, kept_sizes, kept_out);
}
int64_t ReducePlan::term_offset(int64_t term) const {
  return offset_of(term, reduced_sizes, reduced_in);
}
int64_t ReducePlan::run_length(int64_t term) const {
  if (reduced_sizes.empty()) return 1;
  int64_t inner = reduced_sizes.back();
  return inner - term % inner;
}

}  // namespace ceph::kernels
