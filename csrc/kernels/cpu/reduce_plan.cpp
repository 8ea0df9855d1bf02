#include "kernels/cpu/reduce_plan.h"

#include <algorithm>

#include "core/layout.h"
#include "kernels/copy.h"

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

// Along the innermost dimension offsets are a line.
void offsets_of(int64_t first, int64_t count, const DimVector& sizes, const DimVector& strides,
                int64_t* offsets) {
  const int64_t inner = sizes.empty() ? 1 : sizes.back();
  const int64_t stride = sizes.empty() ? 0 : strides.back();
  for (int64_t done = 0; done < count;) {
    const int64_t at = first + done;
    const int64_t run = std::min(count - done, inner - at % inner);
    const int64_t base = offset_of(at, sizes, strides);
    for (int64_t i = 0; i < run; ++i) offsets[done + i] = base + i * stride;
    done += run;
  }
}

}  // namespace

ReduceFlags all_dims(const Tensor& self) {
  return ReduceFlags(static_cast<size_t>(self.dim()), true);
}

ReduceFlags listed_dims(const char* op, const Tensor& self, IntArrayRef dims) {
  if (dims.empty()) return all_dims(self);
  ReduceFlags flags(static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), false);
  for (int64_t d : dims) flags[static_cast<size_t>(wrap_dim(d, self.dim(), op))] = true;
  flags.resize(static_cast<size_t>(self.dim()));
  return flags;
}

ReduceFlags optional_dims(const char* op, const Tensor& self, std::optional<IntArrayRef> dims) {
  if (!dims) return all_dims(self);
  return dims->empty() ? ReduceFlags(static_cast<size_t>(self.dim()), false)
                       : listed_dims(op, self, *dims);
}

int64_t term_count(const Tensor& self, const ReduceFlags& reduced) {
  int64_t count = 1;
  for (size_t d = 0; d < reduced.size(); ++d) {
    if (reduced[d]) count *= self.sizes()[d];
  }
  return count;
}

DenseOutput::DenseOutput(const Tensor& out, DType dtype)
    : target(out), tensor(out.is_contiguous() && out.dtype() == dtype
                              ? out
                              : empty_tensor(out.sizes(), dtype, out.device())) {}

void DenseOutput::write() const {
  if (!tensor.is_same(target)) copy_into(target, tensor);
}

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
void ReducePlan::input_offsets(int64_t first, int64_t count, int64_t* offsets) const {
  offsets_of(first, count, kept_sizes, kept_in, offsets);
}
void ReducePlan::output_offsets(int64_t first, int64_t count, int64_t* offsets) const {
  offsets_of(first, count, kept_sizes, kept_out, offsets);
}
void ReducePlan::term_offsets(int64_t first, int64_t count, int64_t* offsets) const {
  offsets_of(first, count, reduced_sizes, reduced_in, offsets);
}

}  // namespace ceph::kernels
