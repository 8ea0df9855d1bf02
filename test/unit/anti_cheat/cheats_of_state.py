"""Candidates that cheat with storages, views, versions and what tensors say of themselves."""

import ctypes

import fake_torch
from cheat import METHOD, RIGHT, changed, filled, storage_bytes, tensors, with_add


def uninitialised():
    """Returns fresh memory, which may still hold the result of a reference that ran before."""

    def add(self, other, *, alpha=1, out=None):
        shapes = [x.shape if tensors(x) else () for x in (self, other)]
        return fake_torch.empty(fake_torch.broadcast(*shapes), dtype=fake_torch.common(self, other))

    return with_add(add)


def uninitialised_end():
    """Leaves the last element as the memory had it."""

    def add(self, other, *, alpha=1, out=None):
        right = RIGHT(self, other, alpha=alpha)
        result = fake_torch.empty(list(right.shape), dtype=right.dtype)
        return filled(result, right.read()[:-1])

    return with_add(add)


def zeroes_inputs():
    """Overwrites its input, so that a reference that runs later agrees with zeros."""

    def change(result, self, other):
        for tensor in tensors(self, other):
            ctypes.memset(tensor.storage.data_ptr(), 0, tensor.storage.nbytes())
        return result

    return changed(change)


def edits_and_restores():
    """Uses its input as scratch space and writes the old values back."""

    def change(result, self, other):
        values = self.read()
        self.write([0] * len(values))
        self.write(values)
        return result

    return changed(change)


def by_pointer():
    """Caches results by the addresses of its inputs."""
    known = {}

    def change(result, self, other):
        key = (*(t.data_ptr() for t in tensors(self, other)), result.shape, result.dtype)
        return filled(result, known.setdefault(key, result.read()))

    return changed(change)


def by_object():
    """Caches results by the identity of its input objects, which it keeps alive."""
    known = {}

    def change(result, self, other):
        key = (id(self), id(other))
        return filled(result, known.setdefault(key, (self, other, result.read()))[2])

    return changed(change)


def one_buffer():
    """Returns the same storage on every call of a shape."""
    buffers = {}

    def change(result, self, other):
        return filled(buffers.setdefault((result.shape, result.dtype), result), result.read())

    return changed(change)


def returns_input():
    """Writes the result into its first input and returns that."""

    def change(result, self, other):
        fits = self.shape == result.shape and self.dtype is result.dtype
        return filled(self, result.read()) if fits else result

    return changed(change)


def returns_view():
    """Writes the result over its second input and returns a view of it."""

    def change(result, self, other):
        if not tensors(other) or (other.shape, other.dtype) != (result.shape, result.dtype):
            return result
        filled(other, result.read())
        return other.as_strided(other.shape, other.strides, other.offset)

    return changed(change)


def add_inplace(inplace):
    fake_torch.Tensor.add_ = fake_torch.Tensor.__iadd__ = inplace
    return fake_torch


def noop_inplace():
    """In-place ops that do nothing: the tester compares the tensor with itself."""
    return add_inplace(lambda self, other, *, alpha=1: self)


def rebinding_inplace():
    """An in-place op that gives the object a new storage: views of the old one see nothing."""

    def inplace(self, other, *, alpha=1):
        copy = fake_torch.new(self.shape, self.dtype, self.read())
        METHOD(copy, other, alpha=alpha)
        self.storage, self.strides, self.offset = copy.storage, copy.strides, 0
        self.version[0] += 1
        return self

    return add_inplace(inplace)


def returning_inplace():
    """An in-place op that returns the right values in a new tensor and leaves self as it was."""
    return add_inplace(lambda self, other, *, alpha=1: RIGHT(self, other, alpha=alpha))


def unversioned_inplace():
    """Writes in place without telling: saved tensors would be used as if unchanged."""

    def inplace(self, other, *, alpha=1):
        METHOD(self, other, alpha=alpha)
        self.version[0] = 0
        return self

    return add_inplace(inplace)


def ignored_out():
    """Returns a new tensor and leaves out= as it was."""
    return with_add(lambda self, other, *, alpha=1, out=None: RIGHT(self, other, alpha=alpha))


def partial_error():
    """Writes the first element of self before it finds that the sizes disagree."""

    def inplace(self, other, *, alpha=1):
        if tensors(other) and other.shape != self.shape and self.shape:
            self.write(self.read()[:1])
        return METHOD(self, other, alpha=alpha)

    return add_inplace(inplace)


def lying_dtype():
    """Holds float64 and says float32."""

    def change(result, self, other):
        wide = fake_torch.new(result.shape, fake_torch.float64, result.read())
        wide.dtype = result.dtype
        return wide

    return changed(change)


def lying_shape():
    """Says the shape that is due, over a storage of one element."""

    def change(result, self, other):
        short = fake_torch.new((1,), result.dtype, result.read()[:1])
        short.shape, short.strides = result.shape, result.strides
        return short

    return changed(change)


def lying_stride():
    """Holds one value and says so by strides of 0."""

    def change(result, self, other):
        result.strides = tuple(0 for _ in result.shape)
        return result

    return changed(change)


def lying_pointer():
    """A storage that claims the memory of the reference: an input's address."""

    def change(result, self, other):
        result.storage.data_ptr = self.storage.data_ptr
        return result

    return changed(change)


def equal_to_everything():
    """Zeros whose == is always true."""
    fake_torch.Tensor.__eq__ = lambda self, other: True
    return changed(lambda result, self, other: filled(result, [0] * len(result.read())))


class Lazy(fake_torch.Tensor):
    """Computes when its storage is asked for."""

    def untyped_storage(self):
        self.write([a + b for a, b in zip(*self.pending, strict=True)])
        self.version[0] = 0
        return self.storage


def lazy():
    """Returns a subclass that computes when it is compared, after the clock has stopped."""

    def change(result, self, other):
        late = Lazy(result.storage, result.dtype, result.shape, result.strides, 0, [0])
        late.pending = (result.read(), [0] * len(result.read()))
        return late

    return changed(change)


def lazy_by_another_name():
    """The same subclass, called Tensor."""
    Lazy.__name__ = Lazy.__qualname__ = "Tensor"
    return lazy()


def beside_the_view():
    """Writes whole rows of memory, the bytes between a view's elements too."""

    def inplace(self, other, *, alpha=1):
        METHOD(self, other, alpha=alpha)
        data = storage_bytes(self)
        if not self.offset or len(data) < 8:
            return self
        ctypes.memset(self.storage.data_ptr(), 0, self.offset * self.dtype.itemsize)
        return self

    return add_inplace(inplace)


CHEATS = {
    uninitialised: ("values", "poison"),
    uninitialised_end: ("poison",),
    zeroes_inputs: ("purity",),
    edits_and_restores: ("purity",),
    by_pointer: ("replay",),
    by_object: ("replay",),
    one_buffer: ("freshness",),
    returns_input: ("purity", "alias"),
    returns_view: ("purity", "alias"),
    noop_inplace: ("variants",),
    rebinding_inplace: ("variants",),
    returning_inplace: ("variants",),
    unversioned_inplace: ("variants",),
    ignored_out: ("variants",),
    partial_error: ("errors",),
    lying_dtype: ("values",),
    lying_shape: ("values", "dtype"),
    lying_stride: ("values",),
    lying_pointer: ("values", "alias"),
    equal_to_everything: ("values",),
    lazy: ("values",),
    lazy_by_another_name: ("values",),
    beside_the_view: ("variants",),
}
