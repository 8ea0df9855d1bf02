// Methods of Tensor that aren't ops: geometry, conversions to Python, dtype shorthands.

#include "python/tensor_methods.h"

#include <algorithm>

#include "autograd/meta.h"
#include "core/layout.h"
#include "generated/ops/detach.h"
#include "generated/ops/to.h"
#include "python/arg_parser.h"
#include "python/array.h"
#include "python/autograd.h"
#include "python/device.h"
#include "python/dtype.h"
#include "python/element.h"
#include "python/generated.h"
#include "python/pinned.h"
#include "python/recursion.h"
#include "python/size.h"
#include "python/storage.h"

namespace ceph::python {

namespace {

// The name of a method as a template argument, so that each wrapper knows it for overrides.
template <size_t N>
struct Name {
  constexpr Name(const char (&text)[N]) { std::copy_n(text, N, value); }
  char value[N];
};

using Nullary = PyObject* (*)(const Tensor&);
using WithSelf = PyObject* (*)(PyObject*);
using Unary = PyObject* (*)(PyObject*, PyObject*);
using Keywords = PyObject* (*)(PyObject*, PyObject*, PyObject*);

template <Name name, Nullary Fn>
PyObject* nullary(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) [[unlikely]]
      return override_method(name.value, self, nullptr, 0, nullptr);
    return Fn(unwrap(self));
  });
}

template <Name name, WithSelf Fn>
PyObject* with_self(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) [[unlikely]]
      return override_method(name.value, self, nullptr, 0, nullptr);
    return Fn(self);
  });
}

template <Name name, Unary Fn>
PyObject* unary(PyObject* self, PyObject* argument) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self) || (!is_exact_tensor(argument) && has_override(argument)))
        [[unlikely]] {
      return override_method(name.value, self, &argument, 1, nullptr);
    }
    return Fn(self, argument);
  });
}

PyObject* override_with_dict(const char* name, PyObject* self, PyObject* args, PyObject* kwargs) {
  Overloaded operands;
  if (defines_torch_function(self)) operands.add(self);
  Ref func = attribute(reinterpret_cast<PyObject*>(&TensorType), name);
  Ref head = own(PyTuple_Pack(1, self));
  Ref all = own(PySequence_Concat(head.get(), args));
  return call_torch_function(func.get(), operands, all.get(), kwargs, name);
}

template <Name name, Keywords Fn>
PyObject* keywords(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) [[unlikely]]
      return override_with_dict(name.value, self, args, kwargs);
    return Fn(self, args, kwargs);
  });
}

// ---- geometry
// ---------------------------------------------------------------------------------------

PyObject* optional_dim(PyObject* args, PyObject* kwargs, const char* format) {
  static const char* names[] = {"dim", nullptr};
  PyObject* dim = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, const_cast<char**>(names), &dim))
    throw_python_error();
  return dim;
}

int64_t checked_dim(PyObject* dim, const Tensor& t, const char* op) {
  int64_t index = to_int64(dim, op);
  int64_t rank = std::max<int64_t>(t.dim(), 1);
  CEPH_CHECK(index >= -rank && index < rank && t.dim() > 0, ErrorKind::kIndex, op,
             "the dimension must be in [", -rank, ", ", rank - 1, "] for a tensor of ", t.dim(),
             "; got ", index);
  return index;
}

PyObject* size(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* dim = optional_dim(args, kwargs, "|O:size");
  const Tensor& t = unwrap(self);
  if (dim == Py_None) return wrap_size(t.sizes());
  return PyLong_FromLongLong(t.size(checked_dim(dim, t, "size")));
}

PyObject* stride(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* dim = optional_dim(args, kwargs, "|O:stride");
  const Tensor& t = unwrap(self);
  if (dim == Py_None) return wrap_tuple(t.strides());
  return PyLong_FromLongLong(t.stride(checked_dim(dim, t, "stride")));
}

