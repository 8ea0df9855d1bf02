// Note [Indexing]
// An index is a tuple of items (anything else counts as a tuple of one). Ints, slices, None and
// Ellipsis make a view, dimension by dimension. Bools, tensors and sequences are kept aside as
// index tensors, one per dimension of the view they stand for; when there are any, index /
// index_put_ is called once with them at the end. A 0-dim integer tensor is an int.

#include "python/indexing.h"

#include "generated/ops/_to_copy.h"
#include "generated/ops/copy_.h"
#include "generated/ops/expand.h"
#include "generated/ops/fill_.h"
#include "generated/ops/index.h"
#include "generated/ops/index_put.h"
#include "generated/ops/select.h"
#include "generated/ops/slice.h"
#include "generated/ops/unsqueeze.h"
#include "python/arg_kinds.h"
#include "python/construct.h"
#include "python/generated.h"

namespace ceph::python {

namespace {

struct Indexed {
  Tensor view;
  std::vector<Tensor> indices;  // per dimension of the view; undefined: all of it
  bool advanced = false;
};

bool is_sequence_index(PyObject* item) {
  return PySequence_Check(item) && !PyUnicode_Check(item) && !PyBytes_Check(item);
}

bool is_int_item(PyObject* item) {
  if (PyLong_Check(item)) return !PyBool_Check(item);
  return !is_tensor(item) && is_index(item);
}

bool is_numpy_bool(PyObject* item) {
  return is_numpy_scalar(item) &&
         std::string_view(short_type_name(Py_TYPE(item))).starts_with("bool");
}

// Dimensions of the tensor that one item uses up.
int64_t dims_of(PyObject* item) {
  if (item == Py_None || item == Py_Ellipsis || PyBool_Check(item) || is_numpy_bool(item)) return 0;
  if (!is_tensor(item)) return 1;
  const Tensor& index = unwrap(item);
  return index.dtype() == DType::Bool || index.dtype() == DType::UInt8 ? index.dim() : 1;
}

int64_t consumed_dims(PyObject* items) {
  int64_t total = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); ++i)
    total += dims_of(PyTuple_GET_ITEM(items, i));
  return total;
}

struct Bounds {
  int64_t start, stop, step;
};

Bounds slice_bounds(PyObject* slice, int64_t size) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) throw_python_error();
  CEPH_CHECK(step > 0, ErrorKind::kValue, "slice", "the step must be greater than zero; got ",
             step);
  PySlice_AdjustIndices(static_cast<Py_ssize_t>(size), &start, &stop, step);
  return {start, stop, step};
}

// An index's code may have given the tensor other data since the dimensions were counted.
void check_dim(const Tensor& t, int64_t dim) {
  CEPH_CHECK(dim < t.dim(), ErrorKind::kIndex, "index", "the tensor has ", t.dim(),
             " dimensions; an index needs dimension ", dim);
}

Tensor apply_slice(const Tensor& t, int64_t dim, PyObject* slice) {
  check_dim(t, dim);
  Bounds b = slice_bounds(slice, t.size(dim));
  check_dim(t, dim);
  if (b.start == 0 && b.stop >= t.size(dim) && b.step == 1) return t;
  return ops::slice(t, dim, b.start, b.stop, b.step);
}

// `shown`: the dimension as the caller counts it.
Tensor apply_int(const Tensor& t, int64_t dim, int64_t index, int64_t shown) {
  check_dim(t, dim);
  int64_t size = t.size(dim);
  CEPH_CHECK(index >= -size && index < size, ErrorKind::kIndex, "index", "index ", index,
             " is out of bounds for dimension ", shown, " with size ", size);
  return ops::select(t, dim, index);
}

Tensor converted(const Tensor& t, DType dtype) {
  return ops::_to_copy(t, dtype, {}, {}, {}, false, {});
}

Tensor mask_from_bytes(const Tensor& index) {
  checked(PyErr_WarnEx(PyExc_UserWarning,
                       "index: a uint8 tensor counts as a mask, which is deprecated; make it bool",
                       1));
  return converted(index, DType::Bool);
}

