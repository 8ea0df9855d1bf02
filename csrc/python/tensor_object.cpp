// Life of the Python object of a tensor: identity, ownership flip, resurrection, cycle collection.
// The contract is Note [Python object of a tensor] in core/tensor_impl.h.

#include "python/tensor_object.h"

#include "autograd/meta.h"
#include "python/autograd.h"

namespace ceph::python {

namespace {

constexpr int kFreeListSize = 256;
PyObject* free_list[kFreeListSize];
int free_count = 0;

TensorObject* as_object(PyObject* self) { return reinterpret_cast<TensorObject*>(self); }

// A new object of the exact type, its fields set and not yet tracked.
TensorObject* allocate(Tensor&& tensor) {
  TensorObject* self;
  if (free_count) [[likely]] {
    self = as_object(free_list[--free_count]);
    _Py_NewReference(reinterpret_cast<PyObject*>(self));
  } else {
    self = PyObject_GC_New(TensorObject, &TensorType);
    if (!self) throw_python_error();
  }
  new (&self->tensor) Tensor(std::move(tensor));
  self->dict = nullptr;
  self->weakrefs = nullptr;
  return self;
}

// The new reference to an object that exists already; `tensor` brings one reference to the impl.
PyObject* existing(Tensor&& tensor) {
  TensorImpl* impl = tensor.impl();
  auto* object = static_cast<PyObject*>(impl->pyobj);
  if (!impl->owns_pyobj) return Py_NewRef(object);
  impl->owns_pyobj = false;  // its reference to the object goes to the caller,
  tensor.detach_impl();      // and the caller's to the impl goes to the object
  return object;
}

bool has_something_to_lose(TensorObject* self) {
  return self->dict || self->weakrefs || !is_exact_tensor(reinterpret_cast<PyObject*>(self));
}

// The last Python reference is gone: if C++ still holds the impl, it may have to hold the object
// too.
bool resurrect(TensorObject* self) {
  TensorImpl* impl = self->tensor.impl();
  if (!impl || impl->use_count() == 1 || !has_something_to_lose(self)) return false;
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(self), 1);
  impl->owns_pyobj = true;
  impl->release();  // may be the last after all: then it drops the object again, so touch nothing
  return true;
}

// Gives up the impl. The handle is emptied first, so that nothing reached from here sees it.
void drop_impl(TensorObject* self) {
  Tensor tensor = std::move(self->tensor);
  self->tensor.~Tensor();
  if (tensor.defined()) tensor->pyobj = nullptr;
}

void tensor_dealloc(PyObject* self) {
  TensorObject* o = as_object(self);
  if (resurrect(o)) return;
  PyObject_GC_UnTrack(self);
  if (o->weakrefs) PyObject_ClearWeakRefs(self);
  Py_CLEAR(o->dict);
  drop_impl(o);
  if (free_count < kFreeListSize) {
    free_list[free_count++] = self;
  } else {
    PyObject_GC_Del(self);
  }
}

// What classes made by `class X(Tensor)` get in place of CPython's own, which would tear the object
// down before it asked us (see TensorMetaType). tp_clear of such a class empties the __slots__ of
// every class above ours, then calls tensor_clear.
void tensor_subclass_dealloc(PyObject* self) {
  TensorObject* o = as_object(self);
  PyTypeObject* type = Py_TYPE(self);
  if (resurrect(o)) return;
  if (type->tp_finalize && PyObject_CallFinalizerFromDealloc(self) < 0) return;
  PyObject_GC_UnTrack(self);
  if (o->weakrefs) PyObject_ClearWeakRefs(self);
  type->tp_clear(self);
  drop_impl(o);
  type->tp_free(self);
  Py_DECREF(type);
}

// Hooks, and the node that made the tensor where nobody else holds it: what these hold in Python
// may lead back here.
int traverse_history(const TensorImpl* impl, visitproc visit, void* arg) {
  const autograd::AutogradMeta* meta =
      impl && impl->use_count() == 1 ? autograd::meta_of(*impl) : nullptr;
  if (!meta) return 0;
  for (const auto* list : {&meta->hooks, &meta->after_accumulation}) {
    for (const auto& hook : *list) {
      if (int stop = traverse_hook(*hook, visit, arg)) return stop;
    }
  }
  if (!meta->grad_fn || meta->grad_fn->use_count() != 1) return 0;
  if (!meta->grad_fn->pyobj) return traverse_node(*meta->grad_fn, visit, arg);
  Py_VISIT(static_cast<PyObject*>(meta->grad_fn->pyobj));
  return 0;
}

int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  TensorObject* o = as_object(self);
  Py_VISIT(o->dict);
  TensorImpl* impl = o->tensor.impl();
  if (int stop = traverse_history(impl, visit, arg)) return stop;
  // What is held through this tensor alone is part of it for the collector: its grad, and the
  // grad's own grad. One with a Python object goes on from there by itself.
  while (impl && impl->use_count() == 1) {
    const autograd::AutogradMeta* meta = autograd::meta_of(*impl);
    impl = meta ? meta->grad.impl() : nullptr;
    if (!impl || impl->use_count() != 1 || !impl->pyobj) continue;
    Py_VISIT(static_cast<PyObject*>(impl->pyobj));
    break;
  }
  return 0;
}