PyObject* is_contiguous(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"memory_format", nullptr};
  PyObject* format = memory_format_object(MemoryFormat::Contiguous);
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O!:is_contiguous", const_cast<char**>(names),
                                   &MemoryFormatType, &format)) {
    return nullptr;
  }
  const Tensor& t = unwrap(self);
  MemoryFormat wanted = to_memory_format(format);
  if (wanted == MemoryFormat::Contiguous) return PyBool_FromLong(t.is_contiguous());
  CEPH_CHECK(wanted != MemoryFormat::Preserve, ErrorKind::kRuntime, "is_contiguous",
             "preserve_format is no order of its own; ask for contiguous_format or channels_last");
  int64_t rank = wanted == MemoryFormat::ChannelsLast ? 4 : 5;
  if (t.dim() != rank) Py_RETURN_FALSE;
  DimVector strides = strides_for(t.sizes(), wanted, "is_contiguous");
  bool same = t.numel() == 0;
  for (int64_t d = 0; d < rank && !same; ++d) {
    if (t.size(d) != 1 && t.stride(d) != strides[static_cast<size_t>(d)]) Py_RETURN_FALSE;
  }
  Py_RETURN_TRUE;
}

PyObject* dim(const Tensor& t) { return PyLong_FromLongLong(t.dim()); }
PyObject* numel(const Tensor& t) { return PyLong_FromLongLong(t.numel()); }
PyObject* element_size(const Tensor& t) { return PyLong_FromSize_t(item_size(t.dtype())); }
PyObject* storage_offset(const Tensor& t) { return PyLong_FromLongLong(t.storage_offset()); }
PyObject* data_ptr(const Tensor& t) {
  return PyLong_FromVoidPtr(t.device().is_meta() ? nullptr : t.data());
}
PyObject* is_floating_point(const Tensor& t) { return PyBool_FromLong(is_floating(t.dtype())); }
PyObject* is_inference(const Tensor& t) { return PyBool_FromLong(t->is_inference()); }
PyObject* is_complex_method(const Tensor& t) { return PyBool_FromLong(is_complex(t.dtype())); }
PyObject* is_signed_method(const Tensor& t) { return PyBool_FromLong(is_signed(t.dtype())); }
PyObject* returns_false(const Tensor&) { Py_RETURN_FALSE; }
PyObject* itself(PyObject* self) { return Py_NewRef(self); }

PyObject* untyped_storage(const Tensor& t) {
  CEPH_CHECK(t->has_storage(), ErrorKind::kNotImplemented, "untyped_storage",
             "a wrapper subclass has no storage of its own");
  return wrap_storage(t->storage());
}

PyObject* is_set_to(PyObject* self, PyObject* other) {
  CEPH_CHECK(is_tensor(other), ErrorKind::kType, "is_set_to", "expected a Tensor; got ",
             type_name(other));
  const Tensor &a = unwrap(self), &b = unwrap(other);
  return PyBool_FromLong(a->storage() == b->storage() && a.storage_offset() == b.storage_offset() &&
                         a.sizes() == b.sizes() && a.strides() == b.strides());
}

// ---- to Python
// --------------------------------------------------------------------------------------

PyObject* item(const Tensor& t) { return wrap_scalar(item_of(t, "item")); }

Ref nested_list(const Tensor& t, int64_t dim, const char* at) {
  if (dim == t.dim()) return own(load_element(t.dtype(), at));
  RecursionLevel level(" in tolist");
  int64_t step = t.stride(dim) * static_cast<int64_t>(item_size(t.dtype()));
  Ref list = own(PyList_New(static_cast<Py_ssize_t>(t.size(dim))));
  for (int64_t i = 0; i < t.size(dim); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                    nested_list(t, dim + 1, at + i * step).release());
  }
  return list;
}

PyObject* numpy(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"force", nullptr};
  int force = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$p:numpy", const_cast<char**>(names), &force))
    return nullptr;
  Tensor t = unwrap(self);
  if (force && autograd::requires_grad(t)) t = ops::detach(t);
  return array_from_tensor(t, "numpy");
}

// __array__(dtype=None, copy=None), as NumPy 2 calls it.
PyObject* array(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", const_cast<char**>(names), &dtype,
                                   &copy)) {
    return nullptr;
  }
  Ref result = own(array_from_tensor(unwrap(self), "__array__"));
  if (dtype == Py_None)
    return copy == Py_True ? PyObject_CallMethod(result.get(), "copy", nullptr) : result.release();
  Ref astype = attribute(result.get(), "astype");
  Ref arguments = own(PyTuple_Pack(1, dtype));
  Ref options = own(Py_BuildValue("{s:O}", "copy", copy == Py_True ? Py_True : Py_False));
  Ref converted = own(PyObject_Call(astype.get(), arguments.get(), options.get()));
  CEPH_CHECK(copy != Py_False || converted.get() == result.get(), ErrorKind::kValue, "__array__",
             "copy=False, but the dtype asked for needs a copy");
  return converted.release();
}

