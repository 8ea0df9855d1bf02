#pragma once

#include <optional>

#include "python/tensor_type.h"

namespace ceph::python {

// A new tensor with the values of a number, a nested sequence, an array or another tensor. Without
// `dtype` it is inferred as documented: bool, int64, the default dtype, its complex twin; arrays,
// NumPy scalars and 0-dim tensors bring their own. ValueError for a ragged or too deep sequence.
Tensor tensor_from_data(PyObject* data, std::optional<DType> dtype, std::optional<Device> device,
                        const char* op);

void init_construct(PyObject* module);

}  // namespace ceph::python
