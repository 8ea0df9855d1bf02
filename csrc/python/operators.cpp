#include "python/operators.h"

namespace ceph::python {

binaryfunc comparison_slots[6] = {};

PyObject* override_operator(const char* method, const char* reflected, PyObject* a, PyObject* b) {
  if (is_tensor(a)) return override_method(method, a, &b, 1, nullptr);
  if (is_tensor(b)) return override_method(reflected, b, &a, 1, nullptr);
  return not_implemented();
}

namespace {

PyObject* richcompare(PyObject* a, PyObject* b, int op) {
  return comparison_slots[op] ? comparison_slots[op](a, b) : not_implemented();
}

}  // namespace

richcmpfunc tensor_richcompare = richcompare;

}  // namespace ceph::python