PyObject* complex_method(const Tensor& t) {
  CEPH_CHECK(t.numel() == 1, ErrorKind::kValue, "complex", "a tensor with ", t.numel(),
             " elements can't be a Python number; it must have exactly one");
  std::complex<double> value = item_of(t, "complex").to_complex();
  return PyComplex_FromDoubles(value.real(), value.imag());
}

// ---- dtype and device shorthands
// ----------------------------------------------------------------------

Tensor to_dtype_of(const Tensor& t, DType dtype, std::optional<MemoryFormat> format) {
  return unlocked(is_large(t), [&] { return ops::to(t, dtype, false, false, format); });
}

std::optional<MemoryFormat> format_option(PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"memory_format", nullptr};
  PyObject* format = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &format))
    throw_python_error();
  return format == Py_None ? std::nullopt : std::optional(to_memory_format(format));
}

template <DType dtype>
PyObject* convert(PyObject* self, PyObject* args, PyObject* kwargs) {
  return wrap(to_dtype_of(unwrap(self), dtype, format_option(args, kwargs)));
}

PyObject* cpu(PyObject* self, PyObject* args, PyObject* kwargs) {
  auto format = format_option(args, kwargs);
  return wrap(ops::to(unwrap(self), Device(), std::nullopt, false, false, format));
}

PyObject* type_as(PyObject* self, PyObject* other) {
  CEPH_CHECK(is_tensor(other), ErrorKind::kType, "type_as", "expected a Tensor; got ",
             type_name(other));
  const Tensor& like = unwrap(other);
  return wrap(ops::to(unwrap(self), like.device(), like.dtype(), false, false, std::nullopt));
}

PyObject* requires_grad(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"requires_grad", nullptr};
  int on = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:requires_grad_", const_cast<char**>(names),
                                   &on))
    return nullptr;
  autograd::set_requires_grad(unwrap(self), on != 0);
  return Py_NewRef(self);
}

PyObject* retain_grad(PyObject* self) {
  autograd::retain_grad(unwrap(self));
  return Py_NewRef(Py_None);
}

PyObject* dlpack_device(PyObject* self) { return tensor_dlpack_device(self); }

PyCFunction cast(PyCFunctionWithKeywords fn) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fn));
}

}  // namespace

PyObject* tensor_tolist(const Tensor& t) {
  CEPH_CHECK(t.device().is_cpu() && t->has_storage(), ErrorKind::kRuntime, "tolist",
             "the tensor must have its data on the CPU; this one is on ", t.device(),
             t->has_storage() ? "" : " and wraps others");
  // Making lists may run the collector, and that any code: geometry and memory are held still.
  Tensor still = alias_of(t);
  Pinned pinned(t->storage());
  return nested_list(still, 0, static_cast<const char*>(still.data())).release();
}

#define CEPH_NULLARY(name, fn, doc) {name, nullary<name, fn>, METH_NOARGS, doc}
#define CEPH_SELF(name, fn, doc) {name, with_self<name, fn>, METH_NOARGS, doc}
#define CEPH_UNARY(name, fn, doc) {name, unary<name, fn>, METH_O, doc}
#define CEPH_KEYWORDS(name, fn, doc)                                                               \
  {name, cast(keywords<name, fn>), METH_VARARGS | METH_KEYWORDS, doc}
#define CEPH_CONVERT(name, dtype)                                                                  \
  CEPH_KEYWORDS(name, convert<dtype>, name "(memory_format=None): to(" name ").")

