// Python callables as hooks of tensors and nodes.

#include "python/autograd.h"

namespace ceph::python {

using autograd::Gradients;
using autograd::Hook;

namespace {

// What a hook returned in place of one gradient.
Tensor gradient_from(const char* op, PyObject* value) {
  if (value == Py_None) return {};
  CEPH_CHECK(is_tensor(value), ErrorKind::kType, op,
             "a hook returns a Tensor, or None to leave the gradient as it is; got ",
             type_name(value));
  return unwrap(value);
}

class PyHook;

// Knows the hook without owning it, so that what owns the hook alone decides when it goes.
struct HandleObject {
  PyObject_HEAD;
  PyHook* hook;
};

class PyHook final : public Hook {
 public:
  PyHook(const char* op, PyObject* callable, HookKind kind, HandleObject* handle)
      : op_(op), callable_(Ref::share(callable)), kind_(kind), handle_(handle) {}
  ~PyHook() override {
    if (!Py_IsInitialized()) {
      callable_.release();
      return;
    }
    GilAcquire gil;
    if (handle_) handle_->hook = nullptr;
    callable_ = Ref();
  }

  void call(Gradients& gradients, const Gradients* came) override {
    GilAcquire gil;
    const Ref callable = callable_;
    if (!callable) return;
    if (kind_ == HookKind::kTensor || kind_ == HookKind::kAccumulated) {
      Ref argument = own(wrap(gradients[0]));
      Ref result = own(PyObject_CallOneArg(callable.get(), argument.get()));
      if (kind_ == HookKind::kTensor && result.get() != Py_None) {
        gradients[0] = gradient_from(op_, result.get());
      }
      return;
    }
    Ref list = tuple_of(gradients);
    Ref results = came ? tuple_of(*came) : Ref();
    Ref result =
        own(PyObject_CallFunctionObjArgs(callable.get(), list.get(), results.get(), nullptr));
    if (result.get() != Py_None) replace(gradients, result.get());
  }

  bool removed() const override { return !callable_; }
  void remove() { callable_ = Ref(); }
  void forget_handle() { handle_ = nullptr; }
  PyObject* callable() const { return callable_.get(); }

 private:
  void replace(Gradients& gradients, PyObject* value) const {
    Ref items = is_tensor(value) ? own(PyTuple_Pack(1, value)) : own(PySequence_Tuple(value));
    CEPH_CHECK(PyTuple_GET_SIZE(items.get()) == static_cast<Py_ssize_t>(gradients.size()),
               ErrorKind::kRuntime, op_, "the hook must return ", gradients.size(),
               " gradients or None; got ", PyTuple_GET_SIZE(items.get()));
    for (size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] = gradient_from(op_, PyTuple_GET_ITEM(items.get(), static_cast<Py_ssize_t>(i)));
    }
  }

  const char* op_;
  Ref callable_;
  HookKind kind_;
  HandleObject* handle_;  // guarded by the interpreter lock, as is HandleObject::hook
};

PyObject* handle_remove(PyObject* self, PyObject*) {
  if (PyHook* hook = reinterpret_cast<HandleObject*>(self)->hook) hook->remove();
  Py_RETURN_NONE;
}
PyObject* handle_enter(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* handle_exit(PyObject* self, PyObject* const*, Py_ssize_t, PyObject*) {
  return handle_remove(self, nullptr);
}
void handle_dealloc(PyObject* self) {
  if (PyHook* hook = reinterpret_cast<HandleObject*>(self)->hook) hook->forget_handle();
  Py_TYPE(self)->tp_free(self);
}

PyMethodDef handle_methods[] = {
    {"remove", handle_remove, METH_NOARGS, "Takes the hook away."},
    {"__enter__", handle_enter, METH_NOARGS, nullptr},
    {"__exit__", as_cfunction(handle_exit), kFastKeywords, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyTypeObject HandleType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid._C._HookHandle",
    .tp_basicsize = sizeof(HandleObject),
    .tp_dealloc = handle_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "What registering a hook returns: remove() takes it away, as does leaving `with`.",
    .tp_methods = handle_methods,
};

}  // namespace

Ref tuple_of(const Gradients& list) {
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(list.size())));
  for (size_t i = 0; i < list.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), checked(wrap(list[i])));
  }
  return tuple;
}

MadeHook make_hook(const char* op, PyObject* callable, HookKind kind) {
  CEPH_CHECK(PyCallable_Check(callable), ErrorKind::kType, op, "a hook must be callable; got ",
             type_name(callable));
  Ref handle = own(HandleType.tp_alloc(&HandleType, 0));
  auto* object = reinterpret_cast<HandleObject*>(handle.get());
  intrusive_ptr<PyHook> hook = make_intrusive<PyHook>(op, callable, kind, object);
  object->hook = hook.get();
  return {std::move(hook), std::move(handle)};
}

int traverse_hook(const Hook& hook, visitproc visit, void* arg) {
  const auto* ours = dynamic_cast<const PyHook*>(&hook);
  if (ours && hook.use_count() == 1) Py_VISIT(ours->callable());
  return 0;
}

void init_autograd_hooks(PyObject* module) { add_type(module, &HandleType, "_HookHandle"); }

}  // namespace ceph::python
