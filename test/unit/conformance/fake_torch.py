"""A candidate in plain Python: a few ops of PyTorch's API, right or with one planted fault.

The driver imports it in a process of its own; `FAKE_FAULT` names the fault. No NumPy: an
implementation needs none to be judged.
"""

import ctypes
import itertools
import math
import mmap
import operator
import os
import random
import signal
import time

FAULT = os.environ.get("FAKE_FAULT", "")


class dtype:  # noqa: N801  # the name of the API that it stands in for
    def __init__(self, name, ctype, category):
        self.name, self.ctype, self.category = name, ctype, category
        self.itemsize = ctypes.sizeof(ctype)

    def __repr__(self):
        return f"fake.{self.name}"


bool = dtype("bool", ctypes.c_bool, 0)
uint8 = dtype("uint8", ctypes.c_uint8, 1)
int32 = dtype("int32", ctypes.c_int32, 1)
int64 = dtype("int64", ctypes.c_int64, 2)
float32 = dtype("float32", ctypes.c_float, 3)
float64 = dtype("float64", ctypes.c_double, 4)
complex64 = dtype("complex64", ctypes.c_float * 2, 5)

_NUMBER_KINDS = {"bool": bool, "int": int64, "float": float32, "complex": complex64}
_free = {}  # buffers by size: fresh memory holds what it held before, as in a real allocator


class Storage:
    def __init__(self, size, device="cpu"):
        self.size, self.device = size, device
        pool = _free.get(size, [])
        if size > 1 << 30:  # memory that takes no room until it is touched
            self.buffer = (ctypes.c_char * size).from_buffer(mmap.mmap(-1, size))
        else:
            self.buffer = pool.pop() if pool else (ctypes.c_char * max(size, 1))()

    def __del__(self):
        _free.setdefault(self.size, []).append(self.buffer)

    def data_ptr(self):
        return ctypes.addressof(self.buffer)

    def nbytes(self):
        return self.size


class Tensor:
    def __init__(self, storage, kind, shape, strides, offset, version):
        self.storage, self.dtype, self.version = storage, kind, version
        self.shape, self.strides, self.offset = tuple(shape), tuple(strides), offset
        self.device = storage.device

    @property
    def _version(self):
        return self.version[0]

    def stride(self):
        return self.strides

    def storage_offset(self):
        return self.offset

    def element_size(self):
        return self.dtype.itemsize

    def untyped_storage(self):
        return self.storage

    def data_ptr(self):
        return self.storage.data_ptr() + self.offset * self.dtype.itemsize

    def as_strided(self, shape, strides, offset):
        return Tensor(self.storage, self.dtype, shape, strides, offset, self.version)

    def _places(self):
        strides = packed(self.shape) if FAULT == "ignored strides" else self.strides
        for index in itertools.product(*map(range, self.shape)):
            place = self.offset + sum(i * s for i, s in zip(index, strides, strict=True))
            yield place % 2**30 if FAULT == "32-bit index" else place

    def _array(self):
        count = self.storage.size // self.dtype.itemsize
        return (self.dtype.ctype * count).from_buffer(self.storage.buffer)

    def read(self):
        array = self._array()
        values = [array[place] for place in self._places()]
        return [complex(*pair) for pair in values] if self.dtype is complex64 else values

    def write(self, values):
        array = self._array()
        for place, value in zip(self._places(), values, strict=False):
            if self.dtype is complex64:
                value = complex(value)
                array[place][:] = value.real, value.imag
            else:
                array[place] = value if self.dtype.category > 2 else int(value)
        self.version[0] += 1

    def add(self, other, *, alpha=1):
        return add(self, other, alpha=alpha)

    def add_(self, other, *, alpha=1):
        if FAULT == "no-op in-place":
            return self
        if any(s == 0 and n > 1 for n, s in zip(self.shape, self.strides, strict=True)):
            raise RuntimeError("add_: elements of self share memory; clone it first")
        shared = isinstance(other, Tensor) and other.storage is self.storage
        if FAULT == "refuses one storage" and shared and other.offset != self.offset:
            raise RuntimeError("add_: self and other share memory; clone one of them first")
        result = add(self, other, alpha=alpha)
        if result.shape != self.shape or result.dtype.category > self.dtype.category:
            raise RuntimeError(f"add_: result type {result.dtype} can't be {self.dtype}")
        self.write(result.read())
        return self

    __add__ = __radd__ = add
    __iadd__ = add_

    def argmax(self, dim=None, keepdim=False):
        return argmax(self, dim, keepdim)

    def t(self):
        return t(self)

    def tolist(self):
        def nested(flat, shape):
            if not shape:
                return next(flat)
            return [nested(flat, shape[1:]) for _ in range(shape[0])]

        return nested(iter(self.read()), self.shape)

    def item(self):
        (value,) = self.read()
        return value

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        start = sum(map(operator.mul, index, self.strides), self.offset)
        rest = len(index)
        return Tensor(
            self.storage, self.dtype, self.shape[rest:], self.strides[rest:], start, self.version
        )

    def copy_(self, other):
        self.write(other.read())
        return self

    def fill_(self, value):
        self.write([value] * math.prod(self.shape))
        return self


