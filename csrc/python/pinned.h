#pragma once

#include "core/storage.h"

namespace ceph::python {

// Keeps a storage's bytes where they are: while there is one of these, nothing resizes it.
class Pinned {
 public:
  explicit Pinned(Storage storage) : storage_(std::move(storage)) {
    if (storage_) storage_->pin();
  }
  ~Pinned() {
    if (storage_) storage_->unpin();
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  Storage storage_;
};

}  // namespace ceph::python
