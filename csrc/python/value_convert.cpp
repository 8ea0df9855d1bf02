#include "python/value_convert.h"

#include <algorithm>

#include "python/arg_convert.h"
#include "python/arg_kinds.h"
#include "python/device.h"
#include "python/dtype.h"
#include "python/element.h"
#include "python/generator.h"

namespace ceph::python {

namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

PyObject* wrap_tensor_value(const Tensor& t) {
  // Read here and not by an op: the op would come back to whoever is being asked.
  if (t->is_wrapped_number()) return load_element(t.dtype(), t.data());
  return wrap(t);
}

template <class T, class Wrap>
PyObject* wrap_list(const std::vector<T>& items, Wrap wrap_item) {
  Ref list = own(PyList_New(static_cast<Py_ssize_t>(items.size())));
  for (size_t i = 0; i < items.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), checked(wrap_item(items[i])));
  }
  return list.release();
}

const char* type_text(ArgType type, bool written) {
  switch (type) {
  case ArgType::Tensor:
    return written ? "a Tensor" : "a Tensor or a number";
  case ArgType::TensorList:
    return "a list or tuple of Tensors";
  case ArgType::Scalar:
    return "a number";
  case ArgType::ScalarList:
    return "a list or tuple of numbers";
  case ArgType::Int:
    return "an int";
  case ArgType::Float:
    return "a float";
  case ArgType::Bool:
    return "a bool";
  case ArgType::IntList:
    return "a list or tuple of ints";
  case ArgType::Str:
    return "a str";
  case ArgType::ScalarType:
    return "a dtype";
  case ArgType::Device:
    return "a device";
  case ArgType::Layout:
    return "a layout";
  case ArgType::MemoryFormat:
    return "a memory_format";
  case ArgType::Generator:
    return "a Generator";
  }
  return "";
}

[[noreturn]] void wrong_type(const Argument& argument, PyObject* object, const std::string& op) {
  fail(ErrorKind::kType, op,
       argument.name.empty() ? "the result" : "argument '" + argument.name + "'", " must be ",
       type_text(argument.type, argument.writes), argument.optional ? " or None" : "", "; got ",
       type_name(object));
}

std::optional<Value> tensor_list(const Argument& argument, PyObject* object) {
  if (!PyList_Check(object) && !PyTuple_Check(object)) return std::nullopt;
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(object, i);
    if (item == Py_None && argument.optional_elements) {
      tensors.emplace_back();
    } else if (is_tensor(item)) {
      tensors.push_back(unwrap(item));
    } else {
      return std::nullopt;
    }
  }
  return Value(std::move(tensors));
}

std::optional<Value> int_list(const Argument& argument, PyObject* object, const std::string& op) {
  if (argument.fixed_size && accepts_list_int(object)) {
    auto count = static_cast<size_t>(*argument.fixed_size);
    return Value(std::vector<int64_t>(count, to_int64(object, op.c_str())));
  }
  if (!PyList_Check(object) && !PyTuple_Check(object)) return std::nullopt;
  std::vector<int64_t> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    Ref item = Ref::share(PySequence_Fast_GET_ITEM(object, i));
    if (!accepts_list_int(item.get())) return std::nullopt;
    values.push_back(to_int64(item.get(), op.c_str()));
  }
  return Value(std::move(values));
}

std::optional<Value> scalar_list(PyObject* object, const std::string& op) {
  if (!PyList_Check(object) && !PyTuple_Check(object)) return std::nullopt;
  std::vector<Scalar> values;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
    Ref item = Ref::share(PySequence_Fast_GET_ITEM(object, i));
    if (!accepts_list_scalar(item.get())) return std::nullopt;
    values.push_back(to_scalar(item.get(), op.c_str()));
  }
  return Value(std::move(values));
}

std::optional<Value> tensor_or_number(PyObject* object, const std::string& op) {
  if (is_tensor(object)) return Value(unwrap(object));
  if (is_number(object)) return Value(wrapped_number(to_scalar(object, op.c_str())));
  return std::nullopt;
}

std::optional<Value> text_value(PyObject* object) {
  if (!PyUnicode_Check(object)) return std::nullopt;
  Py_ssize_t size;
  const char* data = PyUnicode_AsUTF8AndSize(object, &size);
  if (!data) throw_python_error();
  return Value(std::string(data, static_cast<size_t>(size)));
}

template <class Convert>
std::optional<Value> when(bool accepted, Convert convert) {
  return accepted ? std::optional<Value>(Value(convert())) : std::nullopt;
}

std::optional<Value> number_value(const Argument& argument, PyObject* o, const std::string& op) {
  const char* name = op.c_str();
  bool scalar_tensor = is_tensor(o) && unwrap(o).dim() == 0;
  switch (argument.type) {
  case ArgType::Scalar:
    return when(is_number(o) || scalar_tensor, [&] { return to_scalar(o, name); });
  case ArgType::Int:
    return when(accepts_list_int(o), [&] { return to_int64(o, name); });
  case ArgType::Float:
    return when((is_number(o) || scalar_tensor) && !PyComplex_Check(o),
                [&] { return to_double(o, name); });
  default:
    return when(PyBool_Check(o), [&] { return o == Py_True; });
  }
}