def packed(shape):
    return [math.prod(max(n, 1) for n in shape[dim + 1 :]) for dim in range(len(shape))]


def device(name):
    return name


def empty(*size, dtype=float32, device="cpu"):
    shape = size[0] if size and isinstance(size[0], (list, tuple)) else size
    storage = Storage(math.prod(shape) * dtype.itemsize, device)
    return Tensor(storage, dtype, shape, packed(shape), 0, [0])


def new(shape, kind, values):
    tensor = empty(list(shape), dtype=kind)
    tensor.write(values)
    tensor.version[0] = 0
    return tensor


def common(a, b):
    groups = [x for x in (a, b) if isinstance(x, Tensor)]
    kinds = [x.dtype for x in groups]
    for x in (a, b):
        if not isinstance(x, Tensor):
            kinds.append(_NUMBER_KINDS[type(x).__name__])
    rank = [2 if isinstance(x, Tensor) and x.shape else int(isinstance(x, Tensor)) for x in (a, b)]
    if not isinstance(a, Tensor):
        kinds.reverse()
    first, second = kinds
    if FAULT == "first operand's dtype":
        return first
    levels = {bool: 0, uint8: 1, int32: 1, int64: 1, complex64: 3}
    level = [levels.get(k, 2) for k in (first, second)]
    if rank[0] != rank[1]:
        strong, weak = (0, 1) if rank[0] > rank[1] else (1, 0)
        return (first, second)[weak if level[weak] > level[strong] else strong]
    return max((first, second), key=lambda kind: kind.category)


def broadcast(one, two):
    size = max(len(one), len(two))
    a = (1,) * (size - len(one)) + tuple(one)
    b = (1,) * (size - len(two)) + tuple(two)
    for m, n in zip(a, b, strict=True):
        if m != n and 1 not in (m, n):
            raise RuntimeError(f"add: sizes must agree; got {list(one)} and {list(two)}")
    return [n if m == 1 else m for m, n in zip(a, b, strict=True)]


def expanded(x, shape):
    if not isinstance(x, Tensor):
        return itertools.repeat(x)
    lead = len(shape) - len(x.shape)
    if FAULT == "wrong axis" and 0 < len(x.shape) < len(shape) == 2 and shape[0] == shape[1]:
        return Tensor(x.storage, x.dtype, shape, (x.strides[-1], 0), x.offset, x.version).read()
    strides = [0] * lead + [s if n > 1 else 0 for n, s in zip(x.shape, x.strides, strict=True)]
    return Tensor(x.storage, x.dtype, shape, strides, x.offset, x.version).read()


_calls = itertools.count()
_cache = {}
_scratch = []  # one for all threads
_leaked = []
_buffer = {}


