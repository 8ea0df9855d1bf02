#include "python/arg_kinds.h"

#include "python/device.h"
#include "python/dtype.h"
#include "python/generator.h"

namespace ceph::python {

namespace {

bool accepts_tensor(PyObject* value, bool& overridden) {
  if (is_exact_tensor(value)) return true;
  if (!is_tensor(value)) return false;
  overridden |= has_override(value);
  return true;
}

// A tensor that stands for a number: 0-dim, or one element for an int.
bool is_scalar_tensor(PyObject* value) { return is_tensor(value) && unwrap(value).dim() == 0; }
bool is_integral_tensor(PyObject* value) {
  return is_scalar_tensor(value) && is_integral(unwrap(value).dtype());
}

bool accepts_int(PyObject* value, bool exact) {
  if (PyLong_Check(value)) return !PyBool_Check(value);
  if (is_tensor(value)) return !exact && is_integral_tensor(value);
  return is_index(value);
}

bool accepts_float(PyObject* value, bool exact) {
  if (PyFloat_Check(value) || PyLong_Check(value)) return true;
  if (is_tensor(value))
    return !exact && is_scalar_tensor(value) && !is_complex(unwrap(value).dtype());
  return is_numpy_scalar(value) && !PyComplex_Check(value);
}

bool accepts_scalar(PyObject* value, bool exact) {
  return is_number(value) || (!exact && is_scalar_tensor(value));
}

template <class Accepts>
bool every_item(PyObject* value, Accepts item_accepted) {
  if (!PyTuple_Check(value) && !PyList_Check(value)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
    if (!item_accepted(PySequence_Fast_GET_ITEM(value, i))) return false;
  }
  return true;
}

bool accepts_int_list(const Param& param, PyObject* value) {
  if (every_item(value, accepts_list_int)) return true;
  return (param.flags & kOneForAll) && accepts_int(value, false);
}

bool accepts_tensor_list(PyObject* value, bool none, bool& overridden) {
  return every_item(value, [&](PyObject* item) {
    if (none && item == Py_None) return true;
    if (accepts_tensor(item, overridden)) return true;
    if (!defines_torch_function(item)) return false;
    overridden = true;
    return true;
  });
}

bool accepts_out(const Param& param, PyObject* value, bool& overridden) {
  return accepts_tensor_list(value, false, overridden) &&
         PySequence_Fast_GET_SIZE(value) == param.length;
}

bool accepts_kind(const Param& param, PyObject* value, bool exact, bool& overridden) {
  switch (param.kind) {
  case ParamKind::Tensor:
    return accepts_tensor(value, overridden);
  case ParamKind::TensorOrNumber:
    return accepts_tensor(value, overridden) || is_number(value);
  case ParamKind::TensorList:
  case ParamKind::OptionalTensorList:
    return accepts_tensor_list(value, param.kind == ParamKind::OptionalTensorList, overridden);
  case ParamKind::OutTuple:
    return accepts_out(param, value, overridden);
  case ParamKind::Scalar:
    return accepts_scalar(value, exact);
  case ParamKind::ScalarList:
    return every_item(value, accepts_list_scalar);
  case ParamKind::Int:
    return accepts_int(value, exact);
  case ParamKind::Float:
    return accepts_float(value, exact);
  case ParamKind::Bool:
    return PyBool_Check(value);
  case ParamKind::IntList:
    return accepts_int_list(param, value);
  case ParamKind::Str:
    return PyUnicode_Check(value);
  case ParamKind::DType:
    return accepts_dtype(value);
  case ParamKind::Device:
    return accepts_device(value);
  case ParamKind::Layout:
    return Py_TYPE(value) == &LayoutType;
  case ParamKind::MemoryFormat:
    return Py_TYPE(value) == &MemoryFormatType;
  case ParamKind::Generator:
    return is_generator(value);
  }
  return false;
}

}  // namespace

bool is_numpy_scalar(PyObject* value) {
  // Without importing NumPy: its scalar types are static types named numpy.<kind>, and what isn't a
  // number among them (str_, void, datetime64) can be neither an index nor a float nor complex.
  const char* name = Py_TYPE(value)->tp_name;
  if (std::string_view(name).substr(0, 6) != "numpy.") return false;
  PyNumberMethods* number = Py_TYPE(value)->tp_as_number;
  return number && number->nb_float && !PySequence_Check(value);
}

bool is_index(PyObject* value) {
  // NumPy's arrays have __index__ as well, for the sake of those with one element.
  return PyIndex_Check(value) && !PySequence_Check(value);
}

bool is_number(PyObject* value) {
  if (PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value)) return true;
  if (is_tensor(value)) return false;
  return is_index(value) || is_numpy_scalar(value);
}

bool accepts_list_int(PyObject* value) { return accepts_int(value, false); }
bool accepts_list_scalar(PyObject* value) { return is_number(value); }

bool accepts(const Param& param, PyObject* value, bool exact, bool& overridden) {
  if (value == Py_None && (param.flags & kOptional)) return true;
  if (accepts_kind(param, value, exact, overridden)) return true;
  if (is_tensor(value) || !defines_torch_function(value)) return false;
  return overridden = true;
}

}  // namespace ceph::python
