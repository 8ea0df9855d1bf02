#pragma once

#include "python/py_util.h"

namespace ceph::python {

void init_library(PyObject* module);

}  // namespace ceph::python
