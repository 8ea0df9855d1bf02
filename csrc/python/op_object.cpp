#include "python/op_object.h"

#include <string>
#include <unordered_map>

#include "python/generated.h"
#include "python/value_convert.h"

namespace ceph::python {

namespace {

struct OpObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  OperatorEntry* entry;  // null once the op is gone
  PyObject* name;        // "aten::add.Tensor"
  PyObject* dict;
};

OpObject* object_of(PyObject* self) { return reinterpret_cast<OpObject*>(self); }

// Op objects live as long as their ops, so that `func is ops.aten.add.Tensor` holds.
std::unordered_map<const OperatorEntry*, PyObject*>& objects() {
  static std::unordered_map<const OperatorEntry*, PyObject*> map;
  return map;
}

bool has_large(const Stack& stack) {
  for (const Value& value : stack) {
    if (auto* t = std::get_if<Tensor>(&value); t && is_large(*t)) return true;
    if (auto* list = std::get_if<std::vector<Tensor>>(&value); list && is_large(*list)) return true;
  }
  return false;
}

template <class Run>
PyObject* run_boxed(const OperatorEntry& entry, Stack stack, Run run) {
  {
    GilRelease gil(has_large(stack));
    run(stack);
  }
  return wrap_results(entry.schema(), stack);
}

PyObject* op_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return guarded([&] {
    OperatorEntry& entry = entry_of(self);
    RunningOp running(entry);
    Stack stack = stack_from_call(entry.schema(), entry.qualified_name(), args,
                                  PyVectorcall_NARGS(nargsf), kwnames);
    return run_boxed(entry, std::move(stack), [&](Stack& s) { entry.call_boxed(s); });
  });
}

DispatchKeySet key_set(PyObject* names) {
  DispatchKeySet keys;
  Ref items = own(PySequence_Tuple(names));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    keys = keys | to_dispatch_key(PyTuple_GET_ITEM(items.get(), i));
  }
  return keys;
}

// redispatch(keys, *args, **kwargs): among these keys only.
PyObject* redispatch(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  return guarded([&] {
    CEPH_CHECK(nargs >= 1, ErrorKind::kType, "redispatch",
               "the first argument must be a list of dispatch keys");
    OperatorEntry& entry = entry_of(self);
    RunningOp running(entry);
    DispatchKeySet keys = key_set(args[0]);
    Stack stack =
        stack_from_call(entry.schema(), entry.qualified_name(), args + 1, nargs - 1, kwnames);
    return run_boxed(entry, std::move(stack), [&](Stack& s) { entry.redispatch_boxed(keys, s); });
  });
}

PyObject* has_kernel(PyObject* self, PyObject* key) {
  return guarded([&] {
    std::string name = PyUnicode_Check(key) ? text_of(key) : "";
    if (name.starts_with("Composite")) return PyBool_FromLong(entry_of(self).is_composite());
    return PyBool_FromLong(entry_of(self).has_kernel(to_dispatch_key(key)));
  });
}

