#include "core/tensor_iterator_build.h"

#include <algorithm>

namespace ceph::detail {
namespace {

// One element: broadcasts to anything of at least its rank without a look at strides.
bool is_scalar_beside(const Tensor& t, const Tensor& widest) {
  return t.numel() == 1 && t.dim() <= widest.dim();
}

bool wider(const Tensor& t, const Tensor& than) {
  return t.numel() > than.numel() || (t.numel() == than.numel() && t.dim() > than.dim());
}

// Separate allocations of ours can't overlap; foreign memory may be the same under two storages.
bool surely_apart(const Tensor& a, const Tensor& b) {
  if (!a->has_storage() || !b->has_storage()) return true;
  return !(a->storage() == b->storage()) && a->storage()->owned() && b->storage()->owned();
}

Tensor reshaped(const Tensor& t, IntArrayRef sizes, IntArrayRef strides) {
  auto impl =
      make_intrusive<TensorImpl>(t->storage(), t.dtype(), t.device(), t.keys() & kBackendKeys);
  impl->set_geometry(sizes, strides, t.storage_offset());
  return Tensor(std::move(impl));
}

}  // namespace

const Tensor* Operands::all_contiguous() const {
  const Tensor* widest = nullptr;
  bool same = true;
  const auto fits = [&](const Tensor& t) {
    if (!t.is_contiguous()) return false;
    if (!widest) {
      widest = &t;
    } else if (t.device() != widest->device()) {
      return false;
    } else if (!(t.sizes() == widest->sizes())) {
      same = false;
      if (wider(t, *widest)) widest = &t;
    }
    return true;
  };
  for (const Tensor* t : inputs) {
    if (!fits(*t)) return nullptr;
  }
  const Tensor* widest_input = widest;
  for (const Tensor* t : outputs) {
    if (!t->defined()) continue;
    if (!fits(*t)) return nullptr;
    // One that has another size than the result is resized, even where a broadcast would fill it.
    if (resize && widest_input && !(t->sizes() == widest_input->sizes())) return nullptr;
  }
  if (!widest || widest->numel() == 0) return nullptr;
  return same || scalars_beside(*widest) ? widest : nullptr;
}

// Whether all operands that haven't the widest one's sizes are inputs of one element. Its strides
// must then be the usual ones in dimensions of size 1 too: they count for the result's layout.
bool Operands::scalars_beside(const Tensor& widest) const {
  for (const Tensor* t : inputs) {
    if (!(t->sizes() == widest.sizes()) && !is_scalar_beside(*t, widest)) return false;
  }
  for (const Tensor* t : outputs) {
    if (t->defined() && !(t->sizes() == widest.sizes())) return false;
  }
  return widest.strides() == contiguous_strides(widest.sizes());
}

DimVector Operands::common_sizes() const {
  check_devices();
  DimVector sizes;
  bool first = true;
  for (const Tensor* t : inputs) {
    sizes = first ? DimVector(t->sizes()) : broadcast_shapes(sizes, t->sizes(), op);
    first = false;
  }
  for (const Tensor* t : outputs) {
    if (!t->defined() || resize) continue;
    if (first) sizes = t->sizes();
    first = false;
  }
  CEPH_INTERNAL(!first);
  if (resize) return sizes;
  // An output may be larger than its inputs, which are broadcast to it; it can't be smaller.
  for (const Tensor* t : outputs) {
    if (t->defined()) sizes = broadcast_shapes(sizes, t->sizes(), op);
  }
  for (const Tensor* t : outputs) {
    CEPH_CHECK(!t->defined() || t->sizes() == sizes, ErrorKind::kRuntime, op, "output with shape ",
               t->sizes(), " doesn't match the broadcast shape ", sizes);
  }
  return sizes;
}

Arrangement Operands::arrange(IntArrayRef sizes) const {
  SmallVector<const Tensor*, TensorIterator::kMaxOperands> seen;
  for (const Tensor* t : outputs) {
    if (t->defined() && t->sizes() == sizes) seen.push_back(t);
  }
  for (const Tensor* t : inputs) seen.push_back(t);
  DimVector strides[TensorIterator::kMaxOperands];
  IntArrayRef refs[TensorIterator::kMaxOperands];
  bool same = true;
  bool contiguous = true;
  bool channels_last = sizes.size() == 4;
  for (size_t k = 0; k < seen.size(); ++k) {
    strides[k] = broadcast_strides(*seen[k], sizes.size(), sizes);
    refs[k] = strides[k];
    const bool whole = seen[k]->sizes() == sizes;
    same &= whole && strides[k] == strides[0];
    contiguous &= whole && seen[k]->is_contiguous();
    channels_last &= whole && is_channels_last(sizes, strides[k]);
  }
  Arrangement out;
  out.order = stride_order(sizes, {refs, seen.size()});
  if (contiguous) {
    out.strides = contiguous_strides(sizes);
  } else if (channels_last) {
    out.strides = strides_for(sizes, MemoryFormat::ChannelsLast, op);
  } else if (same && is_non_overlapping_and_dense(sizes, strides[0])) {
    out.strides = strides[0];
  } else {
    out.strides = dense_strides(sizes, out.order);
  }
  return out;
}

void Operands::check_output(size_t i, const Tensor& output) const {
  CEPH_CHECK(
      !overlaps_itself(output), ErrorKind::kRuntime, op,
      "more than one element of the written-to tensor refers to a single memory location (sizes ",
      output.sizes(), ", strides ", output.strides(), "); clone() it first");
  for (const Tensor* input : inputs) {
    if (surely_apart(output, *input)) continue;
    CEPH_CHECK(
        overlap_between(output, *input) != Overlap::Partial, ErrorKind::kRuntime, op,
        "some elements of an input and of the written-to tensor refer to a single memory location; "
        "clone() one of them first");
  }
  for (size_t j = 0; j < outputs.size(); ++j) {
    if (j == i || !outputs[j]->defined() || surely_apart(output, *outputs[j])) continue;
    CEPH_CHECK(
        overlap_between(output, *outputs[j]) == Overlap::None, ErrorKind::kRuntime, op,
        "two of the written-to tensors refer to a single memory location; give each its own");
  }
}

void Operands::check_overlaps() const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]->defined()) check_output(i, *outputs[i]);
  }
}

