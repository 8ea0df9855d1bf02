#pragma once

#include "core/storage.h"
#include "python/py_util.h"

namespace ceph::python {

extern PyTypeObject StorageType;  // cepheid.UntypedStorage

// New reference to the one Python object of a storage that is alive.
PyObject* wrap_storage(Storage storage);
inline bool is_storage(PyObject* o) { return Py_TYPE(o) == &StorageType; }
const Storage& unwrap_storage(PyObject* o);
// New CPU storage with a copy of these bytes.
Storage storage_from_bytes(const void* data, size_t nbytes);

void init_storage(PyObject* module);

}  // namespace ceph::python