std::optional<Value> convert(const Argument& argument, PyObject* o, const std::string& op) {
  switch (argument.type) {
  case ArgType::Tensor:
    // What is written must outlive the call: a number would be written and forgotten.
    if (argument.writes && !is_tensor(o)) return std::nullopt;
    return tensor_or_number(o, op);
  case ArgType::TensorList:
    return tensor_list(argument, o);
  case ArgType::Scalar:
  case ArgType::Int:
  case ArgType::Float:
  case ArgType::Bool:
    return number_value(argument, o, op);
  case ArgType::IntList:
    return int_list(argument, o, op);
  case ArgType::ScalarList:
    return scalar_list(o, op);
  case ArgType::Str:
    return text_value(o);
  case ArgType::ScalarType:
    return when(accepts_dtype(o), [&] { return to_dtype(o); });
  case ArgType::Device:
    return when(accepts_device(o), [&] { return to_device(o); });
  case ArgType::Layout:
    return when(Py_TYPE(o) == &LayoutType, [&] { return to_layout(o); });
  case ArgType::MemoryFormat:
    return when(Py_TYPE(o) == &MemoryFormatType, [&] { return to_memory_format(o); });
  case ArgType::Generator:
    return when(is_generator(o), [&] { return unwrap_generator(o); });
  }
  return std::nullopt;
}

}  // namespace

PyObject* wrap_value(const Value& value) {
  return std::visit(Overload{
                        [](std::monostate) { return Py_NewRef(Py_None); },
                        [](const Tensor& t) { return wrap_tensor_value(t); },
                        [](const std::vector<Tensor>& list) {
                          return wrap_list(list, [](const Tensor& t) { return wrap(t); });
                        },
                        [](const Scalar& s) { return wrap_scalar(s); },
                        [](const std::vector<Scalar>& list) {
                          return wrap_list(list, [](const Scalar& s) { return wrap_scalar(s); });
                        },
                        [](int64_t i) { return PyLong_FromLongLong(i); },
                        [](double d) { return PyFloat_FromDouble(d); },
                        [](bool b) { return PyBool_FromLong(b); },
                        [](const std::vector<int64_t>& list) {
                          return wrap_list(list, [](int64_t i) { return PyLong_FromLongLong(i); });
                        },
                        [](const std::string& s) {
                          return PyUnicode_FromStringAndSize(s.data(),
                                                             static_cast<Py_ssize_t>(s.size()));
                        },
                        [](DType t) { return Py_NewRef(dtype_object(t)); },
                        [](Device d) { return wrap_device(d); },
                        [](Layout l) { return Py_NewRef(layout_object(l)); },
                        [](MemoryFormat f) { return Py_NewRef(memory_format_object(f)); },
                        [](const Generator& g) { return wrap_generator(g); },
                    },
                    value);
}

Value value_from(const Argument& argument, PyObject* object, const std::string& op) {
  if (object == Py_None && argument.optional) return Value();
  auto value = convert(argument, object, op);
  if (!value) wrong_type(argument, object, op);
  return std::move(*value);
}

namespace {

// A number of any of the kinds that schemas have.
std::optional<Scalar> number_in(const Value& v) {
  if (auto* s = std::get_if<Scalar>(&v)) return *s;
  if (auto* i = std::get_if<int64_t>(&v)) return Scalar(*i);
  if (auto* d = std::get_if<double>(&v)) return Scalar(*d);
  return std::nullopt;
}

bool is_default(const Argument& argument, const Value& value) {
  return argument.default_value && values_equal(*argument.default_value, value);
}

}  // namespace

bool values_equal(const Value& a, const Value& b) {
  auto x = number_in(a), y = number_in(b);
  if (x && y) return x->tag() == y->tag() && x->equals(*y);
  if (a.index() != b.index()) {
    // int[2]=1 is kept as one int or as two
    auto* list = std::get_if<std::vector<int64_t>>(x ? &b : &a);
    auto one = x ? x : y;
    if (!list || !one) return false;
    return std::all_of(list->begin(), list->end(),
                       [&](int64_t i) { return one->equals(Scalar(i)); });
  }
  return std::visit(Overload{
                        [](std::monostate) { return true; },
                        [](const Tensor&) { return false; },
                        [](const std::vector<Tensor>&) { return false; },
                        [](const Scalar&) { return false; },  // compared above
                        [](const std::vector<Scalar>&) { return false; },
                        [&](const auto& left) {
                          return left == std::get<std::remove_cvref_t<decltype(left)>>(b);
                        },
                    },
                    a);
}

