// tensor(), as_tensor(), asarray(), from_numpy(), frombuffer(), Tensor().

#include "python/construct.h"

#include "generated/ops/_to_copy.h"
#include "generated/ops/empty.h"
#include "python/arg_convert.h"
#include "python/arg_kinds.h"
#include "python/array.h"
#include "python/device.h"
#include "python/dtype.h"
#include "python/element.h"
#include "python/generated.h"
#include "python/storage.h"

namespace ceph::python {

namespace {

constexpr size_t kMaxDepth = 64;  // also the limit of NumPy

bool is_nested(PyObject* o) {
  if (PyList_Check(o) || PyTuple_Check(o)) return true;
  if (PyUnicode_Check(o) || PyBytes_Check(o) || PyDict_Check(o)) return false;
  if (is_tensor(o)) return unwrap(o).dim() > 0;
  return PySequence_Check(o) && !is_numpy_scalar(o) && PyObject_Size(o) >= 0;
}

bool nested(PyObject* o) {
  bool result = is_nested(o);
  if (PyErr_Occurred()) PyErr_Clear();  // no length: a 0-dim array, whose item is asked for below
  return result;
}

// A number, also out of a 0-dim array.
Ref leaf_value(PyObject* o, const char* op) {
  if (is_number(o) || is_tensor(o)) return Ref::share(o);
  if (is_numpy_array(o)) return own(PyObject_CallMethod(o, "item", nullptr));
  fail(ErrorKind::kType, op, "expected a number or a sequence of numbers; got ", type_name(o));
}

Ref items_of(PyObject* sequence) {
  return own(PySequence_Fast(sequence, "tensor: a sequence can't be iterated over"));
}

IntVector shape_of(PyObject* data, const char* op) {
  IntVector shape;
  Ref at = Ref::share(data);
  while (nested(at.get())) {
    CEPH_CHECK(shape.size() < kMaxDepth, ErrorKind::kValue, op, "sequences may be nested ",
               kMaxDepth, " deep at most; does one contain itself?");
    Ref items = items_of(at.get());
    Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
    shape.push_back(count);
    if (count == 0) break;
    at = Ref::share(PySequence_Fast_GET_ITEM(items.get(), 0));
  }
  return shape;
}

// Calls `visit(leaf)` in order. Sizes are checked against `shape`.
class Leaves {
 public:
  Leaves(const IntVector& shape, const char* op) : shape_(shape), op_(op) {}

  template <class Visit>
  void each(PyObject* data, Visit&& visit, size_t dim = 0) const {
    if (dim == shape_.size()) {
      CEPH_CHECK(!nested(data), ErrorKind::kValue, op_,
                 "the nesting is uneven: a sequence stands where a number is "
                 "expected, at depth ",
                 dim);
      visit(leaf_value(data, op_).get());
      return;
    }
    CEPH_CHECK(nested(data), ErrorKind::kType, op_,
               "the nesting is uneven: expected a sequence of length ", shape_[dim], " at depth ",
               dim, "; got ", type_name(data));
    Ref items = items_of(data);
    check_size(items.get(), dim);
    for (int64_t i = 0; i < shape_[dim]; ++i) {
      check_size(items.get(), dim);  // code of an item's class may change the list
      Ref item = Ref::share(PySequence_Fast_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i)));
      each(item.get(), visit, dim + 1);
    }
  }

 private:
  void check_size(PyObject* items, size_t dim) const {
    CEPH_CHECK(PySequence_Fast_GET_SIZE(items) == shape_[dim], ErrorKind::kValue, op_,
               "sequences at one depth must have one length; expected ", shape_[dim],
               " at dimension ", dim, "; got ", PySequence_Fast_GET_SIZE(items));
  }

  const IntVector& shape_;
  const char* op_;
};

DType array_dtype(PyObject* array, const char* op) {
  Ref copy = own(PyObject_CallMethod(array, "copy", nullptr));  // of any strides, and writable
  return tensor_from_array(copy.get(), op).dtype();
}

DType numpy_scalar_dtype(PyObject* value, const char* op) {
  Ref asarray = import_attribute("numpy", "asarray");
  return array_dtype(own(PyObject_CallOneArg(asarray.get(), value)).get(), op);
}

DType leaf_dtype(PyObject* value, const char* op) {
  if (PyBool_Check(value)) return DType::Bool;
  if (PyLong_Check(value)) return DType::Int64;
  if (PyFloat_Check(value)) return default_dtype();
  if (is_tensor(value)) return unwrap(value).dtype();
  if (is_numpy_scalar(value) && !PyComplex_Check(value)) return numpy_scalar_dtype(value, op);
  return to_scalar(value, op).wrapped_dtype();
}

