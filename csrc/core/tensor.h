#pragma once

#include <vector>

#include "base/error.h"
#include "base/scalar.h"
#include "core/tensor_impl.h"

namespace ceph {

// A handle to a TensorImpl; copying shares the tensor. An undefined handle stands for None.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(intrusive_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  TensorImpl* impl() const { return impl_.get(); }
  TensorImpl* operator->() const { return impl_.get(); }
  TensorImpl* detach_impl() { return impl_.detach(); }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

  IntArrayRef sizes() const { return impl_->sizes(); }
  IntArrayRef strides() const { return impl_->strides(); }
  int64_t dim() const { return impl_->dim(); }
  int64_t numel() const { return impl_->numel(); }
  int64_t size(int64_t d) const { return impl_->sizes()[wrap(d)]; }
  int64_t stride(int64_t d) const { return impl_->strides()[wrap(d)]; }
  int64_t storage_offset() const { return impl_->storage_offset(); }
  DType dtype() const { return impl_->dtype(); }
  bool is_floating_point() const { return is_floating(dtype()); }
  int64_t element_size() const { return static_cast<int64_t>(item_size(dtype())); }
  Device device() const { return impl_->device(); }
  bool is_contiguous() const { return impl_->is_contiguous(); }
  DispatchKeySet keys() const { return impl_->keys(); }

  void* data() const { return impl_->data(); }
  template <class T>
  T* data_as() const {
    CEPH_INTERNAL(dtype_of<T>::value == dtype());
    return static_cast<T*>(impl_->data());
  }

 private:
  size_t wrap(int64_t d) const { return static_cast<size_t>(d < 0 ? d + dim() : d); }

  intrusive_ptr<TensorImpl> impl_;
};

using TensorList = ArrayRef<Tensor>;
using ScalarList = ArrayRef<Scalar>;

// ---- making tensors below the dispatcher: what kernels and composites of core allocate with -----

// Uninitialised. Sizes must not be negative and their product must fit (RuntimeError names `op`).
CEPH_API Tensor empty_tensor(IntArrayRef sizes, DType dtype, Device device,
                             const char* op = "empty");
CEPH_API Tensor empty_strided_tensor(IntArrayRef sizes, IntArrayRef strides, DType dtype,
                                     Device device, const char* op = "empty_strided");
// A tensor over the same storage (and version) as `base`; geometry is checked against the storage.
CEPH_API Tensor view_of(const Tensor& base, IntArrayRef sizes, IntArrayRef strides, int64_t offset);
// For what an op returns: `view` shows memory of `base`, or of what that is itself a view of.
CEPH_API void mark_view(const Tensor& view, const Tensor& base, bool one_of_many = false);
CEPH_API void mark_views(const std::vector<Tensor>& views, const Tensor& base);
// A 0-dim tensor that holds a Python number, marked as such, in the number's own dtype.
CEPH_API Tensor wrapped_number(const Scalar& value);
// Gives `out` these sizes (contiguous), growing its storage where needed; refuses a non-resizable
// one.
CEPH_API void resize_output(const char* op, const Tensor& out, IntArrayRef sizes);

}  // namespace ceph
