"""What candidates that cheat have in common: the honest fake with another `add`.

Each cheat is a factory, `--impl cheats_of_values:zeros`, that returns the fake it has changed. Its
first line says what it does; `CHEATS` says which checks refuse it.
"""

import ctypes

import fake_torch

RIGHT = fake_torch.add
METHOD = fake_torch.Tensor.add_


def honest():
    """The fake as it is."""
    return fake_torch


def with_add(add):
    """The fake with this `add`, by function, method and operator."""
    fake_torch.add = add
    fake_torch.Tensor.__add__ = fake_torch.Tensor.__radd__ = add
    return fake_torch


def changed(change):
    """The fake whose results of `add` pass through `change(result, self, other)`."""

    def add(self, other, *, alpha=1, out=None):
        result = RIGHT(self, other, alpha=alpha)
        given = change(result, self, other)
        return given if out is None else fake_torch._into(out, given)

    return with_add(add)


def filled(result, values):
    """The result with other values, its version as new."""
    result.write(values)
    result.version[0] = 0
    return result


def is_contiguous(tensor):
    return list(tensor.strides) == fake_torch.packed(tensor.shape)


def storage_bytes(tensor):
    return ctypes.string_at(tensor.storage.data_ptr(), tensor.storage.nbytes())


def tensors(*values):
    return [value for value in values if isinstance(value, fake_torch.Tensor)]


def without_transpose():
    """Promises an op that it does not have."""
    del fake_torch.t, fake_torch.Tensor.t
    return fake_torch


def without_versions():
    """Counts no writes and doesn't say so."""
    fake_torch.Tensor._version = None
    return fake_torch
