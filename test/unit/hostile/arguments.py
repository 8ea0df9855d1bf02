"""Arguments for random calls: tensors of every layout and kind, numbers at the edges, and objects
that raise, lie, change or contain themselves when they are looked at."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

import cepheid as torch
from cepheid import _C

DTYPES = [value for value in vars(_C).values() if isinstance(value, torch.dtype)]
COMMON_DTYPES = [torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64]
SHAPES: list[tuple[int, ...]] = [
    (), (0,), (1,), (2,), (3,), (7,), (33,), (129,), (2, 3), (3, 2), (3, 3), (0, 3), (3, 0), (1, 4),
    (4, 1), (2, 3, 4), (2, 0, 3), (2, 3, 4, 5), (1, 2, 3, 3), (1,) * 7, (2,) * 5,
]  # fmt: skip
POOL_SIZE = 24


class Raises:
    def __index__(self) -> NoReturn:
        raise KeyError("index")

    def __len__(self) -> NoReturn:
        raise KeyError("len")

    def __getitem__(self, index: Any) -> NoReturn:
        raise KeyError("getitem")

    def __float__(self) -> NoReturn:
        raise KeyError("float")

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise KeyError("array")


class Lies:
    def __index__(self) -> Any:
        return "no int"

    def __len__(self) -> int:
        return 2**62

    def __getitem__(self, index: Any) -> Lies:
        return self

    def __float__(self) -> Any:
        return 1

    def __dlpack__(self, *args: Any, **kwargs: Any) -> int:
        return 3

    def __dlpack_device__(self) -> None:
        return None


class Empties:
    """An index that empties the list it stands in."""

    def __init__(self, target: list[Any]) -> None:
        self.target = target

    def __index__(self) -> int:
        self.target.clear()
        gc.collect(0)
        return 1


class Refuses:
    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> NoReturn:
        raise KeyError("torch_function")


class Declines:
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return NotImplemented


class Plain(torch.Tensor):
    pass


class Dispatched(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with _C._DisableTorchDispatch():
            return func(*args, **(kwargs or {}))


class WrongAnswer(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> int:
        return 5


class IntSubclass(int):
    pass


def list_in_itself() -> list[Any]:
    items: list[Any] = [1]
    items.append(items)
    return items


def list_that_empties() -> list[Any]:
    items: list[Any] = [1, 2, 3]
    items[0] = Empties(items)
    return items


def deep_list(depth: int) -> Any:
    nested: Any = 1
    for _ in range(depth):
        nested = [nested]
    return nested


HOSTILE: list[Callable[[], Any]] = [
    Raises, Lies, lambda: Empties([1]), list_that_empties, list_in_itself, lambda: deep_list(70),
    lambda: deep_list(3000), Refuses, lambda: Refuses, Declines, object, dict, set, list, tuple,
    lambda: None, lambda: float("nan"), lambda: float("inf"), lambda: -0.0, lambda: 1e308,
    lambda: complex("nan+infj"), lambda: 2**63, lambda: -(2**63), lambda: 10**400,
    lambda: "a\0b", lambda: "\ud800", lambda: "", lambda: "cpu", lambda: "cuda:0",
    lambda: "cpu:99999999999999999999", lambda: b"x", lambda: bytearray(16),
    lambda: memoryview(b"12345678"), lambda: range(3), lambda: range(2**62), lambda: slice(None),
    lambda: slice(2**70, None, -1), lambda: slice(Raises(), 3), lambda: Ellipsis,
    lambda: NotImplemented, lambda: type, lambda: torch.Tensor, lambda: torch.float32,
    lambda: torch.device("cpu"), lambda: torch.Size([1, 2]), torch.Generator,
    lambda: torch.UntypedStorage(8), lambda: torch.contiguous_format, lambda: torch.channels_last,
    lambda: np.zeros((2, 2)), lambda: np.array(5), lambda: np.array("s"),
    lambda: np.array(None, object), lambda: np.zeros(3, ">f4"), lambda: np.zeros(4)[::-1],
    lambda: np.float32(1), lambda: np.datetime64("2000"), lambda: np.longdouble(1),
    lambda: [[]], lambda: [None], lambda: [[1, 2], [3]], lambda: [torch.ones(2), 1],
    lambda: (i for i in [1]), lambda: lambda *args, **kwargs: None,
]  # fmt: skip
EDGES: list[Any] = [
    0, 1, -1, 2, 3, -2, 7, 64, 2**31 - 1, 2**31, -(2**31), 2**32, 2**62, 2**63 - 1, -(2**63), 2**63,
    2**64, 10**30, True, IntSubclass(2), IntSubclass(-3), np.int64(1), np.uint8(2),
]  # fmt: skip
NUMBERS: list[Any] = [
    0, 1, -1, 2.5, True, 1j, float("nan"), float("inf"), 2**40, -(2**63), 2**64 - 1, 2**64, -0.0,
]  # fmt: skip
CHOICES: dict[str, list[Any]] = {
    "bool": [True, False, 0, 1],
    "float": [0.0, 1.0, 0.5, -1.0, float("nan"), float("inf"), 1e300],
    "Scalar": NUMBERS,
    "str": ["floor", "trunc", "x", "\0", "\ud800"],
    "ScalarType": DTYPES,
    "Layout": [torch.strided],
    "Device": ["cpu", "meta", torch.device("cpu"), "cuda", "cpu:1", 0, -1, 2**40],
    "MemoryFormat": [torch.contiguous_format, torch.channels_last, torch.preserve_format],
    "Generator": [torch.default_generator, torch.Generator()],
}


class Arguments:
    """Draws values for schema types. Tensors are drawn again, so that calls meet aliases."""

    def __init__(self, rng: random.Random, hostility: float) -> None:
        self.rng = rng
        self.hostility = hostility
        self.pool: list[torch.Tensor] = []

    def hostile(self) -> Any:
        return self.rng.choice(HOSTILE)()

    def integer(self) -> Any:
        return self.rng.choice([0, 1, -1, 2, 3, -2] if self.rng.random() < 0.8 else EDGES)

    def integers(self) -> Any:
        if self.rng.random() < 0.3:
            return self.integer()
        items = [self.integer() for _ in range(self.rng.randrange(5))]
        return items if self.rng.random() < 0.5 else tuple(items)

    def keep(self, tensor: torch.Tensor) -> None:
        self.pool.append(tensor)
        if len(self.pool) > POOL_SIZE:
            del self.pool[self.rng.randrange(POOL_SIZE)]

    def tensor(self) -> torch.Tensor:
        if self.pool and self.rng.random() < 0.35:
            return self.rng.choice(self.pool)
        made = self._layout(self._filled())
        self.keep(made)
        return made

    def _filled(self) -> torch.Tensor:
        shape = self.rng.choice(SHAPES)
        dtype = self.rng.choice(DTYPES if self.rng.random() < 0.5 else COMMON_DTYPES)
        if self.rng.random() < 0.1:
            return torch.zeros(shape, dtype=dtype, device="meta")
        values = [self.rng.choice([0, 1, 2, -1, 3, 7]) for _ in range(int(np.prod(shape)))]
        return torch.tensor(np.array(values, np.int64).reshape(shape)).to(dtype)

    def _layout(self, t: torch.Tensor) -> torch.Tensor:
        foreign = self.rng.choice([np.float32, np.int64, np.bool_, np.complex128])
        layouts: list[Callable[[], torch.Tensor]] = [
            lambda: t,
            lambda: t,
            lambda: t[..., ::2] if t.dim() else t,
            lambda: t.expand((2, *t.shape)),
            lambda: t.transpose(0, -1) if t.dim() > 1 else t,
            lambda: t.as_strided((2, 2), (1, 1), 0) if t.numel() > 2 else t,
            lambda: t.as_subclass(Plain),
            lambda: torch.Tensor._make_subclass(Dispatched, t),
            lambda: torch.Tensor._make_wrapper_subclass(
                self.rng.choice([Dispatched, WrongAnswer]), tuple(t.shape), dtype=t.dtype
            ),
            lambda: torch.from_numpy(np.zeros(tuple(t.shape), foreign)),
            lambda: torch.from_numpy(np.full(tuple(t.shape), 2, np.uint8).view(np.bool_)),
            lambda: torch.Tensor.__new__(torch.Tensor),
        ]
        return self.rng.choice(layouts)()

    def value(self, kind: str) -> Any:
        """A value for an argument of the schema type `kind`, or something else altogether."""
        if self.rng.random() < self.hostility:
            return self.hostile()
        if kind.endswith("?"):
            if self.rng.random() < 0.3:
                return None
            kind = kind[:-1]
        if kind.startswith("Tensor"):
            if "[" in kind:
                return [self.tensor() for _ in range(self.rng.randrange(4))]
            return self.tensor() if self.rng.random() < 0.9 else self.rng.choice(NUMBERS)
        if kind.startswith("int["):
            return self.integers()
        if kind == "int":
            return self.integer()
        return self.rng.choice(CHOICES[kind]) if kind in CHOICES else self.hostile()

    def index(self) -> Any:
        items: list[Callable[[], Any]] = [
            self.integer,
            lambda: slice(None),
            lambda: slice(self.integer(), self.integer(), self.rng.choice([None, 1, 2, 0, -1])),
            lambda: None,
            lambda: Ellipsis,
            self.tensor,
            lambda: True,
            lambda: [0, 1],
            lambda: np.array([0]),
        ]
        drawn = tuple(self.rng.choice(items)() for _ in range(self.rng.randrange(4)))
        return drawn[0] if len(drawn) == 1 else drawn