// A list, an array: what tensor() makes of it; nothing in it has no dtype of its own.
Tensor index_from_sequence(PyObject* item) {
  Tensor index = tensor_from_data(item, {}, Device(), "index");
  return index.numel() == 0 && !is_integral(index.dtype(), true) ? converted(index, DType::Int64)
                                                                 : index;
}

// x[True] and x[False]: a new dimension of size 1 or 0.
Tensor index_of_bool(bool value, Device device) {
  Tensor index = empty_tensor({value ? 1 : 0}, DType::Int64, Device());
  if (value) *index.data_as<int64_t>() = 0;
  return device.is_cpu() ? index : ops::_to_copy(index, {}, {}, device, {}, false, {});
}

// One pass over the items of a tuple.
class Walk {
 public:
  Walk(const Tensor& self, PyObject* items) : items_(items) {
    result_.view = self;
    int64_t used = consumed_dims(items);
    CEPH_CHECK(used <= self.dim(), ErrorKind::kIndex, "index",
               "too many indices for a tensor of dimension ", self.dim(), "; got ", used);
    skipped_ = self.dim() - used;
  }

  Indexed run() {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items_); ++i) {
      PyObject* item = PyTuple_GET_ITEM(items_, i);
      int64_t used = item == Py_Ellipsis ? skipped_ : dims_of(item);
      apply(item);
      self_dim_ += used;
    }
    return std::move(result_);
  }

 private:
  void apply(PyObject* item) {
    Tensor& view = result_.view;
    if (is_int_item(item)) {
      int64_t index = to_int64(item, "index");
      view = apply_int(view, dim_, index, self_dim_);
    } else if (PySlice_Check(item)) {
      view = apply_slice(view, dim_, item);
      ++dim_;
    } else if (item == Py_None) {
      view = ops::unsqueeze(view, dim_++);
    } else if (item == Py_Ellipsis) {
      dim_ += std::exchange(skipped_, 0);
    } else if (PyBool_Check(item) || is_numpy_bool(item)) {
      view = ops::unsqueeze(view, dim_);
      keep(index_of_bool(PyObject_IsTrue(item), view.device()));
    } else if (is_tensor(item)) {
      apply_tensor(unwrap(item));
    } else if (is_sequence_index(item)) {
      apply_tensor(index_from_sequence(item));
    } else {
      fail(ErrorKind::kIndex, "index",
           "only ints, slices (`:`), Ellipsis, None, bools, and tensors or sequences of ints "
           "and bools are valid indices; got ",
           type_name(item));
    }
  }

  void apply_tensor(Tensor index) {
    if (index.dtype() == DType::UInt8) index = mask_from_bytes(index);
    DType dtype = index.dtype();
    CEPH_CHECK(is_integral(dtype, true), ErrorKind::kIndex, "index",
               "a tensor used as an index must hold ints or bools; got ", dtype);
    if (dtype == DType::Bool && index.dim() > 0) return keep(index, index.dim());
    if (dtype == DType::Bool) {
      result_.view = ops::unsqueeze(result_.view, dim_);
      return keep(index_of_bool(item_of(index, "index").to<bool>(), result_.view.device()));
    }
    // A wrapper's number may be several, as inside vmap; and a meta tensor has none.
    const bool has_number = !index.device().is_meta() && !index.keys().has(DispatchKey::Python);
    if (index.dim() == 0 && has_number) {
      result_.view = apply_int(result_.view, dim_, item_of(index, "index").to_int64(), self_dim_);
      return;
    }
    if (dtype != DType::Int64) index = converted(index, DType::Int64);
    keep(std::move(index));
  }

  // An index tensor for the dimension that has been reached; a mask stands for `dims` of them, but
  // is one entry of the list that index takes.
  void keep(Tensor index, int64_t dims = 1) {
    result_.indices.resize(static_cast<size_t>(dim_ - mask_dims_));
    result_.indices.push_back(std::move(index));
    result_.advanced = true;
    dim_ += dims;
    mask_dims_ += dims - 1;
  }

  PyObject* items_;
  Indexed result_;
  int64_t dim_ = 0;        // of the view
  int64_t self_dim_ = 0;   // the same place in the tensor that is indexed
  int64_t skipped_ = 0;    // dimensions that the Ellipsis stands for
  int64_t mask_dims_ = 0;  // dimensions of masks beyond one each
};

