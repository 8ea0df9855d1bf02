#include "core/storage.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "core/caching_allocator.h"

namespace ceph {

StorageImpl::StorageImpl(size_t nbytes, Device device, Allocator& allocator)
    : data_(allocator.allocate(nbytes)), nbytes_(nbytes), largest_(nbytes), device_(device),
      allocator_(&allocator) {}

StorageImpl::StorageImpl(void* data, size_t nbytes, Device device, Release release, void* context,
                         bool writable)
    : data_(data), nbytes_(nbytes), largest_(nbytes), device_(device), writable_(writable),
      allocator_(nullptr), release_(release), context_(context) {}

StorageImpl::~StorageImpl() {
  if (allocator_)
    allocator_->deallocate(data_, nbytes_);
  else if (release_)
    release_(context_);
}

void StorageImpl::resize(size_t nbytes) {
  CEPH_CHECK(
      allocator_, ErrorKind::kRuntime, "resize_",
      "this storage's memory belongs to somebody else (NumPy, DLPack or a mapped file); clone the "
      "tensor to resize it");
  CEPH_CHECK(resizable(), ErrorKind::kRuntime, "resize_",
             "a NumPy array, buffer or DLPack capsule points into this storage's memory; clone the "
             "tensor to resize it");
  if (nbytes == nbytes_) return;
  void* fresh = allocator_->allocate(nbytes);
  if (fresh && data_) std::memcpy(fresh, data_, std::min(nbytes, nbytes_));
  allocator_->deallocate(data_, nbytes_);
  data_ = fresh;
  nbytes_ = nbytes;
  largest_ = std::max(largest_, nbytes);
}

void* StorageImpl::operator new(size_t size) { return detail::small_allocate(size); }
void StorageImpl::operator delete(void* at, size_t size) { detail::small_deallocate(at, size); }

}  // namespace ceph
