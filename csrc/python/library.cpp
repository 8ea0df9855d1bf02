// Ops and kernels that Python registers: the C++ side of cepheid.library.

#include "python/library.h"

#include <map>
#include <memory>
#include <vector>

#include "python/op_object.h"
#include "python/value_convert.h"

namespace ceph::python {

namespace {

// A Python function that C++ keeps; given back with the interpreter lock held.
class KeptFunction {
 public:
  explicit KeptFunction(PyObject* fn) : fn_(Py_NewRef(fn)) {}
  ~KeptFunction() {
    if (!Py_IsInitialized()) return;
    GilAcquire gil;
    Py_DECREF(fn_);
  }
  KeptFunction(const KeptFunction&) = delete;
  KeptFunction& operator=(const KeptFunction&) = delete;
  Ref get() const { return Ref::share(fn_); }

 private:
  PyObject* fn_;
};

// fn(*args, **kwargs), or fn(op, *args, **kwargs) for a fallback.
void call_kernel(const KeptFunction& kept, bool with_op, DispatchCtx ctx, Stack& stack) {
  GilAcquire gil;
  RunningOp running(*ctx.op);
  Ref fn = kept.get();  // the kernel may be taken back while it runs
  const OpSchema& schema = ctx.op->schema();
  std::string name = ctx.op->qualified_name();
  CallArgs call = call_args(schema, stack);
  Ref args = std::move(call.args);
  if (with_op) {
    Ref op = own(PyTuple_Pack(1, op_object(*ctx.op).get()));
    args = own(PySequence_Concat(op.get(), args.get()));
  }
  Ref result = own(PyObject_Call(fn.get(), args.get(), call.kwargs.get()));
  stack = results_from(schema, name, result.get(), stack);
}

std::shared_ptr<BoxedKernel> make_kernel(PyObject* fn, bool with_op) {
  auto kept = std::make_shared<KeptFunction>(fn);
  return std::make_shared<BoxedKernel>(
      [kept, with_op](DispatchCtx ctx, Stack& stack) { call_kernel(*kept, with_op, ctx, stack); });
}

// ---- the registrations that are in force
// ----------------------------------------------------------------

struct Registration {
  OperatorEntry* entry;  // null: a fallback
  std::vector<std::pair<DispatchKey, OperatorEntry::Registered>> replaced;
  DispatchKey key = DispatchKey::CPU;
  std::shared_ptr<BoxedKernel> fallback_before;
};

std::map<long, Registration>& registrations() {
  static std::map<long, Registration> map;
  return map;
}

PyObject* remember(Registration registration) {
  static long next = 0;
  registrations().emplace(++next, std::move(registration));
  return PyLong_FromLong(next);
}

// ---- checks
// ---------------------------------------------------------------------------------------------

// TypeError unless `fn` can be called with the schema's arguments.
void check_signature(PyObject* fn, const OpSchema& schema, const std::string& op) {
  CEPH_CHECK(PyCallable_Check(fn), ErrorKind::kType, op, "a kernel must be callable; got ",
             type_name(fn));
  Ref inspect = own(PyImport_ImportModule("inspect"));
  Ref signature = Ref::steal(PyObject_CallMethod(inspect.get(), "signature", "O", fn));
  if (!signature) {
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_TypeError))
      throw_python_error();
    PyErr_Clear();  // a builtin that doesn't tell
    return;
  }
  Ref args = own(PyList_New(0)), kwargs = own(PyDict_New());
  for (const Argument& argument : schema.args) {
    if (argument.kwarg_only) {
      checked(PyDict_SetItemString(kwargs.get(), argument.name.c_str(), Py_None));
    } else {
      checked(PyList_Append(args.get(), Py_None));
    }
  }
  Ref bind = attribute(signature.get(), "bind");
  Ref tuple = own(PySequence_Tuple(args.get()));
  Ref bound = Ref::steal(PyObject_Call(bind.get(), tuple.get(), kwargs.get()));
  if (bound) return;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw_python_error();
  PyErr_Clear();
  Ref text = own(PyObject_Str(signature.get()));
  fail(ErrorKind::kType, op, "the kernel's signature ", text_of(text.get()),
       " can't take the arguments of ", schema.print());
}

// The slots that a registration fills: a composite stands at every backend that has no kernel, and,
// unless autograd is to see through it, runs before the Python key's rule.
std::vector<DispatchKey> slots_for(PyObject* key, const OperatorEntry& entry) {
  CEPH_CHECK(PyUnicode_Check(key), ErrorKind::kType, "_library_impl",
             "the dispatch key must be a str; got ", type_name(key));
  std::string name = text_of(key);
  bool implicit = name == "CompositeImplicitAutograd";
  if (!implicit && name != "CompositeExplicitAutograd") return {to_dispatch_key(key)};
  std::vector<DispatchKey> slots;
  for (DispatchKey backend : {DispatchKey::CPU, DispatchKey::CUDA, DispatchKey::Meta}) {
    if (!entry.has_kernel(backend)) slots.push_back(backend);
  }
  if (implicit && !entry.has_kernel(DispatchKey::Python)) slots.push_back(DispatchKey::Python);
  return slots;
}

// ---- functions
// ------------------------------------------------------------------------------------------

std::map<std::string, std::unique_ptr<OperatorEntry>>& defined() {
  static std::map<std::string, std::unique_ptr<OperatorEntry>> map;
  return map;
}

