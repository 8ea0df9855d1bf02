#include "python/dlpack.h"

#include <cstring>
#include <memory>
#include <vector>

#include "core/layout.h"
#include "generated/ops/_to_copy.h"
#include "python/device.h"
#include "python/pinned.h"
#include "python/tensor_methods.h"

namespace ceph::python {

namespace {

using namespace dlpack;

constexpr const char* kCapsule = "dltensor";
constexpr const char* kCapsuleVersioned = "dltensor_versioned";
constexpr const char* kUsed = "used_dltensor";
constexpr const char* kUsedVersioned = "used_dltensor_versioned";

// ---- dtypes
// -----------------------------------------------------------------------------------------

struct TypeRow {
  DType dtype;
  uint8_t code;
  uint8_t bits;
};
constexpr TypeRow kTypes[] = {
    {DType::Bool, kBool, 8},
    {DType::UInt8, kUInt, 8},
    {DType::Int8, kInt, 8},
    {DType::Int16, kInt, 16},
    {DType::Int32, kInt, 32},
    {DType::Int64, kInt, 64},
    {DType::UInt16, kUInt, 16},
    {DType::UInt32, kUInt, 32},
    {DType::UInt64, kUInt, 64},
    {DType::Float16, kFloat, 16},
    {DType::BFloat16, kBfloat, 16},
    {DType::Float32, kFloat, 32},
    {DType::Float64, kFloat, 64},
    {DType::Complex64, kComplex, 64},
    {DType::Complex128, kComplex, 128},
    {DType::Float8E4M3FN, kFloat8E4M3FN, 8},
    {DType::Float8E5M2, kFloat8E5M2, 8},
};

DLDataType to_dl(DType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return {row.code, row.bits, 1};
  }
  CEPH_INTERNAL(false);
  return {};
}

DType from_dl(DLDataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.dtype;
  }
  fail(ErrorKind::kRuntime, "from_dlpack", "no dtype has code ", int(type.code), ", ",
       int(type.bits), " bits and ", type.lanes, " lanes");
}

// ---- out
// --------------------------------------------------------------------------------------------

// What an exported capsule keeps alive.
struct Export {
  explicit Export(const Tensor& t)
      : tensor(alias_of(t)),  // `t` may be given other data
        pinned(t->storage()), shape(t.sizes().begin(), t.sizes().end()),
        strides(t.strides().begin(), t.strides().end()) {}

  Tensor tensor;
  Pinned pinned;
  std::vector<int64_t> shape, strides;
};

template <class M>
void delete_managed(M* managed) {
  delete static_cast<Export*>(managed->context);
  delete managed;
}

template <class M>
M* make_managed(const Tensor& t) {
  auto context = std::make_unique<Export>(t);
  auto* managed = new M();
  managed->tensor = {t.data(),
                     {kCPU, 0},
                     static_cast<int32_t>(t.dim()),
                     to_dl(t.dtype()),
                     context->shape.data(),
                     context->strides.data(),
                     0};
  managed->deleter = &delete_managed<M>;
  managed->context = context.release();
  return managed;
}

