#pragma once

#include "python/py_util.h"

namespace ceph::python {

void init_pickle(PyObject* module);

}  // namespace ceph::python
