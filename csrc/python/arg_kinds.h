#pragma once

#include "python/arg_parser.h"

namespace ceph::python {

// Whether `value` may stand for the parameter. `exact` leaves conversions out: tensors for numbers.
// Sets `overridden` when the value brings a __torch_function__ of its own.
bool accepts(const Param& param, PyObject* value, bool exact, bool& overridden);

// An int as an element of sizes or dims: __index__, but not a bool.
bool accepts_list_int(PyObject* value);
bool accepts_list_scalar(PyObject* value);
// Has __index__ and is no sequence.
bool is_index(PyObject* value);
// bool, int, float, complex, their NumPy scalars, or an object with __index__; not a tensor.
bool is_number(PyObject* value);
bool is_numpy_scalar(PyObject* value);

}  // namespace ceph::python
