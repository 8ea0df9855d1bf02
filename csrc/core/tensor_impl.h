#pragma once

#include <memory>

#include "base/dtype.h"
#include "base/small_vector.h"
#include "core/dispatch_key.h"
#include "core/storage.h"

namespace ceph {

// What autograd keeps beside a tensor; defined in autograd/meta.h, null until it is needed.
struct CEPH_API AutogradMetaInterface {
  virtual ~AutogradMetaInterface() = default;
};

// How a view was made, as far as it decides what writing to it means.
enum class ViewOrigin : uint8_t {
  kRecorded,  // with recording on
  kNoGrad,    // with recording off
  kMulti,     // one of several results of an op: unbind, split
};

// What the binding does when a tensor or a node of autograd dies that owns its Python object; set
// when _C loads.
struct PyObjectHooks {
  void (*release)(void* pyobj) = nullptr;
  void (*release_node)(void* pyobj) = nullptr;
};
extern CEPH_API PyObjectHooks pyobject_hooks;

// The tensor: geometry over a storage. Reached through the Tensor handle.
class CEPH_API TensorImpl final : public RefCounted {
 public:
  // `storage` may be null only for a wrapper subclass, whose data are elsewhere.
  TensorImpl(Storage storage, DType dtype, Device device, DispatchKeySet keys);

  IntArrayRef sizes() const { return sizes_; }
  IntArrayRef strides() const { return strides_; }
  int64_t dim() const { return static_cast<int64_t>(sizes_.size()); }
  int64_t numel() const { return numel_; }
  int64_t storage_offset() const { return offset_; }
  DType dtype() const { return dtype_; }
  Device device() const { return device_; }
  DispatchKeySet keys() const { return keys_; }
  const Storage& storage() const { return storage_; }
  bool has_storage() const { return static_cast<bool>(storage_); }
  bool is_contiguous() const { return contiguous_; }

  // First element; null for an empty tensor. RuntimeError unless the memory holds every element: a
  // meta tensor, a wrapper subclass and one whose storage was made smaller have nothing to read.
  void* data() const {
    if (numel_ == 0) return nullptr;
    if (!storage_ || !storage_->data() || storage_->shrunk()) [[unlikely]]
      check_memory();
    return static_cast<char*>(storage_->data()) + offset_ * static_cast<int64_t>(item_size(dtype_));
  }

  // Geometry is replaced as a whole; numel is overflow-checked, bounds are the caller's to check.
  void set_geometry(IntArrayRef sizes, IntArrayRef strides, int64_t offset);
  void set_contiguous(IntArrayRef sizes);
  // The same for sizes whose product the caller has checked already.
  void set_contiguous(IntArrayRef sizes, int64_t numel);
  void set_keys(DispatchKeySet keys) { keys_ = keys; }
  void set_storage(Storage storage) { storage_ = std::move(storage); }
  void set_dtype(DType dtype) { dtype_ = dtype; }

  // A Python number that came where a tensor was expected: takes part in promotion as a number.
  bool is_wrapped_number() const { return wrapped_number_; }
  void set_wrapped_number(bool value) { wrapped_number_ = value; }

  // Over memory made in inference mode: always dispatched through Autograd, which refuses to write
  // to it outside of that mode.
  bool is_inference() const { return storage_ && storage_->inference(); }

  // Shared by views; `x.data` and `detach()`-like aliases may have one of their own.
  uint32_t version() const { return version_ ? version_->value() : storage_version(); }
  void bump_version() {
    if (version_)
      version_->bump();
    else if (storage_)
      storage_->version().bump();
  }
  void set_version_counter(intrusive_ptr<VersionCounter> version) { version_ = std::move(version); }
  const intrusive_ptr<VersionCounter>& own_version_counter() const { return version_; }

  // Note [Views]
  // A view knows the tensor that it shows, which is never a view itself, and where it came from:
  // writing to one changes the other's history (autograd/views.h). A view is always dispatched
  // through Autograd, since its base may come to require a gradient after the view was made.
  const intrusive_ptr<TensorImpl>& view_base() const { return view_base_; }
  ViewOrigin view_origin() const { return view_origin_; }
  void set_view_of(intrusive_ptr<TensorImpl> base, ViewOrigin origin) {
    histories_ = base->histories_;
    view_base_ = std::move(base);
    view_origin_ = origin;
    keys_ = keys_ | DispatchKey::Autograd;
  }
  // How often the tensor was given a history; of a view: how often its base was, as far as the
  // view's own history knows.
  uint32_t histories() const { return histories_; }
  void set_histories(uint32_t count) { histories_ = count; }

  AutogradMetaInterface* autograd_meta() const { return autograd_meta_.get(); }
  void set_autograd_meta(std::unique_ptr<AutogradMetaInterface> meta) {
    autograd_meta_ = std::move(meta);
  }

  // Note [Python object of a tensor]
  // One Python object per TensorImpl. While Python holds the object, it owns a reference to the
  // impl and `owns_pyobj` is false. When its last Python reference goes but C++ still holds the
  // impl and the object has something to lose (attributes, weak references, a subclass), tp_dealloc
  // resurrects it and flips the ownership: the impl then owns the object, which holds no count.
  // Wrapping the impl again flips it back. Guarded by the interpreter lock.
  void* pyobj = nullptr;
  bool owns_pyobj = false;

  void release() const {
    if (drop()) delete this;
  }
  static void* operator new(size_t size);
  static void operator delete(void* at, size_t size);

 private:
  ~TensorImpl() override;
  void check_memory() const;
  uint32_t storage_version() const { return storage_ ? storage_->version().value() : 0; }

  Storage storage_;
  int64_t offset_ = 0;
  int64_t numel_ = 0;  // a tensor without geometry yet is one-dimensional and empty
  DimVector sizes_{0};
  DimVector strides_{1};
  DType dtype_;
  Device device_;
  DispatchKeySet keys_;
  bool contiguous_ = true;
  bool wrapped_number_ = false;
  ViewOrigin view_origin_ = ViewOrigin::kRecorded;
  uint32_t histories_ = 0;
  intrusive_ptr<VersionCounter> version_;
  intrusive_ptr<TensorImpl> view_base_;
  std::unique_ptr<AutogradMetaInterface> autograd_meta_;
};

}  // namespace ceph