PyObject* from_text(const std::string& text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

std::string packet_name(const OperatorEntry& entry) { return entry.ns() + "." + entry.name(); }
std::string overload_name(const OperatorEntry& entry) {
  return entry.overload().empty() ? "default" : entry.overload();
}

PyObject* op_repr(PyObject* self) {
  if (!object_of(self)->entry)
    return PyUnicode_FromFormat("<OpOverload of '%U', which is gone>", object_of(self)->name);
  return guarded([&] {
    OperatorEntry& entry = entry_of(self);
    return PyUnicode_FromFormat("<OpOverload(op='%s', overload='%s')>", packet_name(entry).c_str(),
                                overload_name(entry).c_str());
  });
}

PyObject* op_str(PyObject* self) {
  return guarded(
      [&] { return from_text(packet_name(entry_of(self)) + "." + overload_name(entry_of(self))); });
}

using TextOf = std::string (*)(const OperatorEntry&);
template <TextOf Get>
PyObject* get_text(PyObject* self, void*) {
  return guarded([&] { return from_text(Get(entry_of(self))); });
}
std::string ns_of(const OperatorEntry& e) { return e.ns(); }
std::string opname_of(const OperatorEntry& e) { return e.name(); }
std::string overload_of(const OperatorEntry& e) { return e.overload(); }
std::string dunder_name_of(const OperatorEntry& e) { return e.name() + "." + overload_name(e); }
std::string schema_of(const OperatorEntry& e) { return e.ns() + "::" + e.schema().print(); }

PyObject* get_name(PyObject* self, void*) { return Py_NewRef(object_of(self)->name); }
PyObject* get_module(PyObject*, void*) { return PyUnicode_FromString("cepheid._ops"); }

PyObject* get_composite(PyObject* self, void*) {
  return guarded([&] { return PyBool_FromLong(entry_of(self).is_composite()); });
}

PyObject* get_mutates(PyObject* self, void*) {
  return guarded([&] {
    for (const Argument& argument : entry_of(self).schema().args) {
      if (argument.writes) return Py_NewRef(Py_True);
    }
    return Py_NewRef(Py_False);
  });
}

PyObject* get_is_view(PyObject* self, void*) {
  return guarded([&] {
    for (const Argument& result : entry_of(self).schema().returns) {
      if (!result.alias.empty() && !result.writes) return Py_NewRef(Py_True);
    }
    return Py_NewRef(Py_False);
  });
}

PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    Ref get = import_attribute("cepheid._C", "_get_op");
    return Py_BuildValue("O(O)", get.get(), object_of(self)->name);
  });
}

void op_dealloc(PyObject* self) {
  Py_XDECREF(object_of(self)->dict);
  Py_XDECREF(object_of(self)->name);
  PyObject_Free(self);
}

