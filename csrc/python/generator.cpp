#include "python/generator.h"

#include <cstring>

#include "python/device.h"
#include "python/tensor_type.h"

namespace ceph::python {

namespace {

struct GeneratorObject {
  PyObject_HEAD;
  Generator generator;
};

GeneratorImpl& impl(PyObject* self) { return *unwrap_generator(self); }

PyObject* allocate(PyTypeObject* type, Generator generator) {
  PyObject* self = checked(type->tp_alloc(type, 0));
  auto* o = reinterpret_cast<GeneratorObject*>(self);
  new (&o->generator) Generator(std::move(generator));
  o->generator->pyobj = self;
  return self;
}

PyObject* generator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", nullptr};
  PyObject* device = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", const_cast<char**>(names),
                                   &device)) {
    return nullptr;
  }
  return guarded([&] {
    Device where = device == Py_None ? Device() : to_device(device);
    CEPH_CHECK(where.is_cpu(), ErrorKind::kRuntime, "Generator", "device ", where,
               " has no generator in this version; use 'cpu'");
    return allocate(type, make_intrusive<GeneratorImpl>(where));
  });
}

void generator_dealloc(PyObject* self) {
  auto* o = reinterpret_cast<GeneratorObject*>(self);
  if (o->generator) o->generator->pyobj = nullptr;
  o->generator.~Generator();
  Py_TYPE(self)->tp_free(self);
}

// A seed in [-2^63, 2^64); negative ones count from 2^64.
uint64_t to_seed(PyObject* seed) {
  Ref index = own(PyNumber_Index(seed));
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  if (value == -1 && PyErr_Occurred()) throw_python_error();
  if (!overflow) return static_cast<uint64_t>(value);
  uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(index.get()) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    fail(ErrorKind::kRuntime, "manual_seed", "the seed must be in [-2**63, 2**64)");
  }
  return large;
}

PyObject* manual_seed(PyObject* self, PyObject* seed) {
  return guarded([&] {
    impl(self).manual_seed(to_seed(seed));
    return Py_NewRef(self);
  });
}

PyObject* seed(PyObject* self, PyObject*) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(impl(self).seed()); });
}

PyObject* initial_seed(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(impl(self).initial_seed());
}

PyObject* get_state(PyObject* self, PyObject*) {
  return guarded([&] {
    std::vector<uint8_t> state = impl(self).get_state();
    Tensor result = empty_tensor({static_cast<int64_t>(state.size())}, DType::UInt8, Device());
    std::memcpy(result.data(), state.data(), state.size());
    return wrap(std::move(result));
  });
}

PyObject* set_state(PyObject* self, PyObject* state) {
  return guarded([&] {
    CEPH_CHECK(is_tensor(state), ErrorKind::kType, "Generator.set_state",
               "expected a uint8 tensor; got ", type_name(state));
    const Tensor& t = unwrap(state);
    CEPH_CHECK(t.dtype() == DType::UInt8 && t.device().is_cpu() && t.is_contiguous(),
               ErrorKind::kType, "Generator.set_state",
               "the state must be a contiguous uint8 tensor on the CPU; got ", t.dtype(), " on ",
               t.device());
    impl(self).set_state(static_cast<const uint8_t*>(t.data()), static_cast<size_t>(t.numel()));
    return Py_NewRef(self);
  });
}

PyObject* clone_state(PyObject* self, PyObject*) {
  return guarded([&] { return wrap_generator(impl(self).clone()); });
}

PyObject* get_device(PyObject* self, void*) {
  return guarded([&] { return wrap_device(impl(self).device()); });
}

// (rebuild, (device, state)): a copy that goes on where this one stands.
PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    Ref state = own(get_state(self, nullptr));
    Ref rebuild = import_attribute("cepheid._C", "_rebuild_generator");
    return Py_BuildValue("O(NN)", rebuild.get(), wrap_device(impl(self).device()), state.release());
  });
}

PyObject* rebuild(PyObject*, PyObject* args) {
  PyObject *device, *state;
  if (!PyArg_ParseTuple(args, "OO", &device, &state)) return nullptr;
  return guarded([&] {
    Ref self = own(wrap_generator(make_intrusive<GeneratorImpl>(to_device(device))));
    own(set_state(self.get(), state));
    return self.release();
  });
}

PyMethodDef methods[] = {
    {"manual_seed", manual_seed, METH_O,
     "manual_seed(seed) -> Generator: seeds; a seed is in [-2**63, 2**64)."},
    {"seed", seed, METH_NOARGS,
     "seed() -> int: seeds from the system's entropy; returns the seed."},
    {"initial_seed", initial_seed, METH_NOARGS,
     "initial_seed() -> int: the seed that was last set."},
    {"get_state", get_state, METH_NOARGS, "get_state() -> Tensor: the state as 5056 bytes, uint8."},
    {"set_state", set_state, METH_O, "set_state(state): goes on from a state of get_state."},
    {"clone_state", clone_state, METH_NOARGS,
     "clone_state() -> Generator: another one in the same state."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyGetSetDef getset[] = {
    {"device", get_device, nullptr, "Device whose draws it makes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef functions[] = {
    {"_rebuild_generator", rebuild, METH_VARARGS, "_rebuild_generator(device, state)"},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyTypeObject GeneratorType = {
    .ob_base = PyVarObject_HEAD_INIT(nullptr, 0).tp_name = "cepheid.Generator",
    .tp_basicsize = sizeof(GeneratorObject),
    .tp_dealloc = generator_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Generator(device='cpu'): a source of random numbers with a state of its own.",
    .tp_methods = methods,
    .tp_getset = getset,
    .tp_new = generator_new,
};

const Generator& unwrap_generator(PyObject* o) {
  return reinterpret_cast<GeneratorObject*>(o)->generator;
}

PyObject* wrap_generator(Generator generator) {
  if (!generator) return Py_NewRef(Py_None);
  if (generator->pyobj) return Py_NewRef(static_cast<PyObject*>(generator->pyobj));
  return allocate(&GeneratorType, std::move(generator));
}

void init_generator(PyObject* module) {
  add_type(module, &GeneratorType, "Generator");
  checked(PyModule_AddFunctions(module, functions));
  Ref object = own(wrap_generator(default_generator()));
  add_object(module, "default_generator", object.get());
}

}  // namespace ceph::python
