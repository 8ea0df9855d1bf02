#include "python/arg_convert.h"

#include "generated/ops/_local_scalar_dense.h"
#include "python/arg_kinds.h"
#include "python/arg_parser.h"
#include "python/device.h"
#include "python/dtype.h"
#include "python/generator.h"

namespace ceph::python {

const Tensor Parsed::undefined_;

namespace {

Ref numpy_item(PyObject* scalar) { return own(PyObject_CallMethod(scalar, "item", nullptr)); }

Scalar scalar_from_int(PyObject* value, const char* op) {
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (small == -1 && PyErr_Occurred()) throw_python_error();
  if (!overflow) return Scalar(static_cast<int64_t>(small));
  unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    fail(ErrorKind::kOverflow, op, "the int is out of the range of 64 bits");
  }
  return Scalar(static_cast<uint64_t>(large));
}

}  // namespace

Scalar item_of(const Tensor& t, const char* op) {
  CEPH_CHECK(t.numel() == 1, ErrorKind::kRuntime, op, "a tensor with ", t.numel(),
             " elements can't be converted to a number; it must have exactly one");
  return ops::_local_scalar_dense(t);
}

int64_t to_int64(PyObject* value, const char* op) {
  if (PyLong_Check(value)) {
    int overflow = 0;
    long long result = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (result == -1 && PyErr_Occurred()) throw_python_error();
    CEPH_CHECK(!overflow, ErrorKind::kOverflow, op, "the int is out of the range of int64");
    return result;
  }
  Ref index = own(PyNumber_Index(value));
  return to_int64(index.get(), op);
}

double to_double(PyObject* value, const char* op) {
  if (PyFloat_Check(value)) return PyFloat_AS_DOUBLE(value);
  if (is_tensor(value)) return item_of(unwrap(value), op).to_double(op);
  double result = PyFloat_AsDouble(value);
  if (result == -1.0 && PyErr_Occurred()) throw_python_error();
  return result;
}

Scalar to_scalar(PyObject* value, const char* op) {
  if (PyBool_Check(value)) return Scalar(value == Py_True);
  if (PyLong_Check(value)) return scalar_from_int(value, op);
  if (PyFloat_Check(value)) return Scalar(PyFloat_AS_DOUBLE(value));
  if (PyComplex_Check(value)) {
    Py_complex c = PyComplex_AsCComplex(value);
    return Scalar(std::complex<double>(c.real, c.imag));
  }
  if (is_tensor(value)) return item_of(unwrap(value), op);
  if (is_numpy_scalar(value)) {
    Ref item = numpy_item(value);
    // longdouble's item is itself
    if (is_numpy_scalar(item.get())) return Scalar(to_double(item.get(), op));
    return to_scalar(item.get(), op);
  }
  Ref index = own(PyNumber_Index(value));
  return scalar_from_int(index.get(), op);
}

PyObject* wrap_scalar(const Scalar& value) {
  switch (value.tag()) {
  case Scalar::Tag::Bool:
    return PyBool_FromLong(value.to<bool>());
  case Scalar::Tag::Int:
    return PyLong_FromLongLong(value.to_int64());
  case Scalar::Tag::UInt64:
    return PyLong_FromUnsignedLongLong(value.to<uint64_t>());
  case Scalar::Tag::Double:
    return PyFloat_FromDouble(value.to_double());
  case Scalar::Tag::Complex: {
    std::complex<double> c = value.to_complex();
    return PyComplex_FromDoubles(c.real(), c.imag());
  }
  }
  return nullptr;
}

// ---- accessors of a parsed call
// --------------------------------------------------------------------

Tensor Parsed::wrapped_number(PyObject* number) {
  return ceph::wrapped_number(to_scalar(number, "number"));
}

// Converting another argument may have run code that changed the list.
const Tensor& Parsed::still_tensor(PyObject* item) const {
  CEPH_CHECK(is_tensor(item), ErrorKind::kType, name,
             "a list of tensors was changed during the call; it holds a ", type_name(item));
  return unwrap(item);
}

