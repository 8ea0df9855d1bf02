#include "python/array.h"

#include <memory>
#include <string_view>

#include "autograd/meta.h"
#include "core/grad_mode.h"
#include "core/layout.h"
#include "python/arg_convert.h"
#include "python/pinned.h"

namespace ceph::python {

namespace {

// ---- in
// -------------------------------------------------------------------------------------------

struct BufferRelease {
  void operator()(Py_buffer* view) const {
    PyBuffer_Release(view);
    delete view;
  }
};
using Buffer = std::unique_ptr<Py_buffer, BufferRelease>;

Buffer get_buffer(PyObject* object, int flags) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object, view.get(), flags) < 0) throw_python_error();
  return Buffer(view.release());
}

void release_shared(void* context) {
  if (!Py_IsInitialized()) return;
  GilAcquire gil;
  BufferRelease()(static_cast<Py_buffer*>(context));
}

DType integer_dtype(size_t size, bool with_sign) {
  constexpr DType signed_types[] = {DType::Int8, DType::Int16, DType::Int32, DType::Int64};
  constexpr DType unsigned_types[] = {DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64};
  int index = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  return with_sign ? signed_types[index] : unsigned_types[index];
}

// The dtype of a buffer's format, as the struct module and PEP 3118 spell it.
std::optional<DType> dtype_of_format(std::string_view format, size_t size) {
  if (format == "?") return DType::Bool;
  if (format == "e") return DType::Float16;
  if (format == "f") return DType::Float32;
  if (format == "d") return DType::Float64;
  if (format == "Zf") return DType::Complex64;
  if (format == "Zd") return DType::Complex128;
  if (format.size() != 1 || size > 8) return std::nullopt;
  if (std::string_view("bhilq").find(format[0]) != format.npos) return integer_dtype(size, true);
  if (std::string_view("BHILQ").find(format[0]) != format.npos) return integer_dtype(size, false);
  return std::nullopt;
}

DType buffer_dtype(const Py_buffer& view, const char* op) {
  std::string_view format = view.format ? view.format : "B";
  bool swapped = !format.empty() && (format[0] == '>' || format[0] == '!');
  if (!format.empty() && std::string_view("@=<>!").find(format[0]) != format.npos)
    format.remove_prefix(1);
  auto dtype = dtype_of_format(format, static_cast<size_t>(view.itemsize));
  CEPH_CHECK(dtype.has_value(), ErrorKind::kType, op, "elements of format '", format, "' (",
             view.itemsize,
             " bytes) have no dtype here; supported are bool, integers, float16, float32, float64, "
             "complex64 and "
             "complex128");
  CEPH_CHECK(!swapped || view.itemsize == 1, ErrorKind::kValue, op,
             "the byte order of the array isn't this machine's; "
             "convert it first, such as with array.astype(array.dtype.newbyteorder('='))");
  return *dtype;
}

struct Geometry {
  DimVector sizes, strides;
};

Geometry buffer_geometry(const Py_buffer& view, const char* op) {
  Geometry g;
  if (view.ndim && !view.strides) {
    // Strides were asked for, but NumPy's datetime scalars give none for their bytes.
    for (int d = 0; d < view.ndim; ++d) g.sizes.push_back(view.shape[d]);
    g.strides = contiguous_strides(g.sizes);
    return g;
  }
  for (int d = 0; d < view.ndim; ++d) {
    Py_ssize_t stride = view.strides[d];
    CEPH_CHECK(stride >= 0, ErrorKind::kValue, op, "strides must not be negative; dimension ", d,
               " has ", stride, " bytes; make a copy first, such as with array.copy()");
    CEPH_CHECK(stride % view.itemsize == 0, ErrorKind::kValue, op,
               "strides must be a multiple of the element's ", view.itemsize, " bytes; dimension ",
               d, " has ", stride, "; make a copy first, such as with array.copy()");
    g.sizes.push_back(view.shape[d]);
    g.strides.push_back(stride / view.itemsize);
  }
  return g;
}

void warn_read_only(const char* op) {
  checked(PyErr_WarnFormat(
      PyExc_UserWarning, 1,
      "%s: the array is read-only, and so is the tensor that shares its memory: writing to it "
      "is an error; make a copy to write to",
      op));
}

}  // namespace

bool is_numpy_array(PyObject* o) {
  for (PyTypeObject* type = Py_TYPE(o); type; type = type->tp_base) {
    if (std::string_view(type->tp_name) == "numpy.ndarray") return true;
  }
  return false;
}