// A capsule that nobody took.
template <class M>
void delete_capsule(PyObject* capsule) {
  const char* name = std::is_same_v<M, Managed> ? kCapsule : kCapsuleVersioned;
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

void require_exportable(const Tensor& t) {
  CEPH_CHECK(t.device().is_cpu() && t->has_storage(), ErrorKind::kRuntime, "__dlpack__",
             "the tensor must have its data on the CPU; this one is on ", t.device());
}

PyObject* legacy_capsule(const Tensor& t) {
  CEPH_CHECK(
      t->storage()->writable(), ErrorKind::kRuntime, "__dlpack__",
      "the memory is read-only, which DLPack can say only since 1.0; ask with max_version=(1, 0)");
  auto* managed = make_managed<Managed>(t);
  return checked(PyCapsule_New(managed, kCapsule, delete_capsule<Managed>));
}

PyObject* versioned_capsule(const Tensor& t, bool copied) {
  auto* managed = make_managed<ManagedVersioned>(t);
  managed->version = {1, 0};
  managed->flags = (t->storage()->writable() ? 0 : kReadOnly) | (copied ? kIsCopied : 0);
  return checked(PyCapsule_New(managed, kCapsuleVersioned, delete_capsule<ManagedVersioned>));
}

std::pair<int, int> int_pair(PyObject* value, const char* name) {
  CEPH_CHECK(PyTuple_Check(value), ErrorKind::kType, "__dlpack__", name,
             " must be a tuple of two ints; got ", type_name(value));
  std::pair<int, int> pair;
  if (!PyArg_ParseTuple(value, "ii", &pair.first, &pair.second)) throw_python_error();
  return pair;
}

void check_requested_device(PyObject* device) {
  if (device == Py_None) return;
  auto [type, id] = int_pair(device, "dl_device");
  CEPH_CHECK(type == kCPU, ErrorKind::kValue, "__dlpack__",
             "the tensor is on the CPU (1, 0); dl_device asks for (", type, ", ", id, ")");
}

}  // namespace

// __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)
PyObject* tensor_dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *max_version = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", const_cast<char**>(names),
                                   &stream, &max_version, &device, &copy)) {
    return nullptr;
  }
  Tensor t = unwrap(self);
  require_exportable(t);
  check_requested_device(device);
  CEPH_CHECK(stream == Py_None, ErrorKind::kValue, "__dlpack__",
             "a tensor on the CPU has no stream; leave it None");
  if (copy == Py_True) t = ops::_to_copy(t, {}, {}, {}, {}, false, {});
  int major = max_version == Py_None ? 0 : int_pair(max_version, "max_version").first;
  return major >= 1 ? versioned_capsule(t, copy == Py_True) : legacy_capsule(t);
}

PyObject* tensor_dlpack_device(PyObject* self) {
  require_exportable(unwrap(self));
  return Py_BuildValue("(ii)", int(kCPU), 0);
}

namespace {

// ---- in
// ---------------------------------------------------------------------------------------------

template <class M>
void release_imported(void* context) {
  auto* managed = static_cast<M*>(context);
  if (!managed->deleter || !Py_IsInitialized()) return;
  GilAcquire gil;  // the producer may be Python
  managed->deleter(managed);
}

DimVector strides_of(const DLTensor& dl, IntArrayRef sizes) {
  if (!dl.strides) return contiguous_strides(sizes);
  for (int32_t d = 0; d < dl.ndim; ++d) {
    CEPH_CHECK(dl.strides[d] >= 0, ErrorKind::kValue, "from_dlpack",
               "strides must not be negative; dimension ", d, " has ", dl.strides[d],
               "; make a copy first");
  }
  return DimVector(IntArrayRef(dl.strides, static_cast<size_t>(dl.ndim)));
}

void check_imported(const DLTensor& dl) {
  CEPH_CHECK(dl.device.type == kCPU || dl.device.type == kCUDAHost, ErrorKind::kRuntime,
             "from_dlpack", "the data must be on the CPU; the device type is ", dl.device.type);
  CEPH_CHECK(dl.ndim >= 0 && (dl.ndim == 0 || dl.shape), ErrorKind::kRuntime, "from_dlpack",
             "a shape of ", dl.ndim, " dimensions is missing or negative");
  for (int32_t d = 0; d < dl.ndim; ++d) {
    CEPH_CHECK(dl.shape[d] >= 0, ErrorKind::kRuntime, "from_dlpack",
               "sizes must not be negative; dimension ", d, " has ", dl.shape[d]);
  }
}

template <class M>
Tensor import_managed(M* managed, bool writable) {
  const DLTensor& dl = managed->tensor;
  check_imported(dl);
  IntArrayRef sizes(dl.shape, static_cast<size_t>(dl.ndim));
  DimVector strides = strides_of(dl, sizes);
  DType dtype = from_dl(dl.dtype);
  size_t nbytes = checked_nbytes(sizes, strides, 0, dtype, "from_dlpack");
  void* data = dl.data ? static_cast<char*>(dl.data) + dl.byte_offset : nullptr;
  CEPH_CHECK(data || nbytes == 0, ErrorKind::kRuntime, "from_dlpack", "the data pointer is null");
  auto storage =
      make_intrusive<StorageImpl>(data, nbytes, Device(), release_imported<M>, managed, writable);
  auto impl = make_intrusive<TensorImpl>(std::move(storage), dtype, Device(),
                                         empty_tensor({0}, dtype, Device()).keys());
  impl->set_geometry(sizes, strides, 0);
  return Tensor(std::move(impl));
}

template <class M>
M* pointer_of(PyObject* capsule, const char* name) {
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  if (!managed) throw_python_error();
  return managed;
}

Tensor from_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kCapsuleVersioned)) {
    auto* managed = pointer_of<ManagedVersioned>(capsule, kCapsuleVersioned);
    CEPH_CHECK(managed->version.major == 1, ErrorKind::kRuntime, "from_dlpack", "DLPack ",
               managed->version.major, " isn't known; ask the producer for version 1");
    Tensor t = import_managed(managed, !(managed->flags & kReadOnly));
    checked(PyCapsule_SetName(capsule, kUsedVersioned));
    return t;
  }
  CEPH_CHECK(PyCapsule_IsValid(capsule, kCapsule), ErrorKind::kRuntime, "from_dlpack",
             "expected a DLPack capsule that nobody has taken yet; each can be taken once");
  Tensor t = import_managed(pointer_of<Managed>(capsule, kCapsule), true);
  checked(PyCapsule_SetName(capsule, kUsed));
  return t;
}