Ref as_tuple(PyObject* index) {
  return PyTuple_Check(index) ? Ref::share(index) : own(PyTuple_Pack(1, index));
}

Tensor apply_one_int(const Tensor& t, PyObject* index) {
  CEPH_CHECK(t.dim() > 0, ErrorKind::kIndex, "index",
             "a 0-dim tensor can't be indexed with an int; use item()");
  return apply_int(t, 0, to_int64(index, "index"), 0);
}

// Another tensor even where the index selects everything.
Tensor distinct(const Tensor& self, Tensor view) {
  return view.is_same(self) ? ops::expand(self, self.sizes()) : view;
}

Tensor get_item(const Tensor& self, PyObject* index) {
  if (PyLong_CheckExact(index)) [[likely]]
    return apply_one_int(self, index);
  if (PySlice_Check(index) && self.dim() > 0) return distinct(self, apply_slice(self, 0, index));
  Ref items = as_tuple(index);
  Indexed x = Walk(self, items.get()).run();
  if (!x.advanced) return distinct(self, std::move(x.view));
  return unlocked(is_large(x.indices) || is_large(x.view),
                  [&] { return ops::index(x.view, x.indices); });
}

// ---- assignment
// ------------------------------------------------------------------------------------

Tensor number_tensor(const Scalar& value, const Tensor& like) {
  Tensor t = empty_tensor({}, like.dtype(), like.device());
  return ops::fill_(t, value);
}

Tensor value_tensor(PyObject* value, const Tensor& target) {
  if (is_tensor(value)) return unwrap(value);
  CEPH_CHECK(is_sequence_index(value), ErrorKind::kType, "index assignment",
             "expected a number, a tensor or a "
             "sequence of numbers for a tensor of ",
             target.dtype(), "; got ", type_name(value));
  return tensor_from_data(value, target.dtype(), target.device(), "index assignment");
}

// Leading dimensions of size 1 that the target doesn't have are dropped, as broadcasting would.
Tensor without_leading_ones(Tensor value, int64_t dims) {
  while (value.dim() > dims && value.size(0) == 1) value = ops::select(value, 0, 0);
  return value;
}

void assign_view(const Tensor& view, PyObject* value) {
  if (is_number(value)) {
    Scalar number = to_scalar(value, "index assignment");
    unlocked(is_large(view), [&] { return ops::fill_(view, number); });
    return;
  }
  Tensor source = without_leading_ones(value_tensor(value, view), view.dim());
  unlocked(is_large(view), [&] { return ops::copy_(view, source); });
}

void assign_indexed(const Indexed& x, PyObject* value) {
  Tensor source = is_number(value) ? number_tensor(to_scalar(value, "index assignment"), x.view)
                                   : value_tensor(value, x.view);
  if (source.dtype() != x.view.dtype() || source.device() != x.view.device()) {
    source = ops::_to_copy(source, x.view.dtype(), {}, x.view.device(), {}, false, {});
  }
  unlocked(is_large(x.indices) || is_large(source) || is_large(x.view),
           [&] { return ops::index_put_(x.view, x.indices, source, false); });
}

}  // namespace

PyObject* tensor_subscript(PyObject* self, PyObject* index) {
  return guarded([&]() -> PyObject* {
    if (needs_override(self)) [[unlikely]]
      return override_method("__getitem__", self, &index, 1, nullptr);
    return wrap(get_item(unwrap(self), index));
  });
}

int tensor_assign_subscript(PyObject* self, PyObject* index, PyObject* value) {
  return guarded_status([&]() -> int {
    CEPH_CHECK(value != nullptr, ErrorKind::kType, "index", "items of a tensor can't be deleted");
    if (needs_override(self) || has_override(value)) {
      PyObject* args[] = {index, value};
      Py_DECREF(checked(override_method("__setitem__", self, args, 2, nullptr)));
      return 0;
    }
    Ref items = as_tuple(index);
    Indexed x = Walk(unwrap(self), items.get()).run();
    if (x.advanced) {
      assign_indexed(x, value);
    } else {
      assign_view(x.view, value);
    }
    return 0;
  });
}

}  // namespace ceph::python