Tensor tensor_from_array(PyObject* array, const char* op) {
  Buffer view = get_buffer(array, PyBUF_RECORDS_RO);
  DType dtype = buffer_dtype(*view, op);
  Geometry g = buffer_geometry(*view, op);
  size_t nbytes = checked_nbytes(g.sizes, g.strides, 0, dtype, op);
  CEPH_CHECK(reinterpret_cast<uintptr_t>(view->buf) % item_size(real_of(dtype)) == 0 || nbytes == 0,
             ErrorKind::kValue, op,
             "the array's memory isn't aligned to its elements; make a copy first, such as with "
             "array.copy()");
  if (view->readonly) warn_read_only(op);
  void* data = view->buf;
  bool writable = !view->readonly;
  auto storage =
      make_intrusive<StorageImpl>(data, nbytes, Device(), release_shared, view.release(), writable);
  DispatchKeySet keys = empty_tensor({0}, dtype, Device()).keys();
  auto impl = make_intrusive<TensorImpl>(std::move(storage), dtype, Device(), keys);
  impl->set_geometry(g.sizes, g.strides, 0);
  return Tensor(std::move(impl));
}

namespace {

// ---- out
// ------------------------------------------------------------------------------------------

struct ExportObject {
  PyObject_HEAD;
  Tensor tensor;
  Pinned* pinned;
  Py_ssize_t* geometry;  // shape, then strides in bytes
};

const char* format_of(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "?";
  case DType::UInt8:
    return "B";
  case DType::Int8:
    return "b";
  case DType::Int16:
    return "h";
  case DType::Int32:
    return "i";
  case DType::Int64:
    return "l";
  case DType::UInt16:
    return "H";
  case DType::UInt32:
    return "I";
  case DType::UInt64:
    return "L";
  case DType::Float16:
    return "e";
  case DType::Float32:
    return "f";
  case DType::Float64:
    return "d";
  case DType::Complex64:
    return "Zf";
  case DType::Complex128:
    return "Zd";
  default:
    return nullptr;
  }
}
static_assert(sizeof(long) == 8, "format 'l' is int64");

int export_buffer(PyObject* self, Py_buffer* view, int flags) {
  return guarded_status([&] {
    auto* o = reinterpret_cast<ExportObject*>(self);
    const Tensor& t = o->tensor;
    bool writable = t->storage()->writable();
    view->obj = nullptr;
    CEPH_CHECK(writable || !(flags & PyBUF_WRITABLE), ErrorKind::kValue, "numpy",
               "the tensor's memory is read-only");
    view->buf = t.data() ? t.data() : o->geometry;  // any address for no elements
    view->itemsize = static_cast<Py_ssize_t>(item_size(t.dtype()));
    view->len = view->itemsize * t.numel();
    view->readonly = !writable;
    view->ndim = static_cast<int>(t.dim());
    view->format = const_cast<char*>(format_of(t.dtype()));
    view->shape = o->geometry;
    view->strides = o->geometry + t.dim();
    view->suboffsets = nullptr;
    view->internal = nullptr;
    view->obj = Py_NewRef(self);
    return 0;
  });
}

void export_dealloc(PyObject* self) {
  auto* o = reinterpret_cast<ExportObject*>(self);
  delete o->pinned;
  o->tensor.~Tensor();
  delete[] o->geometry;
  PyObject_Free(self);
}

PyBufferProcs export_as_buffer = {export_buffer, nullptr};
PyTypeObject ExportType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid._C._ArrayExport",
    .tp_basicsize = sizeof(ExportObject),
    .tp_dealloc = export_dealloc,
    .tp_as_buffer = &export_as_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "A tensor's memory as a buffer with its shape and strides, on the way to NumPy.",
};

Ref make_export(const Tensor& t) {
  auto geometry = std::make_unique<Py_ssize_t[]>(static_cast<size_t>(2 * t.dim() + 1));
  auto size = static_cast<int64_t>(item_size(t.dtype()));
  for (int64_t d = 0; d < t.dim(); ++d) {
    geometry[static_cast<size_t>(d)] = t.size(d);
    geometry[static_cast<size_t>(t.dim() + d)] = t.stride(d) * size;
  }
  auto* object = PyObject_New(ExportObject, &ExportType);
  if (!object) throw_python_error();
  new (&object->tensor) Tensor(alias_of(t));  // `t` may be given other data
  object->pinned = new Pinned(t->storage());
  object->geometry = geometry.release();
  return Ref::steal(reinterpret_cast<PyObject*>(object));
}

}  // namespace

PyObject* array_from_tensor(const Tensor& t, const char* op) {
  CEPH_CHECK(!autograd::requires_grad(t) || !grad_enabled, ErrorKind::kRuntime, op,
             "the tensor requires a gradient, which an array can't carry; use detach().numpy()");
  CEPH_CHECK(t.device().is_cpu() && t->has_storage(), ErrorKind::kType, op,
             "the tensor must have its data on the CPU; "
             "this one is on ",
             t.device(), t->has_storage() ? "" : " and wraps others");
  CEPH_CHECK(format_of(t.dtype()), ErrorKind::kType, op, "NumPy has no dtype ", t.dtype(),
             "; convert first, such as with .float()");
  t.data();  // throws here: NumPy would take an object whose buffer fails for a scalar
  Ref asarray = import_attribute("numpy", "asarray");
  Ref source = make_export(t);
  return checked(PyObject_CallOneArg(asarray.get(), source.get()));
}

void init_array(PyObject*) { checked(PyType_Ready(&ExportType)); }

}  // namespace ceph::python
