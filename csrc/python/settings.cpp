// Settings of the process and of the thread, and questions about dtypes.

#include "python/settings.h"

#include "base/thread_pool.h"
#include "core/type_promotion.h"
#include "kernels/cpu_features.h"
#include "python/arg_convert.h"
#include "python/arg_kinds.h"
#include "python/dtype.h"

namespace ceph::python {

namespace {

DType expect_dtype(PyObject* o, const char* op) {
  CEPH_CHECK(accepts_dtype(o), ErrorKind::kType, op, "expected a dtype; got ", type_name(o));
  return to_dtype(o);
}

PyObject* get_default_dtype(PyObject*, PyObject*) {
  return Py_NewRef(dtype_object(default_dtype()));
}

PyObject* set_default(PyObject*, PyObject* d) {
  return guarded([&] {
    set_default_dtype(expect_dtype(d, "set_default_dtype"));
    return Py_NewRef(Py_None);
  });
}

PyObject* promote(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type1", "type2", nullptr};
  PyObject *a, *b;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:promote_types", const_cast<char**>(names), &a,
                                   &b))
    return nullptr;
  return guarded([&] {
    DType result =
        promote_types(expect_dtype(a, "promote_types"), expect_dtype(b, "promote_types"));
    return Py_NewRef(dtype_object(result));
  });
}

Tensor operand_of(PyObject* o) {
  if (is_tensor(o)) return unwrap(o);
  CEPH_CHECK(is_number(o), ErrorKind::kType, "result_type", "operands are tensors or numbers; got ",
             type_name(o));
  return wrapped_number(to_scalar(o, "result_type"));
}

PyObject* result_type_of(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"tensor1", "tensor2", nullptr};
  PyObject *a, *b;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:result_type", const_cast<char**>(names), &a,
                                   &b))
    return nullptr;
  return guarded([&] {
    Tensor left = operand_of(a), right = operand_of(b);
    const Tensor* operands[] = {&left, &right};
    return Py_NewRef(dtype_object(result_type({operands, 2})));
  });
}

PyObject* can_cast_dtypes(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return guarded([&] {
    CEPH_CHECK(nargs == 2, ErrorKind::kType, "can_cast",
               "takes 2 positional arguments, from and to; got ", nargs);
    return PyBool_FromLong(
        can_cast(expect_dtype(args[0], "can_cast"), expect_dtype(args[1], "can_cast")));
  });
}

PyObject* get_threads(PyObject*, PyObject*) {
  return guarded([] { return PyLong_FromLong(num_threads()); });
}

PyObject* set_threads(PyObject*, PyObject* count) {
  return guarded([&] {
    CEPH_CHECK(PyLong_Check(count) && !PyBool_Check(count), ErrorKind::kType, "set_num_threads",
               "expected an int; got ", type_name(count));
    int64_t value = to_int64(count, "set_num_threads");
    CEPH_CHECK(value <= 4096, ErrorKind::kRuntime, "set_num_threads", "at most 4096 threads; got ",
               value);
    set_num_threads(value < 0 ? 0 : static_cast<int>(value));
    return Py_NewRef(Py_None);
  });
}

PyObject* get_interop_threads(PyObject*, PyObject*) { return PyLong_FromLong(1); }

PyObject* isa(PyObject*, PyObject*) {
  return guarded([] {
    std::string_view name = kernels::name_of(kernels::active_isa());
    return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
  });
}

PyObject* poison(PyObject*, PyObject* on) {
  return guarded([&] {
    int value = PyObject_IsTrue(on);
    checked(value);
    set_poison_new_memory(value);
    return Py_NewRef(Py_None);
  });
}

PyCFunction cast(PyCFunctionWithKeywords fn) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(fn));
}

PyMethodDef functions[] = {
    {"get_default_dtype", get_default_dtype, METH_NOARGS,
     "The floating dtype of factories and Python floats."},
    {"set_default_dtype", set_default, METH_O, "set_default_dtype(d): a floating dtype."},
    {"promote_types", cast(promote), METH_VARARGS | METH_KEYWORDS,
     "promote_types(type1, type2): the smallest dtype that both can be promoted to."},
    {"result_type", cast(result_type_of), METH_VARARGS | METH_KEYWORDS,
     "result_type(tensor1, tensor2): dtype of the result of an operation on tensors or numbers."},
    {"can_cast", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(can_cast_dtypes)),
     METH_FASTCALL, "can_cast(from, to): whether type promotion allows the conversion."},
    {"get_num_threads", get_threads, METH_NOARGS, "Threads that a CPU kernel may use."},
    {"set_num_threads", set_threads, METH_O, "set_num_threads(int): at least 1."},
    {"get_num_interop_threads", get_interop_threads, METH_NOARGS,
     "Threads between operations: always 1."},
    {"_isa", isa, METH_NOARGS, "Instruction set of the kernels in use; CEPHEID_ISA forces one."},
    {"_set_poison_new_memory", poison, METH_O,
     "_set_poison_new_memory(bool): new memory is filled with 0xFF, for tests."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_settings(PyObject* module) { checked(PyModule_AddFunctions(module, functions)); }

}  // namespace ceph::python
