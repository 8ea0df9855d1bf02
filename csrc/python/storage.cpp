#include "python/storage.h"

#include <cstring>

#include "python/device.h"

namespace ceph::python {

namespace {

struct StorageObject {
  PyObject_HEAD;
  Storage storage;
  PyObject* weakrefs;
};

StorageImpl& impl(PyObject* self) { return *reinterpret_cast<StorageObject*>(self)->storage; }

Storage allocate(size_t nbytes, Device device) {
  CEPH_CHECK(device.is_cpu() || device.is_meta(), ErrorKind::kRuntime, "UntypedStorage", "device ",
             device, " is not available; use cpu or meta");
  Allocator& allocator = device.is_cpu() ? cpu_allocator() : meta_allocator();
  return make_intrusive<StorageImpl>(nbytes, device, allocator);
}

void require_cpu(PyObject* self, const char* what) {
  CEPH_CHECK(impl(self).device().is_cpu(), ErrorKind::kRuntime, "UntypedStorage", what,
             " needs the bytes, which a storage on ", impl(self).device(), " doesn't have here");
}

size_t count_from(Py_ssize_t count) {
  CEPH_CHECK(count >= 0, ErrorKind::kRuntime, "UntypedStorage",
             "the size in bytes must not be negative; got ", count);
  return static_cast<size_t>(count);
}

// UntypedStorage(nbytes=0, *, device="cpu"): zeroed.
PyObject* storage_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"size", "device", nullptr};
  Py_ssize_t size = 0;
  PyObject* device = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|n$O:UntypedStorage", const_cast<char**>(names),
                                   &size, &device)) {
    return nullptr;
  }
  return guarded([&] {
    Storage storage = allocate(count_from(size), device == Py_None ? Device() : to_device(device));
    if (storage->data()) std::memset(storage->data(), 0, storage->nbytes());
    return wrap_storage(std::move(storage));
  });
}

void storage_dealloc(PyObject* self) {
  auto* o = reinterpret_cast<StorageObject*>(self);
  o->storage->pyobj = nullptr;  // first: a weak reference's callback may ask for the storage again
  if (o->weakrefs) PyObject_ClearWeakRefs(self);
  o->storage.~Storage();
  PyObject_Free(self);
}

PyObject* storage_repr(PyObject* self) {
  return guarded([&] {
    return PyUnicode_FromFormat("cepheid.UntypedStorage(size=%zu, device=%s)", impl(self).nbytes(),
                                to_string(impl(self).device()).c_str());
  });
}

Py_ssize_t storage_length(PyObject* self) { return static_cast<Py_ssize_t>(impl(self).nbytes()); }

uint8_t& byte_at(PyObject* self, PyObject* key) {
  Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred()) throw_python_error();
  auto size = static_cast<Py_ssize_t>(impl(self).nbytes());
  CEPH_CHECK(index >= -size && index < size, ErrorKind::kIndex, "UntypedStorage", "index ", index,
             " is out of range for ", size, " bytes");
  require_cpu(self, "indexing");
  return static_cast<uint8_t*>(impl(self).data())[index < 0 ? index + size : index];
}

PyObject* storage_get(PyObject* self, PyObject* key) {
  return guarded([&] { return PyLong_FromLong(byte_at(self, key)); });
}

int storage_set(PyObject* self, PyObject* key, PyObject* value) {
  return guarded_status([&] {
    CEPH_CHECK(value != nullptr, ErrorKind::kType, "UntypedStorage", "bytes can't be deleted");
    long byte = PyLong_AsLong(value);
    if (byte == -1 && PyErr_Occurred()) throw_python_error();
    CEPH_CHECK(byte >= 0 && byte < 256, ErrorKind::kValue, "UntypedStorage",
               "a byte is in [0, 255]; got ", byte);
    CEPH_CHECK(impl(self).writable(), ErrorKind::kRuntime, "UntypedStorage",
               "the memory is read-only");
    byte_at(self, key) = static_cast<uint8_t>(byte);
    impl(self).version().bump();
    return 0;
  });
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  return guarded_status([&] {
    view->obj = nullptr;
    require_cpu(self, "a buffer");
    StorageImpl& storage = impl(self);
    int status =
        PyBuffer_FillInfo(view, self, storage.data(), static_cast<Py_ssize_t>(storage.nbytes()),
                          !storage.writable(), flags);
    if (status == 0) storage.pin();
    return status;
  });
}

void release_buffer(PyObject* self, Py_buffer*) { impl(self).unpin(); }

PyObject* nbytes(PyObject* self, PyObject*) { return PyLong_FromSize_t(impl(self).nbytes()); }
PyObject* data_ptr(PyObject* self, PyObject*) { return PyLong_FromVoidPtr(impl(self).data()); }
PyObject* resizable(PyObject* self, PyObject*) { return PyBool_FromLong(impl(self).resizable()); }

PyObject* resize(PyObject* self, PyObject* size) {
  return guarded([&] {
    Py_ssize_t count = PyNumber_AsSsize_t(size, PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred()) throw_python_error();
    impl(self).resize(count_from(count));
    return Py_NewRef(self);
  });
}

