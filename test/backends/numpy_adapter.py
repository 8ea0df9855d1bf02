"""NumPy behind PyTorch's names and promotion; numpy_adapter.toml declares what is missing."""

from functools import partial, reduce

import numpy as np
from numpy.lib.array_utils import normalize_axis_index as place

BOOL, INT, FLOAT = (np.dtype(char) for char in "?qf")
NUMBERS = {bool: BOOL, int: INT, float: FLOAT}


class Tensor(np.ndarray):
    def fill_(self, value):
        self.fill(value)
        return self


def empty(*size, dtype=FLOAT, device="cpu"):
    return Tensor(size, dtype)


def as_strided(root, size, stride, offset):
    steps = [step * root.itemsize for step in stride]
    return Tensor(size, root.dtype, root, offset * root.itemsize, steps)


def op(function, make=np.array):
    def called(*args, **kwargs):
        arrays = [np.asarray(arg) if isinstance(arg, Tensor) else arg for arg in args]
        try:
            with np.errstate(all="ignore"):
                result = function(*arrays, **kwargs)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise error if isinstance(error, IndexError) else RuntimeError(str(error)) from error
        return make(result).view(Tensor) if hasattr(result, "dtype") else result

    return called


def rank(dtype):
    return {"b": 0, "i": 1, "u": 1, "f": 2}[dtype.kind]


def combine(first, second):
    """PyTorch's promotion of (level, dtype): only a higher category adds to a higher level."""
    (level, one), (lower, two) = first, second
    if level > lower and rank(two) <= rank(one):
        return first
    low, high = sorted((one, two), key=rank)
    return level, high if rank(low) < 2 <= rank(high) else np.promote_types(low, high)


def pointwise(function, least, *operands, **kwargs):
    levels = [1 + (x.ndim > 0) if hasattr(x, "ndim") else 0 for x in operands]
    dtypes = [x.dtype if hasattr(x, "dtype") else NUMBERS[type(x)] for x in operands]
    ordered = sorted(zip(levels, dtypes, strict=True), key=lambda pair: -pair[0])
    dtype = max(reduce(combine, ordered)[1], least, key=rank)
    return function(*(np.asarray(x, dtype) for x in operands), **kwargs)


def fold(function, self, dim=None, keepdim=False, dtype=None):
    """A reduction, held in the widest type; a tensor without dims counts as one of one element."""
    least = {np.sum: INT, np.any: BOOL}.get(function, self.dtype)
    dtype = dtype or (self.dtype if rank(self.dtype) > rank(least) > 0 else least)
    axis = (tuple(dim) or None) if isinstance(dim, list) else dim
    held = np.atleast_1d(self).astype(np.longdouble if dtype.kind == "f" else dtype)
    result = function(held, axis, keepdims=keepdim).astype(dtype, casting="same_kind")
    return result if self.ndim else result.reshape(())


def scaled(ufunc, one, two, alpha=True):
    return ufunc(one, np.multiply(two, alpha, dtype=one.dtype))


UFUNCS = {
    BOOL: """mul=multiply neg=negative abs=absolute maximum minimum eq=equal ne=not_equal lt=less
    le=less_equal gt=greater ge=greater_equal isnan bitwise_and logical_not""",
    FLOAT: "div=divide exp log sqrt tanh",
}
SCALED = {"add": np.add, "sub": np.subtract}
OPS = {name: op(partial(pointwise, partial(scaled, f), BOOL)) for name, f in SCALED.items()}
for least, table in UFUNCS.items():
    for name, _, ufunc in (entry.partition("=") for entry in table.split()):
        OPS[name] = op(partial(pointwise, getattr(np, ufunc or name), least))
FOLDS = {"sum": np.sum, "mean": np.mean, "amax": np.max, "any": np.any}
OPS |= {name: op(partial(fold, function)) for name, function in FOLDS.items()}
OPS |= {"nonzero": op(lambda x: np.argwhere(x.view()))}
VIEWS = {
    "permute": lambda x, *dims: np.transpose(x, np.asarray(dims, int).ravel()),
    "unsqueeze": np.expand_dims,
    "view": lambda x, *size: np.reshape(x, np.asarray(size, int).ravel(), copy=False),
    "select": lambda x, dim, index: x[(slice(None),) * place(dim, x.ndim) + (index, ...)],
}
OPS |= {name: op(function, make=lambda view: view) for name, function in VIEWS.items()}
for name in "add sub mul truediv=div and=bitwise_and neg abs eq ne lt le gt ge".split():
    setattr(Tensor, f"__{name.partition('=')[0]}__", OPS[name.rpartition("=")[2]])
Tensor.__rtruediv__ = lambda self, other: OPS["div"](other, self)
for name, function in OPS.items():
    setattr(Tensor, name, function)
globals().update(OPS | {dtype.name: dtype for dtype in map(np.dtype, "?Bbhilefd")})