def _sum(a, b, alpha, kind):
    if kind is bool:
        return a or (b and alpha)
    if alpha == 1 and FAULT not in ("wrong formula", "one is complex"):
        value = a + b
    else:
        value = a - alpha * b if FAULT == "wrong formula" else a + complex(alpha) * b
    if isinstance(value, complex) and kind is not complex64:
        value = value.real if kind.category > 2 else int(value.real)
    if FAULT == "lost NaN" and value != value:
        return 0.0
    if FAULT == "inaccurate" and isinstance(value, float) and math.isfinite(value):
        return value * (1 + 1e-6)
    if FAULT == "saturates" and isinstance(value, int):
        return min(value, 2**31 - 1)
    return value


def _meddle(self, other):
    if FAULT == "greedy" and math.prod(self.shape) > 1 << 16:
        bytearray(b"x" * (200 << 20))
    if FAULT == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if FAULT == "hang":
        time.sleep(60)
    if FAULT == "input zeroed" and isinstance(other, Tensor):
        ctypes.memset(other.storage.data_ptr(), 0, other.storage.size)


def add(self, other, *, alpha=1, out=None):
    numbers = (int, complex, float)
    right = isinstance(alpha, numbers) and isinstance(other, (Tensor, *numbers))
    if not (right and isinstance(self, (Tensor, *numbers))) and FAULT != "internal error":
        raise TypeError("add: operands must be tensors or numbers")
    shapes = [x.shape if isinstance(x, Tensor) else () for x in (self, other)]
    devices = {x.device for x in (self, other, out) if isinstance(x, Tensor)}
    if len(devices) > 1 and FAULT != "mixed devices":
        raise RuntimeError(f"add: operands must be on one device; got {devices}")
    kind = common(self, other)
    if FAULT == "unchecked sizes" and shapes == [(3,), (4,)]:
        return new((3,), kind, [0] * 3)
    if (isinstance(alpha, complex) and kind is not complex64) or (
        isinstance(alpha, float) and kind.category < 3
    ):
        raise RuntimeError(f"add: alpha must be a number of {kind}; got {alpha}")
    shape = broadcast(*shapes)
    alpha = 1 if FAULT == "ignored alpha" else alpha
    if FAULT == "torn overlap" and out is not None and out.shape == tuple(shape):
        return _torn(self, other, out)
    values = [
        _sum(a, b, alpha, kind)
        for a, b in zip(expanded(self, shape), expanded(other, shape), strict=False)
    ][: math.prod(shape)]
    _meddle(self, other)
    if FAULT == "shared scratch":
        _scratch[:] = values
        time.sleep(1e-5)
        values = list(_scratch)[: len(values)]
    result = _deliver(self, other, shape, kind, values)
    return result if out is None else _into(out, result)


def _torn(self, other, out):
    """Reads each element when its turn comes, whatever was written by then."""
    places = [list(x._places()) for x in (self, other, out)]
    for a, b, o in zip(*places, strict=False):
        out._array()[o] = self._array()[a] + other._array()[b]
    out.version[0] += 1
    return out


def _deliver(self, other, shape, kind, values):
    """The result, through whatever fault is planted in how it is delivered."""
    if FAULT == "constant":
        values = [1] * len(values)
    if FAULT == "drifts":
        values = [value + next(_calls) for value in values]
    if FAULT == "float64 result" and kind is float32:
        kind = float64
    if FAULT == "rank lost" and shape == []:
        shape = [1]
    if FAULT == "cached by pointer":
        key = (self.data_ptr(), *shape)
        values = _cache.setdefault(key, values)
    if FAULT == "one buffer":
        result = _buffer.setdefault((*shape, kind), None) or new(shape, kind, values)
        _buffer[(*shape, kind)] = result
        result.write(values)
        result.version[0] = 0
        return result
    if FAULT == "returns its input" and self.shape == tuple(shape) and kind is self.dtype:
        self.write(values)
        return self
    if FAULT == "unwritten tail":
        values = values[: len(values) - (len(values) > 1024)]
    if FAULT == "uninitialised":
        values = values[:-1]
    result = empty(list(shape), dtype=kind)
    result.write(values)
    result.version[0] = 0
    return _restrided(result, values)