PyObject* copy_from(PyObject* self, PyObject* source) {
  Py_buffer view;
  if (PyObject_GetBuffer(source, &view, PyBUF_C_CONTIGUOUS) < 0) return nullptr;
  PyObject* result = guarded([&] {
    require_cpu(self, "copy_");
    CEPH_CHECK(impl(self).writable(), ErrorKind::kRuntime, "UntypedStorage.copy_",
               "the memory is read-only");
    CEPH_CHECK(static_cast<size_t>(view.len) == impl(self).nbytes(), ErrorKind::kRuntime,
               "UntypedStorage.copy_", "source and target must have one size; got ", view.len,
               " and ", impl(self).nbytes(), " bytes");
    if (view.len) std::memmove(impl(self).data(), view.buf, static_cast<size_t>(view.len));
    impl(self).version().bump();
    return Py_NewRef(self);
  });
  PyBuffer_Release(&view);
  return result;
}

PyObject* clone(PyObject* self, PyObject*) {
  return guarded([&] {
    if (!impl(self).device().is_cpu())
      return wrap_storage(allocate(impl(self).nbytes(), impl(self).device()));
    return wrap_storage(storage_from_bytes(impl(self).data(), impl(self).nbytes()));
  });
}

PyObject* deepcopy(PyObject* self, PyObject* memo) {
  return guarded([&] {
    CEPH_CHECK(PyDict_Check(memo), ErrorKind::kType, "__deepcopy__",
               "the memo must be a dict; got ", type_name(memo));
    Ref key = own(PyLong_FromVoidPtr(self));
    if (PyObject* seen = PyDict_GetItemWithError(memo, key.get())) return Py_NewRef(seen);
    if (PyErr_Occurred()) throw_python_error();
    Ref copy = own(clone(self, nullptr));
    checked(PyDict_SetItem(memo, key.get(), copy.get()));
    return copy.release();
  });
}

PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    require_cpu(self, "pickling");
    Ref rebuild = import_attribute("cepheid._C", "_rebuild_storage");
    Ref bytes = own(PyBytes_FromStringAndSize(static_cast<const char*>(impl(self).data()),
                                              static_cast<Py_ssize_t>(impl(self).nbytes())));
    return Py_BuildValue("O(O)", rebuild.get(), bytes.get());
  });
}

PyObject* rebuild(PyObject*, PyObject* bytes) {
  char* data;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(bytes, &data, &size) < 0) return nullptr;
  return guarded([&] { return wrap_storage(storage_from_bytes(data, static_cast<size_t>(size))); });
}

PyObject* get_device(PyObject* self, void*) {
  return guarded([&] { return wrap_device(impl(self).device()); });
}

PyMappingMethods as_mapping = {storage_length, storage_get, storage_set};
PyBufferProcs as_buffer = {get_buffer, release_buffer};
PyMethodDef methods[] = {
    {"nbytes", nbytes, METH_NOARGS, "Size in bytes."},
    {"size", nbytes, METH_NOARGS, "Size in bytes."},
    {"data_ptr", data_ptr, METH_NOARGS, "Address of the first byte; 0 when there are none."},
    {"resizable", resizable, METH_NOARGS, "Whether resize_ works: not for foreign memory."},
    {"resize_", resize, METH_O,
     "resize_(nbytes): keeps what fits. RuntimeError for foreign memory."},
    {"copy_", copy_from, METH_O, "copy_(source): the bytes of a buffer of the same size."},
    {"clone", clone, METH_NOARGS, "A storage with a copy of the bytes."},
    {"__deepcopy__", deepcopy, METH_O, nullptr},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef getset[] = {
    {"device", get_device, nullptr, "Where the bytes are.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef functions[] = {
    {"_rebuild_storage", rebuild, METH_O, "_rebuild_storage(bytes): what a pickled storage names."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject StorageType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid.UntypedStorage",
    .tp_basicsize = sizeof(StorageObject),
    .tp_dealloc = storage_dealloc,
    .tp_repr = storage_repr,
    .tp_as_mapping = &as_mapping,
    .tp_as_buffer = &as_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc =
        "UntypedStorage(size=0, *, device='cpu'): zeroed bytes that tensors can share; a buffer.",
    .tp_weaklistoffset = offsetof(StorageObject, weakrefs),
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_new = storage_new,
};

PyObject* wrap_storage(Storage storage) {
  if (storage->pyobj) return Py_NewRef(static_cast<PyObject*>(storage->pyobj));
  auto* object = PyObject_New(StorageObject, &StorageType);
  if (!object) throw_python_error();
  storage->pyobj = object;
  new (&object->storage) Storage(std::move(storage));
  object->weakrefs = nullptr;
  return reinterpret_cast<PyObject*>(object);
}

const Storage& unwrap_storage(PyObject* o) { return reinterpret_cast<StorageObject*>(o)->storage; }

Storage storage_from_bytes(const void* data, size_t nbytes) {
  Storage storage = allocate(nbytes, Device());
  if (nbytes) std::memcpy(storage->data(), data, nbytes);
  return storage;
}

void init_storage(PyObject* module) {
  add_type(module, &StorageType, "UntypedStorage");
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace ceph::python
