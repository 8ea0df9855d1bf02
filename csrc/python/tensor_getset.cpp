// Properties of Tensor.

#include "autograd/meta.h"
#include "generated/ops/detach.h"
#include "generated/ops/permute.h"
#include "generated/ops/transpose.h"
#include "python/autograd.h"
#include "python/device.h"
#include "python/dtype.h"
#include "python/size.h"
#include "python/tensor_type.h"

namespace ceph::python {

namespace {

using Getter = PyObject* (*)(const Tensor&);

// `closure` is the property's name, for overrides.
template <Getter Get>
PyObject* get(PyObject* self, void* closure) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) [[unlikely]] {
      return override_property(static_cast<const char*>(closure), "__get__", self, nullptr);
    }
    return Get(unwrap(self));
  });
}

using Setter = void (*)(PyObject* self, PyObject* value);

template <Setter Set>
int set(PyObject* self, PyObject* value, void* closure) {
  return guarded_status([&] {
    const char* name = static_cast<const char*>(closure);
    CEPH_CHECK(value != nullptr, ErrorKind::kType, name,
               "the attribute of a tensor can't be deleted; set it",
               std::string_view(name) == "grad" ? " to None" : "");
    if (needs_override(self)) {
      Py_DECREF(checked(override_property(name, "__set__", self, value)));
    } else {
      Set(self, value);
    }
    return 0;
  });
}

PyObject* get_shape(const Tensor& t) { return wrap_size(t.sizes()); }
PyObject* get_dtype(const Tensor& t) { return Py_NewRef(dtype_object(t.dtype())); }
PyObject* get_device(const Tensor& t) { return wrap_device(t.device()); }
PyObject* get_layout(const Tensor&) { return Py_NewRef(layout_object(Layout::Strided)); }
PyObject* get_ndim(const Tensor& t) { return PyLong_FromLongLong(t.dim()); }
PyObject* get_itemsize(const Tensor& t) { return PyLong_FromSize_t(item_size(t.dtype())); }
PyObject* get_nbytes(const Tensor& t) {
  return PyLong_FromSize_t(static_cast<size_t>(t.numel()) * item_size(t.dtype()));
}
PyObject* get_version(const Tensor& t) {
  CEPH_CHECK(!t->is_inference(), ErrorKind::kRuntime, "_version",
             "a tensor made in inference mode keeps no version");
  return PyLong_FromUnsignedLong(t->version());
}
PyObject* get_false(const Tensor&) { Py_RETURN_FALSE; }
template <DeviceKind Kind>
PyObject* is_on(const Tensor& t) {
  return PyBool_FromLong(t.device().kind == Kind);
}

PyObject* get_T(const Tensor& t) {
  DimVector dims;
  for (int64_t d = t.dim(); d-- > 0;) dims.push_back(d);
  return wrap(ops::permute(t, dims));
}
PyObject* get_mT(const Tensor& t) {
  CEPH_CHECK(t.dim() >= 2, ErrorKind::kRuntime, "mT",
             "the tensor must have at least 2 dimensions; got ", t.dim());
  return wrap(ops::transpose(t, -2, -1));
}

// The same data with a version counter of its own.
PyObject* get_data(const Tensor& t) {
  Tensor alias = ops::detach(t);
  alias->set_version_counter(make_intrusive<VersionCounter>());
  return wrap(std::move(alias));
}

// x.data = y: x takes y's storage, geometry and dtype; the version counter stays x's own.
void set_data(PyObject* self, PyObject* value) {
  CEPH_CHECK(is_tensor(value), ErrorKind::kType, "data", "expected a Tensor; got ",
             type_name(value));
  const Tensor &target = unwrap(self), &source = unwrap(value);
  CEPH_CHECK(target.device().kind == source.device().kind, ErrorKind::kRuntime, "data",
             "the new data must be on the device of the old; got ", source.device(), " for ",
             target.device());
  CEPH_CHECK(target->has_storage() && source->has_storage(), ErrorKind::kRuntime, "data",
             "a wrapper without data of its own can neither give nor take any");
  if (target.is_same(source)) return;
  if (!target->own_version_counter()) {
    auto version = make_intrusive<VersionCounter>();
    version->set(target->version());
    target->set_version_counter(std::move(version));
  }
  target->set_storage(source->storage());
  target->set_dtype(source.dtype());
  target->set_geometry(source.sizes(), source.strides(), source.storage_offset());
}