void join_dtype(std::optional<DType>& dtype, DType next) {
  if (dtype != next) dtype = dtype ? promote_types(*dtype, next) : next;
}

// Joins the dtypes of all leaves; arrays count as a whole. Unevenness is found when values are
// stored.
void join_all(std::optional<DType>& dtype, PyObject* data, const char* op, size_t depth = 0) {
  if (!nested(data)) return join_dtype(dtype, leaf_dtype(leaf_value(data, op).get(), op));
  if (is_tensor(data)) return join_dtype(dtype, unwrap(data).dtype());
  if (is_numpy_array(data)) return join_dtype(dtype, array_dtype(data, op));
  CEPH_CHECK(depth < kMaxDepth, ErrorKind::kValue, op, "sequences may be nested ", kMaxDepth,
             " deep at most; does one contain itself?");
  Ref items = items_of(data);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    join_all(dtype, Ref::share(PySequence_Fast_GET_ITEM(items.get(), i)).get(), op, depth + 1);
  }
}

DType infer_dtype(PyObject* data, const char* op) {
  std::optional<DType> dtype;
  join_all(dtype, data, op);
  return dtype.value_or(default_dtype());
}

Tensor from_sequence(PyObject* data, std::optional<DType> dtype, const char* op) {
  IntVector shape = shape_of(data, op);
  DType type = dtype ? *dtype : infer_dtype(data, op);
  Tensor result = empty_tensor(shape, type, Device(), op);
  auto* at = static_cast<char*>(result.data());
  StoreElement store = store_for(type);
  Leaves(shape, op).each(data, [&](PyObject* value) {
    store(at, value, op);
    at += item_size(type);
  });
  return result;
}

Tensor copied(const Tensor& t, std::optional<DType> dtype, std::optional<Device> device) {
  return unlocked(is_large(t), [&] { return ops::_to_copy(t, dtype, {}, device, {}, false, {}); });
}

// Without the warning about read-only memory, since what is made from it is a copy.
Tensor from_array_copy(PyObject* array, std::optional<DType> dtype, std::optional<Device> device,
                       const char* op) {
  Ref plain = own(PyObject_CallMethod(array, "copy", nullptr));  // also rids it of negative strides
  Tensor shared = tensor_from_array(plain.get(), op);
  return copied(shared, dtype, device);
}

bool matches(const Tensor& t, std::optional<DType> dtype, std::optional<Device> device) {
  return (!dtype || *dtype == t.dtype()) && (!device || device->kind == t.device().kind);
}

}  // namespace

Tensor tensor_from_data(PyObject* data, std::optional<DType> dtype, std::optional<Device> device,
                        const char* op) {
  if (is_tensor(data)) return copied(unwrap(data), dtype, device);
  if (is_numpy_array(data))
    return from_array_copy(data, dtype, device ? *device : default_device(), op);
  Tensor result = from_sequence(data, dtype, op);
  Device target = device ? *device : default_device();
  return target.is_cpu() ? result : copied(result, {}, target);
}

namespace {

// Arguments of the functions below, as PyArg_ParseTupleAndKeywords leaves them.
struct DataCall {
  PyObject* data;
  PyObject* dtype = Py_None;
  PyObject* device = Py_None;
  PyObject* copy = Py_None;
  int requires_grad = 0;
  int pin_memory = 0;
};

std::optional<DType> optional_dtype(PyObject* o) {
  if (o == Py_None) return std::nullopt;
  CEPH_CHECK(accepts_dtype(o), ErrorKind::kType, "dtype", "expected a dtype; got ", type_name(o));
  return to_dtype(o);
}

std::optional<Device> optional_device(PyObject* o) {
  return o == Py_None ? std::nullopt : std::optional(to_device(o));
}

void refuse_pinned(const char* op, int pin_memory) {
  CEPH_CHECK(!pin_memory, ErrorKind::kRuntime, op,
             "pin_memory=True needs an accelerator, and none is available; leave it out");
}

// tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)
PyObject* make_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"data", "dtype", "device", "requires_grad", "pin_memory", nullptr};
  DataCall c;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OOpp:tensor", const_cast<char**>(names),
                                   &c.data, &c.dtype, &c.device, &c.requires_grad, &c.pin_memory)) {
    return nullptr;
  }
  return guarded([&] {
    refuse_pinned("tensor", c.pin_memory);
    return wrap_leaf(
        tensor_from_data(c.data, optional_dtype(c.dtype), optional_device(c.device), "tensor"),
        c.requires_grad != 0);
  });
}

