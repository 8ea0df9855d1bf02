// The text of a refused call.

#include "python/arg_parser.h"

namespace ceph::python {

namespace {

const char* kind_text(const Param& param) {
  switch (param.kind) {
  case ParamKind::Tensor:
    return "Tensor";
  case ParamKind::TensorOrNumber:
    return "Tensor or number";
  case ParamKind::TensorList:
  case ParamKind::OptionalTensorList:
    return "a tuple or list of Tensors";
  case ParamKind::OutTuple:
    return "a tuple of Tensors, one per result";
  case ParamKind::Scalar:
    return "number";
  case ParamKind::ScalarList:
    return "a tuple or list of numbers";
  case ParamKind::Int:
    return "int";
  case ParamKind::Float:
    return "float";
  case ParamKind::Bool:
    return "bool";
  case ParamKind::IntList:
    return param.flags & kOneForAll ? "int or a tuple of ints" : "a tuple of ints";
  case ParamKind::Str:
    return "str";
  case ParamKind::DType:
    return "dtype";
  case ParamKind::Device:
    return "device, str or int";
  case ParamKind::Layout:
    return "layout";
  case ParamKind::MemoryFormat:
    return "memory_format";
  case ParamKind::Generator:
    return "Generator";
  }
  return "";
}

// What came, one level into a sequence: "list of (Tensor, int)".
std::string value_text(PyObject* value) {
  std::string text = short_type_name(Py_TYPE(value));
  if (!PyTuple_Check(value) && !PyList_Check(value)) return text;
  constexpr Py_ssize_t kShown = 4;
  text += " of (";
  Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
  for (Py_ssize_t i = 0; i < count && i < kShown; ++i) {
    if (i) text += ", ";
    text += short_type_name(Py_TYPE(PySequence_Fast_GET_ITEM(value, i)));
  }
  return text + (count > kShown ? ", ...)" : ")");
}

std::string signature_text(const Function& function, const Signature& s) {
  std::string text = std::string(function.name) + "(";
  int count = s.count - (function.method && s.has_out ? 1 : 0);
  bool keyword_only = false, comma = false;
  for (int i = function.method ? 1 : 0; i < count; ++i) {
    if (comma) text += ", ";
    comma = true;
    if ((s.params[i].flags & kKeywordOnly) && !keyword_only) {
      keyword_only = true;
      text += "*, ";
    }
    text += s.params[i].text;
  }
  return text + ")";
}

std::string came(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  std::string text;
  Py_ssize_t nkw = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
  for (Py_ssize_t i = 0; i < nargs + nkw; ++i) {
    if (i) text += ", ";
    if (i >= nargs) text += text_of(PyTuple_GET_ITEM(kwnames, i - nargs)) + "=";
    text += value_text(args[i]);
  }
  return text;
}

}  // namespace

std::string wrong_kind(const Function& function, const Param& param, int index, PyObject* value) {
  int position = index + (function.method ? 0 : 1);
  std::string where =
      param.flags & kKeywordOnly ? "" : ceph::detail::concat(" (position ", position, ")");
  const char* none = param.flags & kOptional ? " or None" : "";
  return ceph::detail::concat("argument '", param.name, "'", where, " must be ", kind_text(param),
                              none, ", not ", value_text(value));
}

void refuse_call(const Function& function, PyObject* const* args, Py_ssize_t nargs,
                 PyObject* kwnames, const std::vector<std::string>& reasons) {
  std::string text;
  if (function.count == 1) {
    text = reasons[0] + "\n  expected: " + signature_text(function, *function.signatures[0]);
  } else {
    text = "no overload accepts (" + came(args, nargs, kwnames) + "):";
    for (int s = 0; s < function.count; ++s) {
      text += "\n  " + signature_text(function, *function.signatures[s]) + "\n      " + reasons[s];
    }
  }
  fail(ErrorKind::kType, std::string(function.name) + "()", text);
}

}  // namespace ceph::python