std::vector<Tensor> Parsed::tensors(int i) const {
  std::vector<Tensor> list;
  if (!slots[i]) return list;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(slots[i]);
  list.reserve(static_cast<size_t>(count));
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* item = PySequence_Fast_GET_ITEM(slots[i], k);
    list.push_back(item == Py_None ? Tensor() : still_tensor(item));
  }
  return list;
}

const Tensor& Parsed::out(int i, int which) const {
  CEPH_CHECK(which < PySequence_Fast_GET_SIZE(slots[i]), ErrorKind::kType, name,
             "the out= list was changed during the call");
  return still_tensor(PySequence_Fast_GET_ITEM(slots[i], which));
}

Scalar Parsed::scalar(int i) const { return to_scalar(slots[i], name); }
int64_t Parsed::integer(int i) const { return to_int64(slots[i], name); }
double Parsed::real(int i) const { return to_double(slots[i], name); }

std::optional<Scalar> Parsed::optional_scalar(int i) const {
  return has(i) ? std::optional(scalar(i)) : std::nullopt;
}
std::vector<Scalar> Parsed::scalars(int i) const {
  std::vector<Scalar> values;
  // An item's __index__ may change the list, so its size is asked for each time.
  for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(slots[i]); ++k) {
    Ref item = Ref::share(PySequence_Fast_GET_ITEM(slots[i], k));
    values.push_back(to_scalar(item.get(), name));
  }
  return values;
}
std::optional<int64_t> Parsed::optional_integer(int i) const {
  return has(i) ? std::optional(integer(i)) : std::nullopt;
}
std::optional<double> Parsed::optional_real(int i) const {
  return has(i) ? std::optional(real(i)) : std::nullopt;
}
std::optional<bool> Parsed::optional_boolean(int i) const {
  return has(i) ? std::optional(boolean(i)) : std::nullopt;
}

IntVector Parsed::ints(int i, size_t length) const {
  IntVector values;
  if (i == spread_slot) {
    for (Py_ssize_t k = 0; k < spread_count; ++k) values.push_back(to_int64(spread[k], name));
  } else if (PyTuple_Check(slots[i]) || PyList_Check(slots[i])) {
    // An item's __index__ may change the list, so its size is asked for each time.
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(slots[i]); ++k) {
      Ref item = Ref::share(PySequence_Fast_GET_ITEM(slots[i], k));
      values.push_back(to_int64(item.get(), name));
    }
  } else {
    values.assign(length, integer(i));
  }
  return values;
}

std::optional<IntVector> Parsed::optional_ints(int i, size_t length) const {
  return has(i) ? std::optional(ints(i, length)) : std::nullopt;
}

std::string_view Parsed::text(int i) const {
  Py_ssize_t size;
  const char* data = PyUnicode_AsUTF8AndSize(slots[i], &size);
  if (!data) throw_python_error();
  return {data, static_cast<size_t>(size)};
}
std::optional<std::string_view> Parsed::optional_text(int i) const {
  return has(i) ? std::optional(text(i)) : std::nullopt;
}

DType Parsed::dtype(int i) const { return to_dtype(slots[i]); }
std::optional<DType> Parsed::optional_dtype(int i) const {
  return has(i) ? std::optional(dtype(i)) : std::nullopt;
}
Device Parsed::device(int i) const { return to_device(slots[i]); }
std::optional<Device> Parsed::optional_device(int i) const {
  return has(i) ? std::optional(device(i)) : std::nullopt;
}
Layout Parsed::layout(int i) const { return to_layout(slots[i]); }
std::optional<Layout> Parsed::optional_layout(int i) const {
  return has(i) ? std::optional(layout(i)) : std::nullopt;
}
MemoryFormat Parsed::memory_format(int i) const { return to_memory_format(slots[i]); }
std::optional<MemoryFormat> Parsed::optional_memory_format(int i) const {
  return has(i) ? std::optional(memory_format(i)) : std::nullopt;
}
const Generator& Parsed::generator(int i) const {
  static const Generator none;
  return has(i) ? unwrap_generator(slots[i]) : none;
}

void Parsed::refuse_pin_memory(int i) const {
  CEPH_CHECK(!boolean(i), ErrorKind::kRuntime, name,
             "pin_memory=True needs an accelerator, and none is available; leave it out");
}

}  // namespace ceph::python