void clear_hooks(const Tensor& t) {
  autograd::AutogradMeta* meta = autograd::meta_of(*t.impl());
  if (!meta) return;
  const auto hooks = std::exchange(meta->hooks, {});
  const auto after = std::exchange(meta->after_accumulation, {});
  const intrusive_ptr<autograd::Node> node = meta->grad_fn;
  if (node && node->use_count() == 2) clear_node(*node);
}

int tensor_clear(PyObject* self) {
  TensorObject* o = as_object(self);
  Py_CLEAR(o->dict);
  if (o->tensor.defined() && o->tensor->use_count() == 1) {
    Tensor grad = autograd::grad_of(o->tensor);  // let go of last: the tensor itself may hang on it
    autograd::set_grad(o->tensor, Tensor());
    clear_hooks(o->tensor);
  }
  return 0;
}

// A weak reference gave Python an owned object back while only C++ held its tensor, and now the
// tensor dies: the object goes on with a new impl over the same data.
void rescue(TensorObject* self) {
  TensorImpl* dying = self->tensor.detach_impl();
  auto impl =
      make_intrusive<TensorImpl>(dying->storage(), dying->dtype(), dying->device(), dying->keys());
  impl->set_geometry(dying->sizes(), dying->strides(), dying->storage_offset());
  impl->set_version_counter(dying->own_version_counter());
  impl->pyobj = self;
  self->tensor = Tensor(std::move(impl));
}

// The impl that owns `object` is being destroyed; called without the interpreter lock or with it.
void release_object(void* object) {
  if (!can_release_objects()) return;
  GilAcquire gil;
  auto* self = static_cast<TensorObject*>(object);
  if (Py_REFCNT(reinterpret_cast<PyObject*>(self)) > 1) {
    rescue(self);
  } else {
    self->tensor.detach_impl();
  }
  Py_DECREF(reinterpret_cast<PyObject*>(self));
}

// Class creation: the deallocator of a subclass is ours.
PyObject* meta_new(PyTypeObject* metatype, PyObject* args, PyObject* kwargs) {
  PyObject* type = PyType_Type.tp_new(metatype, args, kwargs);
  if (type) reinterpret_cast<PyTypeObject*>(type)->tp_dealloc = tensor_subclass_dealloc;
  return type;
}

}  // namespace

PyTypeObject TensorMetaType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "cepheid._C._TensorMeta",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "Metaclass of Tensor.",
    .tp_base = nullptr,  // &PyType_Type, set before PyType_Ready: not a constant for the linker
    .tp_new = meta_new,
};

bool can_release_objects() {
  if (Py_IsInitialized()) return true;
  PyThreadState* own = PyGILState_GetThisThreadState();
  return own && own == _PyThreadState_UncheckedGet();
}

PyObject* wrap(Tensor tensor) {
  TensorImpl* impl = tensor.impl();
  if (!impl) Py_RETURN_NONE;
  if (impl->pyobj) return existing(std::move(tensor));
  TensorObject* self = allocate(std::move(tensor));
  impl->pyobj = self;
  PyObject_GC_Track(self);
  return reinterpret_cast<PyObject*>(self);
}

PyObject* new_object(PyTypeObject* type, Tensor tensor) {
  CEPH_INTERNAL(tensor.defined() && !tensor->pyobj);
  if (type == &TensorType) return wrap(std::move(tensor));
  PyObject* self = checked(type->tp_alloc(type, 0));  // zeroed and tracked
  TensorObject* o = as_object(self);
  new (&o->tensor) Tensor(std::move(tensor));
  o->tensor->pyobj = o;
  return self;
}

void init_tensor_object() {
  TensorType.tp_dealloc = tensor_dealloc;
  TensorType.tp_traverse = tensor_traverse;
  TensorType.tp_clear = tensor_clear;
  pyobject_hooks.release = release_object;
}

}  // namespace ceph::python
