#include "core/tensor.h"

#include "base/overflow.h"
#include "core/grad_mode.h"
#include "core/layout.h"

namespace ceph {
namespace {

Allocator& allocator_of(Device device, const char* op) {
  if (device.is_cpu()) return cpu_allocator();
  CEPH_CHECK(device.is_meta(), ErrorKind::kNotImplemented, op, "device ", device,
             " is not part of this version; use cpu or meta");
  return meta_allocator();
}

Tensor allocate(size_t nbytes, DType dtype, Device wanted, const char* op) {
  const Device device = wanted.without_needless_index();
  Storage storage = make_intrusive<StorageImpl>(nbytes, device, allocator_of(device, op));
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), dtype, device,
                                           DispatchKeySet(backend_key(device))));
}

// Bytes of `numel` elements after `offset` others.
size_t bytes_of(int64_t numel, int64_t offset, DType dtype, IntArrayRef sizes, const char* op) {
  int64_t elements = 0;
  int64_t bytes = 0;
  CEPH_CHECK(!add_overflows(numel, offset, &elements) &&
                 !multiply_overflows(elements, static_cast<int64_t>(item_size(dtype)), &bytes),
             ErrorKind::kRuntime, op, "sizes ", sizes, " of ", dtype, " need more than 2^63 bytes");
  return static_cast<size_t>(bytes);
}

template <class T>
void store(const Tensor& t, const Scalar& value) {
  *static_cast<T*>(t.data()) = value.to<T>();
}

}  // namespace

Tensor empty_tensor(IntArrayRef sizes, DType dtype, Device device, const char* op) {
  const int64_t numel = checked_numel(sizes, op);
  Tensor out = allocate(bytes_of(numel, 0, dtype, sizes, op), dtype, device, op);
  out->set_contiguous(sizes, numel);
  return out;
}

Tensor empty_strided_tensor(IntArrayRef sizes, IntArrayRef strides, DType dtype, Device device,
                            const char* op) {
  const size_t nbytes = checked_nbytes(sizes, strides, 0, dtype, op);
  Tensor out = allocate(nbytes, dtype, device, op);
  out->set_geometry(sizes, strides, 0);
  return out;
}

Tensor view_of(const Tensor& base, IntArrayRef sizes, IntArrayRef strides, int64_t offset) {
  const TensorImpl& from = *base.impl();
  CEPH_CHECK(from.has_storage(), ErrorKind::kRuntime, "view",
             "this tensor has no storage of its own; its class must handle the call");
  const size_t needed = checked_nbytes(sizes, strides, offset, from.dtype(), "view");
  CEPH_CHECK(needed <= from.storage()->nbytes(), ErrorKind::kRuntime, "view", "sizes ", sizes,
             ", strides ", strides, " and offset ", offset, " of ", from.dtype(), " need ", needed,
             " bytes, but the storage has ", from.storage()->nbytes());
  auto impl = make_intrusive<TensorImpl>(from.storage(), from.dtype(), from.device(),
                                         from.keys() & kBackendKeys);
  impl->set_geometry(sizes, strides, offset);
  if (from.own_version_counter()) impl->set_version_counter(from.own_version_counter());
  return Tensor(std::move(impl));
}

void mark_view(const Tensor& view, const Tensor& base, bool one_of_many) {
  if (view.is_same(base)) return;
  const intrusive_ptr<TensorImpl>& root = base->view_base();
  ViewOrigin origin = root ? base->view_origin() : ViewOrigin::kRecorded;
  if (one_of_many) origin = ViewOrigin::kMulti;
  if (!grad_enabled) origin = ViewOrigin::kNoGrad;
  view->set_view_of(root ? root : intrusive_ptr<TensorImpl>::share(base.impl()), origin);
}

void mark_views(const std::vector<Tensor>& views, const Tensor& base) {
  for (const Tensor& view : views) mark_view(view, base, true);
}

Tensor wrapped_number(const Scalar& value) {
  const DType dtype = value.full_dtype();
  Tensor out = empty_tensor({}, dtype, DeviceKind::CPU, "wrapped_number");
  switch (dtype) {
  case DType::Bool:
    store<bool>(out, value);
    break;
  case DType::Int64:
    store<int64_t>(out, value);
    break;
  case DType::UInt64:
    store<uint64_t>(out, value);
    break;
  case DType::Float64:
    store<double>(out, value);
    break;
  default:
    store<std::complex<double>>(out, value);
    break;
  }
  out->set_wrapped_number(true);
  return out;
}

void resize_output(const char* op, const Tensor& out, IntArrayRef sizes) {
  if (out.sizes() == sizes) return;
  const int64_t offset = out.storage_offset();
  const int64_t numel = checked_numel(sizes, op);
  const size_t needed = numel == 0 ? 0 : bytes_of(numel, offset, out.dtype(), sizes, op);
  CEPH_CHECK(out->has_storage(), ErrorKind::kRuntime, op,
             "out has no storage of its own to resize");
  if (needed > out->storage()->nbytes()) out->storage()->resize(needed);
  out->set_geometry(sizes, contiguous_strides(sizes), offset);
}

}  // namespace ceph