PyMethodDef tensor_methods[] = {
    CEPH_KEYWORDS("size", size,
                  "size(dim=None): all sizes as a Size, or one. IndexError out of range."),
    CEPH_KEYWORDS("stride", stride,
                  "stride(dim=None): all strides as a tuple, in elements, or one."),
    CEPH_KEYWORDS(
        "is_contiguous", is_contiguous,
        "is_contiguous(memory_format=contiguous_format): whether elements lie in that order."),
    CEPH_NULLARY("dim", dim, "Number of dimensions."),
    CEPH_NULLARY("ndimension", dim, "Number of dimensions."),
    CEPH_NULLARY("numel", numel, "Number of elements."),
    CEPH_NULLARY("nelement", numel, "Number of elements."),
    CEPH_NULLARY("element_size", element_size, "Bytes of one element."),
    CEPH_NULLARY("storage_offset", storage_offset, "Elements of the storage before the first one."),
    CEPH_NULLARY("data_ptr", data_ptr, "Address of the first element; 0 when there is none."),
    CEPH_NULLARY("untyped_storage", untyped_storage,
                 "The bytes that this tensor and its views share."),
    CEPH_UNARY("is_set_to", is_set_to,
               "is_set_to(tensor): same storage, offset, sizes and strides."),
    CEPH_NULLARY("is_inference", is_inference, "Whether it was made in inference mode."),
    CEPH_NULLARY("is_floating_point", is_floating_point,
                 "Whether the dtype is a real floating-point one."),
    CEPH_NULLARY("is_complex", is_complex_method, "Whether the dtype is complex."),
    CEPH_NULLARY("is_signed", is_signed_method, "Whether values can be negative."),
    CEPH_NULLARY("is_conj", returns_false,
                 "Whether a conjugation is pending: never, it is done at once."),
    CEPH_NULLARY("is_neg", returns_false,
                 "Whether a negation is pending: never, it is done at once."),
    CEPH_SELF("resolve_conj", itself, "The tensor itself: no conjugation is ever pending."),
    CEPH_SELF("resolve_neg", itself, "The tensor itself: no negation is ever pending."),
    CEPH_NULLARY("item", item,
                 "The only element as a Python number. RuntimeError unless there is exactly one."),
    CEPH_NULLARY("tolist", tensor_tolist,
                 "Nested lists of Python numbers; a number for a 0-dim tensor."),
    CEPH_KEYWORDS("numpy", numpy, "numpy(*, force=False): an ndarray that shares the memory."),
    CEPH_KEYWORDS("__array__", array, nullptr),
    CEPH_NULLARY("__complex__", complex_method, nullptr),
    CEPH_UNARY("type_as", type_as, "type_as(tensor): to the dtype and device of another tensor."),
    CEPH_KEYWORDS("requires_grad_", requires_grad,
                  "requires_grad_(requires_grad=True): whether operations on it are recorded."),
    CEPH_SELF("retain_grad", retain_grad, "Keeps the gradient of a tensor that isn't a leaf."),
    CEPH_UNARY("register_hook", tensor_register_hook,
               "register_hook(hook): hook(gradient) is called when the gradient is known and may "
               "return another. Returns a handle with remove()."),
    CEPH_UNARY("register_post_accumulate_grad_hook", tensor_register_accumulated_hook,
               "register_post_accumulate_grad_hook(hook): hook(tensor) is called after .grad of a "
               "leaf was added to. Returns a handle with remove()."),
    CEPH_KEYWORDS("cpu", cpu, "cpu(memory_format=None): to(device='cpu')."),
    CEPH_CONVERT("float", DType::Float32),
    CEPH_CONVERT("double", DType::Float64),
    CEPH_CONVERT("half", DType::Float16),
    CEPH_CONVERT("bfloat16", DType::BFloat16),
    CEPH_CONVERT("int", DType::Int32),
    CEPH_CONVERT("long", DType::Int64),
    CEPH_CONVERT("short", DType::Int16),
    CEPH_CONVERT("char", DType::Int8),
    CEPH_CONVERT("byte", DType::UInt8),
    CEPH_CONVERT("bool", DType::Bool),
    CEPH_CONVERT("cfloat", DType::Complex64),
    CEPH_CONVERT("cdouble", DType::Complex128),
    CEPH_UNARY("__reduce_ex__", tensor_reduce, nullptr),
    CEPH_UNARY("__deepcopy__", tensor_deepcopy, nullptr),
    CEPH_KEYWORDS("__dlpack__", tensor_dlpack,
                  "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None): a "
                  "DLPack capsule."),
    CEPH_SELF("__dlpack_device__", dlpack_device, "(device type, device index) of DLPack."),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace ceph::python
