#pragma once

#include "python/arg_kinds.h"
#include "python/generated.h"

// Number slots of Tensor. Generated code gives one struct per op: the name of its method, for
// overrides; `kNumbers`, whether a Python number may be the other operand; and `call`.

namespace ceph::python {

inline PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

// The operand as a tensor; `number` keeps a wrapped one. Null when it is neither.
inline const Tensor* as_operand(PyObject* value, bool numbers, Tensor& number, const char* op) {
  if (is_tensor(value)) return &unwrap(value);
  if (!numbers || !is_number(value)) return nullptr;
  number = wrapped_number(to_scalar(value, op));
  return &number;
}

// Offers an operator to __torch_function__: as the method of the left operand, or with a tensor on
// the right only as `reflected`, a dunder where the order matters.
PyObject* override_operator(const char* method, const char* reflected, PyObject* a, PyObject* b);

template <class Op>
PyObject* binary_slow(PyObject* a, PyObject* b) {
  if (function_state.mode_active || has_override(a) || has_override(b)) {
    return override_operator(Op::kMethod, Op::kReflected, a, b);
  }
  Tensor number;  // at most one of the two is a number
  const Tensor* left = as_operand(a, Op::kNumbers, number, Op::kMethod);
  if (!left) return not_implemented();
  const Tensor* right = as_operand(b, Op::kNumbers, number, Op::kMethod);
  if (!right) return not_implemented();
  return wrap(
      unlocked(is_large(*left) || is_large(*right), [&] { return Op::call(*left, *right); }));
}

template <class Op>
PyObject* binary_slot(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    if (is_plain(a) && is_exact_tensor(b)) [[likely]] {
      const Tensor &left = unwrap(a), &right = unwrap(b);
      return wrap(
          unlocked(is_large(left) || is_large(right), [&] { return Op::call(left, right); }));
    }
    return binary_slow<Op>(a, b);
  });
}

// a op= b: the tensor a, changed.
template <class Op>
PyObject* inplace_slot(PyObject* a, PyObject* b) {
  if (!is_tensor(a)) return not_implemented();
  return binary_slot<Op>(a, b);
}

template <class Op>
PyObject* power_slot(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) return not_implemented();
  return binary_slot<Op>(a, b);
}

template <class Op>
PyObject* inplace_power_slot(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) return not_implemented();
  return inplace_slot<Op>(a, b);
}

template <class Op>
PyObject* unary_slot(PyObject* self) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) return override_method(Op::kMethod, self, nullptr, 0, nullptr);
    const Tensor& t = unwrap(self);
    return wrap(unlocked(is_large(t), [&] { return Op::call(t); }));
  });
}

// What `==` and its kin call, by Py_LT .. Py_GE; null where the op doesn't exist.
extern binaryfunc comparison_slots[6];

}  // namespace ceph::python
