#include "core/tensor_impl.h"

#include "base/error.h"
#include "core/caching_allocator.h"
#include "core/layout.h"

namespace ceph {

PyObjectHooks pyobject_hooks;

TensorImpl::TensorImpl(Storage storage, DType dtype, Device device, DispatchKeySet keys)
    : storage_(std::move(storage)), dtype_(dtype), device_(device.without_needless_index()),
      keys_(is_inference() ? keys | DispatchKey::Autograd : keys) {}

TensorImpl::~TensorImpl() {
  if (owns_pyobj && pyobj) pyobject_hooks.release(pyobj);
}

void TensorImpl::check_memory() const {
  constexpr const char* op = "data";
  CEPH_CHECK(
      storage_, ErrorKind::kRuntime, op,
      "a wrapper subclass has no data of its own; its __torch_dispatch__ rule must handle the "
      "call");
  CEPH_CHECK(!device_.is_meta(), ErrorKind::kRuntime, op,
             "a meta tensor has no elements to read or write");
  const size_t needed = checked_nbytes(sizes_, strides_, offset_, dtype_, op);
  CEPH_CHECK(storage_->data() && needed <= storage_->nbytes(), ErrorKind::kRuntime, op,
             "the tensor needs ", needed, " bytes of its storage, which has ", storage_->nbytes(),
             " since it was resized; resize_ it back first");
}

void TensorImpl::set_geometry(IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
  CEPH_INTERNAL(sizes.size() == strides.size());
  numel_ = checked_numel(sizes, "set_geometry");
  sizes_ = sizes;
  strides_ = strides;
  offset_ = offset;
  contiguous_ = ceph::is_contiguous(sizes, strides);
}

void TensorImpl::set_contiguous(IntArrayRef sizes) {
  set_contiguous(sizes, checked_numel(sizes, "set_contiguous"));
}

void TensorImpl::set_contiguous(IntArrayRef sizes, int64_t numel) {
  const size_t rank = sizes.size();
  sizes_ = sizes;
  strides_.resize(rank);
  if (numel == 0) {
    strides_ = contiguous_strides(sizes);
  } else {
    int64_t stride = 1;
    for (size_t d = rank; d-- > 0;) {
      strides_[d] = stride;
      stride *= sizes[d];
    }
  }
  numel_ = numel;
  offset_ = 0;
  contiguous_ = true;
}

void* TensorImpl::operator new(size_t size) { return detail::small_allocate(size); }
void TensorImpl::operator delete(void* at, size_t size) { detail::small_deallocate(at, size); }

}  // namespace ceph
