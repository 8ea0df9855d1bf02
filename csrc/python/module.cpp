// cepheid._C: everything in order of need.

#include "python/array.h"
#include "python/autograd.h"
#include "python/construct.h"
#include "python/device.h"
#include "python/dlpack.h"
#include "python/dtype.h"
#include "python/errors.h"
#include "python/generated.h"
#include "python/generator.h"
#include "python/library.h"
#include "python/op_object.h"
#include "python/pickle.h"
#include "python/python_dispatch.h"
#include "python/settings.h"
#include "python/size.h"
#include "python/storage.h"
#include "python/tensor_type.h"

namespace ceph::python {

namespace {

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "cepheid._C",
    .m_doc = "The C++ part of cepheid: types, generated functions, construction, overrides.",
    .m_size = -1,
};

constexpr void (*kParts[])(PyObject*) = {
    init_errors,    init_torch_function, init_dtype,           init_device,      init_enums,
    init_size,      init_storage,        init_python_dispatch, init_tensor_type, init_generator,
    init_construct, init_array,          init_dlpack,          init_pickle,      init_op_object,
    init_library,   init_settings,       init_autograd,        init_generated,
};

}  // namespace

PyObject* make_module() {
  return guarded([] {
    Ref module = own(PyModule_Create(&definition));
    for (auto part : kParts) part(module.get());
    return module.release();
  });
}

}  // namespace ceph::python

PyMODINIT_FUNC PyInit__C() { return ceph::python::make_module(); }