void Operands::check_resized_overlaps(IntArrayRef sizes, IntArrayRef strides) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = *outputs[i];
    if (!output.defined()) continue;
    if (output.sizes() == sizes || !output->has_storage())
      check_output(i, output);
    else
      check_output(i, reshaped(output, sizes, strides));
  }
}

void Operands::resize_outputs(IntArrayRef sizes, IntArrayRef strides) const {
  for (Tensor* output : outputs) {
    if (!output->defined() || output->sizes() == sizes) continue;
    resize_output(op, *output, sizes);
    (*output)->set_geometry(sizes, strides, output->storage_offset());
  }
}

void Operands::allocate_missing(IntArrayRef sizes, IntArrayRef strides) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]->defined()) continue;
    *outputs[i] = empty_tensor(sizes, dtypes[i], device(), op);
    if (!strides.empty()) (*outputs[i])->set_geometry(sizes, strides, 0);
  }
}

// A 0-dim tensor of the CPU goes with operands of any device.
Device Operands::device() const {
  for (const Tensor* t : inputs) {
    if (t->dim() > 0 || !t->device().is_cpu()) return t->device();
  }
  for (const Tensor* t : outputs) {
    if (t->defined()) return t->device();
  }
  CEPH_INTERNAL(!inputs.empty());
  return inputs[0]->device();
}

void Operands::check_devices() const {
  const Device expected = device();
  const auto check = [&](const Tensor& t, bool may_be_scalar) {
    if (!t.defined() || t.device() == expected) return;
    const bool scalar = may_be_scalar && t.dim() == 0 && t.device().is_cpu();
    CEPH_CHECK(scalar, ErrorKind::kRuntime, op, "expected all tensors on one device; got ",
               expected, " and ", t.device());
  };
  for (const Tensor* t : inputs) check(*t, true);
  for (const Tensor* t : outputs) check(*t, false);
}

DimVector broadcast_strides(const Tensor& t, size_t rank, IntArrayRef sizes) {
  DimVector out(rank);
  const size_t missing = rank - t.sizes().size();
  for (size_t d = missing; d < rank; ++d) {
    const bool repeated = t.sizes()[d - missing] == 1 && sizes[d] != 1;
    out[d] = repeated ? 0 : t.strides()[d - missing];
  }
  return out;
}

void advance(DimVector& index, IntArrayRef shape, int64_t size0, int64_t size1) {
  index[0] += size0;
  if (index[0] < shape[0]) return;
  index[0] = 0;
  if (shape.size() == 1) return;
  index[1] += size1;
  for (size_t d = 1; d + 1 < shape.size() && index[d] == shape[d]; ++d) {
    index[d] = 0;
    ++index[d + 1];
  }
}

}  // namespace ceph::detail
