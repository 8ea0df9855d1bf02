// Conversions of Tensor to Python: bool, int, float, complex, index; len, iteration, containment.

#include "generated/ops/any.h"
#include "generated/ops/eq.h"
#include "generated/ops/select.h"
#include "python/indexing.h"
#include "python/operators.h"

namespace ceph::python {

namespace {

Scalar only_item(PyObject* self, const char* op, ErrorKind kind, const char* advice) {
  const Tensor& t = unwrap(self);
  CEPH_CHECK(t.numel() == 1, kind, op, "a tensor with ", t.numel(), " elements ", advice);
  return item_of(t, op);
}

constexpr const char* kOneElement = "can't be a Python number; it must have exactly one";

int tensor_bool(PyObject* self) {
  return guarded_status([&]() -> int {
    if (needs_override(self)) {
      Ref result = own(override_method("__bool__", self, nullptr, 0, nullptr));
      return PyObject_IsTrue(result.get());
    }
    constexpr const char* advice =
        "has no single truth value; use any(), all() or a comparison of one element";
    return !only_item(self, "bool", ErrorKind::kRuntime, advice).equals(Scalar(0));
  });
}

PyObject* tensor_int(PyObject* self) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) return override_method("__int__", self, nullptr, 0, nullptr);
    Scalar value = only_item(self, "int", ErrorKind::kValue, kOneElement);
    CEPH_CHECK(!value.is_complex() || value.to_complex().imag() == 0, ErrorKind::kRuntime, "int",
               "a complex value with an imaginary part can't be an int; take .real");
    if (value.is_complex()) return PyLong_FromDouble(value.to_complex().real());
    if (value.is_floating()) return PyLong_FromDouble(value.to_double());
    if (value.is_bool()) return PyLong_FromLong(value.to<bool>());
    return wrap_scalar(value);
  });
}

PyObject* tensor_float(PyObject* self) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) return override_method("__float__", self, nullptr, 0, nullptr);
    Scalar value = only_item(self, "float", ErrorKind::kValue, kOneElement);
    return PyFloat_FromDouble(value.to_double("float"));
  });
}

PyObject* tensor_index(PyObject* self) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) return override_method("__index__", self, nullptr, 0, nullptr);
    const Tensor& t = unwrap(self);
    CEPH_CHECK(is_integral(t.dtype(), true) && t.numel() == 1, ErrorKind::kType, "index",
               "only an integer tensor of one element can be an index; got ", t.dtype(),
               " of shape ", t.sizes());
    Scalar value = item_of(t, "index");
    return value.is_bool() ? PyLong_FromLong(value.to<bool>()) : wrap_scalar(value);
  });
}

PyObject* positive(PyObject* self) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) return override_method("__pos__", self, nullptr, 0, nullptr);
    CEPH_CHECK(unwrap(self).dtype() != DType::Bool, ErrorKind::kRuntime, "positive",
               "bool has no sign; convert it first, such as with .int()");
    return Py_NewRef(self);
  });
}

Py_ssize_t length_of(PyObject* self) {
  return guarded_status([&]() -> Py_ssize_t {
    if (needs_override(self)) {
      Ref result = own(override_method("__len__", self, nullptr, 0, nullptr));
      return PyNumber_AsSsize_t(result.get(), PyExc_OverflowError);
    }
    const Tensor& t = unwrap(self);
    CEPH_CHECK(t.dim() > 0, ErrorKind::kType, "len", "a 0-dim tensor has no length");
    return static_cast<Py_ssize_t>(t.size(0));
  });
}

// value in tensor: whether any element equals it.
int contains(PyObject* self, PyObject* value) {
  return guarded_status([&]() -> int {
    if (needs_override(self)) {
      Ref result = own(override_method("__contains__", self, &value, 1, nullptr));
      return PyObject_IsTrue(result.get());
    }
    Tensor number;
    const Tensor* other = as_operand(value, true, number, "__contains__");
    CEPH_CHECK(other != nullptr, ErrorKind::kRuntime, "__contains__",
               "only a Tensor or a number can be an element; got ", type_name(value));
    return item_of(ops::any(ops::eq(unwrap(self), *other)), "__contains__").to<bool>();
  });
}

}  // namespace

PyMappingMethods tensor_as_mapping = {length_of, tensor_subscript, tensor_assign_subscript};
PySequenceMethods tensor_as_sequence = {.sq_contains = contains};

PyObject* tensor_iter(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    CEPH_CHECK(t.dim() > 0, ErrorKind::kType, "iter", "a 0-dim tensor can't be iterated over");
    Ref list = own(PyList_New(static_cast<Py_ssize_t>(t.size(0))));
    for (int64_t i = 0; i < t.size(0); ++i) {
      Ref row = is_plain(self) ? own(wrap(ops::select(t, 0, i)))
                               : own(PyObject_GetItem(self, own(PyLong_FromLongLong(i)).get()));
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), row.release());
    }
    return PyObject_GetIter(list.get());
  });
}

void init_conversion_slots() {
  tensor_as_number.nb_bool = tensor_bool;
  tensor_as_number.nb_int = tensor_int;
  tensor_as_number.nb_float = tensor_float;
  tensor_as_number.nb_index = tensor_index;
  tensor_as_number.nb_positive = positive;
}

}  // namespace ceph::python