CallArgs call_args(const OpSchema& schema, const Stack& stack) {
  CEPH_INTERNAL(stack.size() == schema.args.size());
  size_t positional = 0;
  for (size_t i = 0; i < stack.size() && !schema.args[i].kwarg_only; ++i) {
    if (!is_default(schema.args[i], stack[i])) positional = i + 1;
  }
  CallArgs call{own(PyTuple_New(static_cast<Py_ssize_t>(positional))), own(PyDict_New())};
  for (size_t i = 0; i < positional; ++i) {
    PyTuple_SET_ITEM(call.args.get(), static_cast<Py_ssize_t>(i), checked(wrap_value(stack[i])));
  }
  for (size_t i = positional; i < stack.size(); ++i) {
    if (!schema.args[i].kwarg_only || is_default(schema.args[i], stack[i])) continue;
    Ref value = own(wrap_value(stack[i]));
    checked(PyDict_SetItemString(call.kwargs.get(), schema.args[i].name.c_str(), value.get()));
  }
  return call;
}

namespace {

size_t positional_count(const OpSchema& schema) {
  size_t count = 0;
  while (count < schema.args.size() && !schema.args[count].kwarg_only) ++count;
  return count;
}

size_t argument_named(const OpSchema& schema, PyObject* name, const std::string& op) {
  for (size_t i = 0; i < schema.args.size(); ++i) {
    if (PyUnicode_CompareWithASCIIString(name, schema.args[i].name.c_str()) == 0) return i;
  }
  fail(ErrorKind::kType, op, "has no argument '", text_of(name), "'; the schema is ",
       schema.print());
}

// The default of an argument, a single int of int[N] spread.
Value default_of(const Argument& argument, const std::string& op, const OpSchema& schema) {
  CEPH_CHECK(argument.default_value.has_value(), ErrorKind::kType, op, "argument '", argument.name,
             "' is missing; the schema is ", schema.print());
  const Value& value = *argument.default_value;
  auto* one = std::get_if<int64_t>(&value);
  if (argument.type == ArgType::IntList && one) {
    return std::vector<int64_t>(static_cast<size_t>(argument.fixed_size.value_or(1)), *one);
  }
  return value;
}

}  // namespace

Stack stack_from_call(const OpSchema& schema, const std::string& op, PyObject* const* args,
                      Py_ssize_t nargs, PyObject* kwnames) {
  size_t positional = positional_count(schema);
  CEPH_CHECK(static_cast<size_t>(nargs) <= positional, ErrorKind::kType, op, "takes ", positional,
             " positional arguments; got ", nargs, "; the schema is ", schema.print());
  std::vector<PyObject*> slots(schema.args.size(), nullptr);
  std::copy_n(args, nargs, slots.begin());
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
    size_t i = argument_named(schema, PyTuple_GET_ITEM(kwnames, k), op);
    CEPH_CHECK(!slots[i], ErrorKind::kType, op, "argument '", schema.args[i].name, "' came twice");
    slots[i] = args[nargs + k];
  }
  Stack stack;
  stack.reserve(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    const Argument& argument = schema.args[i];
    stack.push_back(slots[i] ? value_from(argument, slots[i], op)
                             : default_of(argument, op, schema));
  }
  return stack;
}

PyObject* wrap_results(const OpSchema&, const Stack& stack) {
  if (stack.empty()) return Py_NewRef(Py_None);
  if (stack.size() == 1) return wrap_value(stack[0]);
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(stack.size())));
  for (size_t i = 0; i < stack.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), checked(wrap_value(stack[i])));
  }
  return tuple.release();
}

namespace {

// The argument that a result is, for results marked as written.
const Value* written_argument(const OpSchema& schema, const Argument& result,
                              const Stack& arguments) {
  if (!result.writes) return nullptr;
  for (size_t i = 0; i < schema.args.size(); ++i) {
    if (schema.args[i].writes && schema.args[i].alias == result.alias) return &arguments[i];
  }
  return nullptr;
}

Value one_result(const OpSchema& schema, size_t i, const std::string& op, PyObject* object,
                 const Stack& arguments) {
  if (const Value* written = written_argument(schema, schema.returns[i], arguments))
    return *written;
  if (schema.returns[i].type == ArgType::Tensor && !is_tensor(object))
    wrong_type(schema.returns[i], object, op);
  return value_from(schema.returns[i], object, op);
}

}  // namespace

Stack results_from(const OpSchema& schema, const std::string& op, PyObject* result,
                   const Stack& arguments) {
  Stack results;
  size_t count = schema.returns.size();
  if (count == 0) return results;
  if (count == 1) {
    results.push_back(one_result(schema, 0, op, result, arguments));
    return results;
  }
  CEPH_CHECK((PyTuple_Check(result) || PyList_Check(result)) &&
                 PySequence_Fast_GET_SIZE(result) == static_cast<Py_ssize_t>(count),
             ErrorKind::kType, op, "must return a tuple of ", count, " results; got ",
             type_name(result));
  for (size_t i = 0; i < count; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(result, static_cast<Py_ssize_t>(i));
    results.push_back(one_result(schema, i, op, item, arguments));
  }
  return results;
}

}  // namespace ceph::python