Ref capsule_of(PyObject* object, PyObject* copy) {
  Ref method = attribute(object, "__dlpack__");
  Ref empty = own(PyTuple_New(0));
  Ref options = own(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
  if (copy != Py_None) checked(PyDict_SetItemString(options.get(), "copy", copy));
  PyObject* capsule = PyObject_Call(method.get(), empty.get(), options.get());
  if (!capsule && copy == Py_None && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();  // a producer from before 1.0 doesn't know max_version
    capsule = PyObject_CallNoArgs(method.get());
  }
  return own(capsule);
}

// from_dlpack(ext_tensor, *, device=None, copy=None)
PyObject* from_dlpack(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"ext_tensor", "device", "copy", nullptr};
  PyObject *source, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OO:from_dlpack", const_cast<char**>(names),
                                   &source, &device, &copy)) {
    return nullptr;
  }
  return guarded([&] {
    CEPH_CHECK(device == Py_None || to_device(device).is_cpu(), ErrorKind::kValue, "from_dlpack",
               "only the CPU can take the data in this version");
    Ref capsule = PyCapsule_CheckExact(source) ? Ref::share(source) : capsule_of(source, copy);
    return wrap(from_capsule(capsule.get()));
  });
}

PyObject* to_dlpack(PyObject*, PyObject* object) {
  return guarded([&] {
    CEPH_CHECK(is_tensor(object), ErrorKind::kType, "to_dlpack", "expected a Tensor; got ",
               type_name(object));
    require_exportable(unwrap(object));
    return legacy_capsule(unwrap(object));
  });
}

PyMethodDef functions[] = {
    {"from_dlpack", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(from_dlpack)),
     METH_VARARGS | METH_KEYWORDS,
     "from_dlpack(ext_tensor, *, device=None, copy=None) -> Tensor\n\nShares the memory of an "
     "object with __dlpack__, or of "
     "a DLPack capsule."},
    {"to_dlpack", to_dlpack, METH_O,
     "to_dlpack(tensor): a DLPack capsule of the unversioned kind."},
    {"_to_dlpack", to_dlpack, METH_O,
     "to_dlpack(tensor): a DLPack capsule of the unversioned kind."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_dlpack(PyObject* module) { checked(PyModule_AddFunctions(module, functions)); }

}  // namespace ceph::python