// _library_define(ns, schema) -> qualified name
PyObject* library_define(PyObject*, PyObject* args) {
  const char *ns, *schema;
  if (!PyArg_ParseTuple(args, "ss:_library_define", &ns, &schema)) return nullptr;
  return guarded([&] {
    OpSchema parsed = OpSchema::parse(schema);
    std::string name = std::string(ns) + "::" + parsed.name;
    if (!parsed.overload.empty()) name += "." + parsed.overload;
    CEPH_CHECK(!Dispatcher::global().find(name), ErrorKind::kRuntime, "define", "an op ", name,
               " exists already");
    auto entry = std::make_unique<OperatorEntry>(ns, schema);
    defined().emplace(name, std::move(entry));
    return PyUnicode_FromString(name.c_str());
  });
}

PyObject* library_undefine(PyObject*, PyObject* name) {
  return guarded([&] {
    OperatorEntry& entry = find_op(name);
    auto found = defined().find(entry.qualified_name());
    CEPH_CHECK(found != defined().end(), ErrorKind::kRuntime, "undefine", entry.qualified_name(),
               " wasn't defined by a library");
    for (auto at = registrations().begin(); at != registrations().end();) {
      at = at->second.entry == &entry ? registrations().erase(at) : std::next(at);
    }
    forget_op(entry);
    retire_op(std::move(found->second));
    defined().erase(found);
    return Py_NewRef(Py_None);
  });
}

// _library_impl(qualified name, key, fn) -> handle
PyObject* library_impl(PyObject*, PyObject* args) {
  PyObject *name, *key, *fn;
  if (!PyArg_ParseTuple(args, "OOO:_library_impl", &name, &key, &fn)) return nullptr;
  return guarded([&] {
    OperatorEntry& entry = find_op(name);
    check_signature(fn, entry.schema(), entry.qualified_name());
    auto kernel = make_kernel(fn, false);
    Registration registration{&entry, {}, DispatchKey::CPU, nullptr};
    for (DispatchKey slot : slots_for(key, entry)) {
      registration.replaced.emplace_back(slot, entry.set_boxed(slot, kernel));
    }
    return remember(std::move(registration));
  });
}

// _library_fallback(key, fn) -> handle
PyObject* library_fallback(PyObject*, PyObject* args) {
  PyObject *key, *fn;
  if (!PyArg_ParseTuple(args, "OO:_library_fallback", &key, &fn)) return nullptr;
  return guarded([&] {
    DispatchKey slot = to_dispatch_key(key);
    CEPH_CHECK(PyCallable_Check(fn), ErrorKind::kType, "fallback", "must be callable; got ",
               type_name(fn));
    CEPH_CHECK(slot != DispatchKey::Python, ErrorKind::kValue, "fallback",
               "the Python key's fallback is __torch_dispatch__; use a TorchDispatchMode");
    Registration registration{nullptr, {}, slot, Dispatcher::global().fallback(slot)};
    Dispatcher::global().set_fallback(slot, make_kernel(fn, true));
    return remember(std::move(registration));
  });
}

// The next registration after `id` that took the same slot, if any: it keeps what was there before.
OperatorEntry::Registered* later_in_slot(long id, const OperatorEntry* entry, DispatchKey key) {
  for (auto at = registrations().upper_bound(id); at != registrations().end(); ++at) {
    if (at->second.entry != entry) continue;
    for (auto& [slot, before] : at->second.replaced) {
      if (slot == key) return &before;
    }
  }
  return nullptr;
}

void restore_kernels(long id, Registration& registration) {
  for (auto& [key, before] : registration.replaced) {
    if (auto* later = later_in_slot(id, registration.entry, key)) {
      *later = std::move(before);
    } else {
      registration.entry->restore(key, std::move(before));
    }
  }
}

void restore_fallback(long id, const Registration& registration) {
  for (auto at = registrations().upper_bound(id); at != registrations().end(); ++at) {
    if (at->second.entry || at->second.key != registration.key) continue;
    at->second.fallback_before = registration.fallback_before;
    return;
  }
  Dispatcher::global().set_fallback(registration.key, registration.fallback_before);
}

// _library_remove(handle): what was there before is there again.
PyObject* library_remove(PyObject*, PyObject* handle) {
  return guarded([&] {
    long id = PyLong_AsLong(handle);
    if (id == -1 && PyErr_Occurred()) throw_python_error();
    auto found = registrations().find(id);
    CEPH_CHECK(found != registrations().end(), ErrorKind::kRuntime, "_library_remove", "handle ",
               id, " isn't in force");
    Registration registration = std::move(found->second);
    registrations().erase(found);
    if (registration.entry) {
      restore_kernels(id, registration);
    } else {
      restore_fallback(id, registration);
    }
    return Py_NewRef(Py_None);
  });
}

PyMethodDef functions[] = {
    {"_library_define", library_define, METH_VARARGS,
     "_library_define(ns, schema) -> qualified name"},
    {"_library_undefine", library_undefine, METH_O, "_library_undefine(qualified_name)"},
    {"_library_impl", library_impl, METH_VARARGS,
     "_library_impl(qualified_name, key, fn) -> handle"},
    {"_library_fallback", library_fallback, METH_VARARGS,
     "_library_fallback(key, fn) -> handle; fn(op, *args, **kwargs)"},
    {"_library_remove", library_remove, METH_O,
     "_library_remove(handle): restores what the registration replaced."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_library(PyObject* module) { checked(PyModule_AddFunctions(module, functions)); }

}  // namespace ceph::python