PyGetSetDef getset[] = {
    {"namespace", get_text<ns_of>, nullptr, "Namespace: aten.", nullptr},
    {"opname", get_text<opname_of>, nullptr, "Name without namespace and overload: add.", nullptr},
    {"overload", get_text<overload_of>, nullptr, "Overload's name; empty when it has none.",
     nullptr},
    {"_overloadname", get_text<overload_name>, nullptr,
     "Overload's name; default when it has none.", nullptr},
    {"overloadname", get_text<overload_name>, nullptr, "Overload's name; default when it has none.",
     nullptr},
    {"schema", get_text<schema_of>, nullptr, "The schema's text.", nullptr},
    {"_schema", get_text<schema_of>, nullptr, "The schema's text.", nullptr},
    {"__name__", get_text<dunder_name_of>, nullptr, nullptr, nullptr},
    {"__qualname__", get_text<dunder_name_of>, nullptr, nullptr, nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"name", get_name, nullptr, "Qualified name: aten::add.Tensor.", nullptr},
    {"is_composite", get_composite, nullptr, "Whether other ops do the work.", nullptr},
    {"mutates", get_mutates, nullptr, "Whether it writes an argument.", nullptr},
    {"is_view", get_is_view, nullptr,
     "Whether a result shares memory with an argument that isn't written.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef methods[] = {
    {"redispatch", as_cfunction(redispatch), kFastKeywords,
     "redispatch(keys, *args, **kwargs): calls the kernel of the highest of these keys."},
    {"has_kernel", has_kernel, METH_O,
     "has_kernel(key): whether a kernel is registered at the dispatch key."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* get_op(PyObject*, PyObject* name) {
  return guarded([&] { return op_object(find_op(name)).release(); });
}

PyObject* name_list(const std::vector<std::string>& names) {
  Ref list = own(PyList_New(static_cast<Py_ssize_t>(names.size())));
  for (size_t i = 0; i < names.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), checked(from_text(names[i])));
  }
  return list.release();
}

PyObject* all_ops(PyObject*, PyObject*) {
  return guarded([&] {
    std::vector<std::string> names;
    for (const OperatorEntry* entry : Dispatcher::global().all())
      names.push_back(entry->qualified_name());
    return name_list(names);
  });
}

PyObject* overloads(PyObject*, PyObject* packet) {
  return guarded([&] {
    CEPH_CHECK(PyUnicode_Check(packet), ErrorKind::kType, "_overloads", "expected a str; got ",
               type_name(packet));
    std::string wanted = text_of(packet);
    std::vector<std::string> names;
    for (const OperatorEntry* entry : Dispatcher::global().all()) {
      if (entry->ns() + "::" + entry->name() == wanted) names.push_back(entry->overload());
    }
    return name_list(names);
  });
}

PyMethodDef functions[] = {
    {"_get_op", get_op, METH_O,
     "_get_op(\"aten::add.Tensor\") -> OpOverload; LookupError when there is none."},
    {"_all_ops", all_ops, METH_NOARGS, "Qualified names of all ops, sorted."},
    {"_overloads", overloads, METH_O,
     "_overloads(\"aten::add\") -> names of the overloads, \"\" for the unnamed one."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject OpOverloadType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid._C.OpOverload",
    .tp_basicsize = sizeof(OpObject),
    .tp_dealloc = op_dealloc,
    .tp_vectorcall_offset = offsetof(OpObject, vectorcall),
    .tp_repr = op_repr,
    .tp_call = PyVectorcall_Call,
    .tp_str = op_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "One op of the dispatcher; takes exactly the arguments of its schema.",
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_dictoffset = offsetof(OpObject, dict),
};

Ref op_object(const OperatorEntry& entry) {
  auto found = objects().find(&entry);
  if (found != objects().end()) return Ref::share(found->second);
  auto* object = PyObject_New(OpObject, &OpOverloadType);
  if (!object) throw_python_error();
  object->vectorcall = op_call;
  object->entry = const_cast<OperatorEntry*>(&entry);
  object->dict = nullptr;
  object->name = checked(from_text(entry.qualified_name()));
  auto* self = reinterpret_cast<PyObject*>(object);
  objects().emplace(&entry, Py_NewRef(self));
  return Ref::steal(self);
}

OperatorEntry& entry_of(PyObject* op) {
  OperatorEntry* entry = object_of(op)->entry;
  CEPH_CHECK(entry != nullptr, ErrorKind::kRuntime, text_of(object_of(op)->name),
             "the library that defined this op has been destroyed");
  return *entry;
}

namespace {

std::unordered_map<const OperatorEntry*, int>& running() {
  static std::unordered_map<const OperatorEntry*, int> calls;
  return calls;
}

std::unordered_map<const OperatorEntry*, std::unique_ptr<OperatorEntry>>& retired() {
  static std::unordered_map<const OperatorEntry*, std::unique_ptr<OperatorEntry>> entries;
  return entries;
}

}  // namespace

RunningOp::RunningOp(const OperatorEntry& entry) : entry_(entry) { ++running()[&entry]; }

RunningOp::~RunningOp() {
  auto found = running().find(&entry_);
  if (--found->second > 0) return;
  running().erase(found);
  retired().erase(&entry_);
}

void retire_op(std::unique_ptr<OperatorEntry> entry) {
  const OperatorEntry* key = entry.get();
  if (running().contains(key)) retired().emplace(key, std::move(entry));
}

void forget_op(const OperatorEntry& entry) {
  auto found = objects().find(&entry);
  if (found == objects().end()) return;
  object_of(found->second)->entry = nullptr;
  Py_DECREF(found->second);
  objects().erase(found);
}

OperatorEntry& find_op(PyObject* qualified_name) {
  CEPH_CHECK(PyUnicode_Check(qualified_name), ErrorKind::kType, "_get_op", "expected a str; got ",
             type_name(qualified_name));
  OperatorEntry* entry = Dispatcher::global().find(text_of(qualified_name));
  if (!entry) {
    PyErr_Format(PyExc_LookupError,
                 "no op is registered as '%U'; names have the form namespace::name.overload",
                 qualified_name);
    throw_python_error();
  }
  return *entry;
}

DispatchKey to_dispatch_key(PyObject* name) {
  CEPH_CHECK(PyUnicode_Check(name), ErrorKind::kType, "dispatch key", "expected a str; got ",
             type_name(name));
  std::string known;
  for (int k = 0; k < kNumDispatchKeys; ++k) {
    auto key = static_cast<DispatchKey>(k);
    if (name_of(key) == text_of(name)) return key;
    known += (k ? ", " : "") + std::string(name_of(key));
  }
  fail(ErrorKind::kValue, "dispatch key", "'", text_of(name), "' is none; keys are ", known);
}

void init_op_object(PyObject* module) {
  add_type(module, &OpOverloadType, "OpOverload");
  checked(PyModule_AddFunctions(module, functions));
}

}  // namespace ceph::python