PyObject* get_grad(const Tensor& t) { return wrap(autograd::grad_of(t)); }
PyObject* get_requires_grad(const Tensor& t) { return PyBool_FromLong(autograd::requires_grad(t)); }
PyObject* get_is_leaf(const Tensor& t) { return PyBool_FromLong(autograd::is_leaf(t)); }
PyObject* get_grad_fn(const Tensor& t) { return wrap_node(autograd::grad_fn(t)); }
PyObject* get_output_nr(const Tensor& t) { return PyLong_FromUnsignedLong(autograd::output_nr(t)); }
PyObject* get_retains_grad(const Tensor& t) {
  const autograd::AutogradMeta* meta = autograd::meta_of(*t.impl());
  return PyBool_FromLong(meta && meta->retain);
}
PyObject* get_base(const Tensor& t) { return wrap(Tensor(t->view_base())); }

void set_grad_checked(PyObject* self, PyObject* value) {
  const Tensor& t = unwrap(self);
  if (value == Py_None) return autograd::set_grad(t, Tensor());
  CEPH_CHECK(is_tensor(value), ErrorKind::kType, "grad", "expected a Tensor or None; got ",
             type_name(value));
  CEPH_CHECK(value != self, ErrorKind::kRuntime, "grad", "a tensor can't be its own grad");
  const Tensor& grad = unwrap(value);
  CEPH_CHECK(grad.dtype() == t.dtype(), ErrorKind::kRuntime, "grad",
             "the grad must have the tensor's dtype ", t.dtype(), "; got ", grad.dtype());
  CEPH_CHECK(grad.device() == t.device(), ErrorKind::kRuntime, "grad",
             "the grad must be on the tensor's device ", t.device(), "; got ", grad.device());
  CEPH_CHECK(grad.sizes() == t.sizes(), ErrorKind::kRuntime, "grad",
             "the grad must have the tensor's shape ", t.sizes(), "; got ", grad.sizes());
  autograd::set_grad(t, grad);
}

void set_requires_grad(PyObject* self, PyObject* value) {
  int on = PyObject_IsTrue(value);
  checked(on);
  autograd::set_requires_grad(unwrap(self), on != 0);
}

}  // namespace

#define CEPH_GET(name, getter, doc) {name, get<getter>, nullptr, doc, const_cast<char*>(name)}
#define CEPH_GET_SET(name, getter, setter, doc)                                                    \
  {name, get<getter>, set<setter>, doc, const_cast<char*>(name)}

PyGetSetDef tensor_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    CEPH_GET("shape", get_shape, "Sizes of the dimensions, a Size."),
    CEPH_GET("dtype", get_dtype, "Type of the elements."),
    CEPH_GET("device", get_device, "Where the data are."),
    CEPH_GET("layout", get_layout, "How the elements lie in memory: strided."),
    CEPH_GET("ndim", get_ndim, "Number of dimensions."),
    CEPH_GET("itemsize", get_itemsize, "Bytes of one element."),
    CEPH_GET("nbytes", get_nbytes, "Bytes of all elements."),
    CEPH_GET("T", get_T, "View with the dimensions reversed."),
    CEPH_GET("mT", get_mT, "View with the last two dimensions exchanged; at least two are needed."),
    CEPH_GET_SET("data", get_data, set_data,
                 "The same data, outside autograd, with its own version."),
    CEPH_GET_SET("grad", get_grad, set_grad_checked,
                 "The gradient, a tensor of the same shape, or None."),
    CEPH_GET_SET("requires_grad", get_requires_grad, set_requires_grad,
                 "Whether operations on it are recorded; may be set on a leaf."),
    CEPH_GET("is_leaf", get_is_leaf, "Whether no recorded operation made it."),
    CEPH_GET("grad_fn", get_grad_fn, "The operation that made it; None for a leaf."),
    CEPH_GET("output_nr", get_output_nr, "Which output of its operation it is."),
    CEPH_GET("retains_grad", get_retains_grad, "Whether retain_grad() was called on a non-leaf."),
    CEPH_GET("_base", get_base, "The tensor that it is a view of; None where it is no view."),
    CEPH_GET("_version", get_version, "Number of writes to the data so far."),
    CEPH_GET("is_cpu", is_on<DeviceKind::CPU>, "Whether the data are on the CPU."),
    CEPH_GET("is_cuda", is_on<DeviceKind::CUDA>, "Whether the data are on a CUDA device."),
    CEPH_GET("is_meta", is_on<DeviceKind::Meta>,
             "Whether there are no data, only sizes and dtype."),
    CEPH_GET("is_sparse", get_false, "Whether the layout is sparse."),
    CEPH_GET("is_quantized", get_false, "Whether the elements are quantized."),
    CEPH_GET("is_mkldnn", get_false, "Whether the layout is oneDNN's own."),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace ceph::python