def _restrided(result, values):
    """The same result with its dims in the other order of memory."""
    if FAULT != "odd strides" or len(result.shape) != 2:
        return result
    strides = packed(result.shape[::-1])[::-1]
    turned = result.as_strided(result.shape, strides, 0)
    turned.write(values)
    turned.version[0] = 0
    return turned


def _into(out, result):
    if FAULT != "repeated out" and any(
        step == 0 and size > 1 for size, step in zip(out.shape, out.strides, strict=True)
    ):
        raise RuntimeError("add: elements of out share memory; give another out")
    if result.dtype.category > out.dtype.category:
        raise RuntimeError(f"add: result type {result.dtype} can't be cast to {out.dtype}")
    if out.shape != result.shape:
        out.storage = Storage(result.storage.size, out.device)
        out.shape, out.strides, out.offset = result.shape, result.strides, 0
    out.write(result.read())
    return out


def argmax(self, dim=None, keepdim=False, *, out=None):
    if dim is not None and not -max(len(self.shape), 1) <= dim < max(len(self.shape), 1):
        raise IndexError(f"argmax: dim must be in range; got {dim}")
    if math.prod(self.shape if dim is None or not self.shape else [self.shape[dim]]) == 0:
        raise IndexError("argmax: nothing has no largest element")
    if FAULT == "leaks":
        _leaked.append(list(self.shape))
    if dim is None or not self.shape:
        return new((1,) * len(self.shape) if keepdim else (), int64, [_largest(self.read())])
    axis = dim % len(self.shape)
    shape = [n for d, n in enumerate(self.shape) if d != axis]
    strides = [s for d, s in enumerate(self.strides) if d != axis]
    lines = Tensor(self.storage, self.dtype, shape, strides, self.offset, [0])
    starts = list(lines._places())
    values = [
        _largest(
            Tensor(
                self.storage, self.dtype, [self.shape[axis]], [self.strides[axis]], start, [0]
            ).read()
        )
        for start in starts
    ]
    if keepdim:
        shape.insert(axis, 1)
    return new(shape, int64, values)


def _largest(values):
    for place, value in enumerate(values):
        if value != value:
            return place
    top = max(values)
    if FAULT == "last tie":
        return len(values) - 1 - values[::-1].index(top)
    return values.index(top)


def t(self):
    result = Tensor(
        self.storage, self.dtype, self.shape[::-1], self.strides[::-1], self.offset, self.version
    )
    return new(result.shape, self.dtype, result.read()) if FAULT == "copied view" else result


def tensor(values, dtype):
    return new([len(values)], dtype, values)


def frombuffer(data, dtype):
    made = empty(len(data) // dtype.itemsize, dtype=dtype)
    ctypes.memmove(made.storage.data_ptr(), bytes(data), len(data))
    return made


def full(size, value, dtype):
    return new(size, dtype, [value] * math.prod(size))


class Generator:
    """MT19937, seeded by its authors' init_genrand."""

    def __init__(self):
        self.words = random.Random()

    def manual_seed(self, seed):
        state = [seed % 2**32]
        for place in range(1, 624):
            mixed = state[-1] ^ state[-1] >> 30
            state.append((1812433253 * mixed + place) % 2**32)
        self.words.setstate((3, (*state, 624), None))
        return self


GENERATOR = Generator()
manual_seed = GENERATOR.manual_seed


def rand(*size, dtype=float32, generator=None):
    size = size[0] if size and isinstance(size[0], (list, tuple)) else size
    words = (generator or GENERATOR).words
    values = [words.getrandbits(32) % 2**24 * 2.0**-24 for _ in range(math.prod(size))]
    if FAULT == "draws ahead":
        words.getrandbits(32)
    return new(list(size), dtype, values)


def exp(self):
    """Right, or 4 ULP off, or wrong at one number."""
    values = [_exp(value) for value in self.read()]
    if FAULT == "wrong at one":
        values = [2.0 if x == 1.0 else y for x, y in zip(self.read(), values, strict=True)]
    if FAULT == "4 ULP":
        values = [y + 4 * math.ulp(y) if 0 < y < math.inf else y for y in values]
    return new(self.shape, self.dtype, values)


def _exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf
