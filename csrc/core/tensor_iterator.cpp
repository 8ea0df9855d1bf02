#include "core/tensor_iterator.h"

#include <algorithm>

#include "core/tensor_iterator_build.h"

namespace ceph {

namespace {

// Meta tensors take part for their shapes alone: nothing walks over them.
char* memory_of(const Tensor& t) {
  return t.device().is_meta() ? nullptr : static_cast<char*>(t.data());
}

}  // namespace

TensorIterator TensorIterator::build(const char* op, ArrayRef<Tensor*> outputs,
                                     ArrayRef<DType> dtypes, ArrayRef<const Tensor*> inputs,
                                     bool resize) {
  TensorIterator it;
  it.count_ = static_cast<int>(outputs.size() + inputs.size());
  CEPH_INTERNAL(it.count_ <= kMaxOperands && dtypes.size() >= outputs.size());
  const detail::Operands operands{op, outputs, dtypes, inputs, resize};
  if (const Tensor* widest = operands.all_contiguous()) {
    it.one_line(operands, *widest);
  } else {
    it.broadcast(operands);
  }
  return it;
}

// Every operand is contiguous with the widest one's sizes, or holds one element.
void TensorIterator::one_line(const detail::Operands& operands, const Tensor& widest) {
  numel_ = widest.numel();
  operands.check_overlaps();
  operands.allocate_missing(widest.sizes(), {});
  shape_.push_back(numel_);
  int k = 0;
  operands.for_each([&](const Tensor& t) {
    data_[k] = memory_of(t);
    const bool moves = t.numel() == numel_;
    strides_[k++].push_back(moves ? static_cast<int64_t>(item_size(t.dtype())) : 0);
  });
}

void TensorIterator::broadcast(const detail::Operands& operands) {
  const DimVector sizes = operands.common_sizes();
  const detail::Arrangement arrangement = operands.arrange(sizes);
  operands.check_resized_overlaps(sizes, arrangement.strides);
  operands.resize_outputs(sizes, arrangement.strides);
  operands.allocate_missing(sizes, arrangement.strides);
  numel_ = checked_numel(sizes, operands.op);
  int k = 0;
  operands.for_each([&](const Tensor& t) {
    data_[k] = memory_of(t);
    const DimVector strides = detail::broadcast_strides(t, sizes.size(), sizes);
    const auto item = static_cast<int64_t>(item_size(t.dtype()));
    for (const int64_t d : arrangement.order)
      strides_[k].push_back(strides[static_cast<size_t>(d)] * item);
    ++k;
  });
  for (const int64_t d : arrangement.order) shape_.push_back(sizes[static_cast<size_t>(d)]);
  coalesce();
}

TensorIterator TensorIterator::over(IntArrayRef sizes, ArrayRef<char*> data,
                                    ArrayRef<IntArrayRef> byte_strides) {
  CEPH_INTERNAL(data.size() == byte_strides.size() && data.size() <= kMaxOperands);
  TensorIterator it;
  it.count_ = static_cast<int>(data.size());
  it.numel_ = checked_numel(sizes, "iterate");
  const DimVector order = stride_order(sizes, byte_strides);
  for (const int64_t d : order) it.shape_.push_back(sizes[static_cast<size_t>(d)]);
  for (size_t k = 0; k < data.size(); ++k) {
    it.data_[k] = data[k];
    for (const int64_t d : order) it.strides_[k].push_back(byte_strides[k][static_cast<size_t>(d)]);
  }
  it.coalesce();
  return it;
}

// Merges dimensions that every operand walks as one, and leaves out those of size 1.
void TensorIterator::coalesce() {
  if (numel_ == 0) {
    shape_.assign(1, 0);
    for (int k = 0; k < count_; ++k) strides_[k].assign(1, 0);
    return;
  }
  size_t kept = 0;  // dimensions [0, kept) are done
  for (size_t d = 0; d < shape_.size(); ++d) {
    if (shape_[d] == 1) continue;
    bool merges = kept > 0;
    for (int k = 0; merges && k < count_; ++k) {
      merges = strides_[k][d] == strides_[k][kept - 1] * shape_[kept - 1];
    }
    if (merges) {
      shape_[kept - 1] *= shape_[d];
      continue;
    }
    shape_[kept] = shape_[d];
    for (int k = 0; k < count_; ++k) strides_[k][kept] = strides_[k][d];
    ++kept;
  }
  if (kept == 0) {  // one element
    shape_.assign(1, 1);
    for (int k = 0; k < count_; ++k) strides_[k].assign(1, 0);
    return;
  }
  shape_.resize(kept);
  for (int k = 0; k < count_; ++k) strides_[k].resize(kept);
}

void TensorIterator::for_each(Loop loop, int64_t grain) const {
  if (numel_ <= grain || in_parallel_region()) {
    serial_for_each(loop);
    return;
  }
  parallel_for(0, numel_, grain,
               [&](int64_t first, int64_t last) { run_range(loop, first, last); });
}

void TensorIterator::serial_for_each(Loop loop) const {
  if (numel_ != 0) run_range(loop, 0, numel_);
}

// Note [A range of elements]
// Elements are numbered with the inner dimension fastest. A range that begins or ends inside a row
// gives a partial row each; all between are blocks of whole rows of the two inner dimensions.
void TensorIterator::run_range(Loop loop, int64_t first, int64_t last) const {
  const size_t rank = shape_.size();
  int64_t strides[2 * kMaxOperands];
  for (int k = 0; k < count_; ++k) {
    strides[k] = strides_[k][0];
    strides[count_ + k] = rank > 1 ? strides_[k][1] : 0;
  }
  DimVector index(rank);
  int64_t rest = first;
  for (size_t d = 0; d < rank; ++d) {
    index[d] = rest % shape_[d];
    rest /= shape_[d];
  }
  const int64_t width = shape_[0];
  const int64_t height = rank > 1 ? shape_[1] : 1;
  char* data[kMaxOperands];
  while (first < last) {
    for (int k = 0; k < count_; ++k) {
      data[k] = data_[k];
      for (size_t d = 0; d < rank; ++d) data[k] += index[d] * strides_[k][d];
    }
    const bool whole_rows = index[0] == 0 && last - first >= width;
    const int64_t size0 = whole_rows ? width : std::min(width - index[0], last - first);
    const int64_t down = rank > 1 ? height - index[1] : 1;
    const int64_t size1 = whole_rows ? std::min(down, (last - first) / width) : 1;
    loop(data, strides, size0, size1);
    first += size0 * size1;
    detail::advance(index, shape_, size0, size1);
  }
}

}  // namespace ceph