// The tensor that shares memory with `data`, where there can be one; undefined otherwise.
Tensor shared_with(PyObject* data, const char* op) {
  if (is_tensor(data)) return unwrap(data);
  if (is_numpy_array(data)) return tensor_from_array(data, op);
  return Tensor();
}

// as_tensor(data, dtype=None, device=None)
PyObject* as_tensor(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"data", "dtype", "device", nullptr};
  DataCall c;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:as_tensor", const_cast<char**>(names),
                                   &c.data, &c.dtype, &c.device)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    auto dtype = optional_dtype(c.dtype);
    auto device = optional_device(c.device);
    Tensor shared = shared_with(c.data, "as_tensor");
    if (!shared.defined()) return wrap(tensor_from_data(c.data, dtype, device, "as_tensor"));
    return wrap(matches(shared, dtype, device) ? shared : copied(shared, dtype, device));
  });
}

// A Tensor over the memory of an object with __dlpack__ or a buffer; see dlpack.cpp for the former.
Tensor from_protocol(PyObject* object, std::optional<DType> dtype) {
  Tensor shared = shared_with(object, "asarray");
  if (shared.defined()) return shared;
  if (PyObject_CheckBuffer(object) && !PyUnicode_Check(object)) {
    Tensor bytes = tensor_from_array(object, "asarray");
    if (!dtype || *dtype == bytes.dtype()) return bytes;
  }
  return Tensor();
}

// asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False)
PyObject* asarray(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"obj", "dtype", "device", "copy", "requires_grad", nullptr};
  DataCall c;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OOOp:asarray", const_cast<char**>(names),
                                   &c.data, &c.dtype, &c.device, &c.copy, &c.requires_grad)) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    auto dtype = optional_dtype(c.dtype);
    auto device = optional_device(c.device);
    Tensor shared = from_protocol(c.data, dtype);
    bool shares = shared.defined() && matches(shared, dtype, device);
    CEPH_CHECK(
        shares || c.copy != Py_False, ErrorKind::kValue, "asarray",
        "copy=False, but the object's memory can't be shared with the dtype and device asked for");
    Tensor made = !shared.defined()             ? tensor_from_data(c.data, dtype, device, "asarray")
                  : shares && c.copy != Py_True ? shared
                                                : copied(shared, dtype, device);
    return wrap_leaf(made, c.requires_grad != 0);
  });
}

PyObject* from_numpy(PyObject*, PyObject* array) {
  return guarded([&] {
    CEPH_CHECK(is_numpy_array(array), ErrorKind::kType, "from_numpy",
               "expected a numpy.ndarray; got ", type_name(array));
    return wrap(tensor_from_array(array, "from_numpy"));
  });
}

Tensor buffer_part(const Tensor& bytes, DType dtype, int64_t count, int64_t offset) {
  auto size = static_cast<int64_t>(item_size(dtype));
  int64_t length = bytes.numel();
  CEPH_CHECK(length > 0 && count != 0, ErrorKind::kValue, "frombuffer",
             "both the buffer's length (", length, ") and count (", count, ") must not be 0");
  CEPH_CHECK(offset >= 0 && offset < length, ErrorKind::kValue, "frombuffer",
             "the offset must be in [0, ", length, "); got ", offset);
  CEPH_CHECK(count > 0 || (length - offset) % size == 0, ErrorKind::kValue, "frombuffer", "the ",
             length - offset, " bytes after the offset are no multiple of the ", size,
             " bytes of a ", dtype, "; give count");
  int64_t room = (length - offset) / size;
  if (count < 0) count = room;
  CEPH_CHECK(count <= room, ErrorKind::kValue, "frombuffer", "the buffer has room for ", room,
             " elements of ", dtype, " after the offset; count is ", count);
  CEPH_CHECK((reinterpret_cast<uintptr_t>(bytes.data()) + static_cast<uintptr_t>(offset)) %
                     item_size(real_of(dtype)) ==
                 0,
             ErrorKind::kValue, "frombuffer", "the memory at the offset isn't aligned to ", dtype,
             "; copy the buffer");
  auto* start = static_cast<char*>(bytes.data()) + offset;
  auto* owner = new Tensor(bytes);  // nobody else has it
  auto storage = make_intrusive<StorageImpl>(
      start, static_cast<size_t>(count * size), Device(),
      [](void* context) { delete static_cast<Tensor*>(context); }, owner,
      bytes->storage()->writable());
  auto impl = make_intrusive<TensorImpl>(std::move(storage), dtype, Device(), bytes.keys());
  impl->set_contiguous({count});
  return Tensor(std::move(impl));
}

// frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False)
PyObject* frombuffer(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"buffer", "dtype", "count", "offset", "requires_grad", nullptr};
  DataCall c;
  long long count = -1, offset = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OLLp:frombuffer", const_cast<char**>(names),
                                   &c.data, &c.dtype, &count, &offset, &c.requires_grad)) {
    return nullptr;
  }
  return guarded([&] {
    CEPH_CHECK(accepts_dtype(c.dtype), ErrorKind::kType, "frombuffer",
               "dtype= must be given, a dtype; got ", type_name(c.dtype));
    Ref view = own(PyMemoryView_FromObject(c.data));
    Ref bytes = own(PyObject_CallMethod(view.get(), "cast", "s", "B"));
    Tensor made =
        buffer_part(tensor_from_array(bytes.get(), "frombuffer"), to_dtype(c.dtype), count, offset);
    return wrap_leaf(made, c.requires_grad != 0);
  });
}

PyObject* is_tensor_function(PyObject*, PyObject* o) { return PyBool_FromLong(is_tensor(o)); }

PyCFunction with_keywords(PyCFunctionWithKeywords fn) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fn));
}

PyMethodDef functions[] = {
    {"tensor", with_keywords(make_tensor), METH_VARARGS | METH_KEYWORDS,
     "tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> "
     "Tensor\n\nA new tensor with a "
     "copy of the values of a number, a nested sequence, an array or a tensor. ValueError when the "
     "sequences are "
     "uneven, TypeError for what is no number."},
    {"as_tensor", with_keywords(as_tensor), METH_VARARGS | METH_KEYWORDS,
     "as_tensor(data, dtype=None, device=None) -> Tensor\n\nThe tensor itself, or one that shares "
     "an array's memory, "
     "where dtype and device allow; else a new one."},
    {"asarray", with_keywords(asarray), METH_VARARGS | METH_KEYWORDS,
     "asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False) -> Tensor\n\nShares "
     "memory where it can; "
     "copy=True never does, copy=False raises ValueError where it can't."},
    {"from_numpy", from_numpy, METH_O,
     "from_numpy(ndarray) -> Tensor\n\nShares the array's memory. ValueError for negative "
     "strides."},
    {"frombuffer", with_keywords(frombuffer), METH_VARARGS | METH_KEYWORDS,
     "frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False) -> "
     "Tensor\n\nOne-dimensional, sharing the "
     "buffer's memory from byte `offset` on."},
    {"is_tensor", is_tensor_function, METH_O, "is_tensor(obj) -> bool: whether obj is a Tensor."},
    {nullptr, nullptr, 0, nullptr},
};

// Tensor(), Tensor(2, 3): sizes; Tensor(tensor), Tensor([1, 2]): values in the default dtype.
Tensor legacy_tensor(PyObject* args) {
  Py_ssize_t count = PyTuple_GET_SIZE(args);
  PyObject* first = count ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (!first || accepts_list_int(first)) {
    IntVector sizes;
    for (Py_ssize_t i = 0; i < count; ++i)
      sizes.push_back(to_int64(PyTuple_GET_ITEM(args, i), "Tensor"));
    if (!count) sizes.push_back(0);
    return ops::empty(sizes);
  }
  CEPH_CHECK(count == 1, ErrorKind::kType, "Tensor", "takes sizes, or one tensor or sequence; got ",
             count, " arguments, the first a ", type_name(first));
  if (is_tensor(first)) return alias_of(unwrap(first));
  return tensor_from_data(first, default_dtype(), {}, "Tensor");
}

}  // namespace

PyObject* tensor_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    CEPH_CHECK(!kwargs || PyDict_GET_SIZE(kwargs) == 0 || type != &TensorType, ErrorKind::kType,
               "Tensor",
               "takes no keyword arguments; use cepheid.tensor, which takes dtype= and device=");
    return wrap_as(type, legacy_tensor(args));
  });
}

void init_construct(PyObject* module) { checked(PyModule_AddFunctions(module, functions)); }

}  // namespace ceph::python
