"""What the sample families share: shapes, special values, pairs of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from ..dtypes import DTYPES, Array, DType, decode, integer_range, round_to
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor

Shape = tuple[int, ...]

SMALL_SHAPES: tuple[Shape, ...] = ((3, 5), (7,), (2, 3, 4))
LINE_SIZES = (1, 2, 7, 31, 32, 33, 255, 256, 257, 1023, 1025, 2047, 2049, 4097, 65537)
GRID_SIZES = ((33, 129), (70, 257), (1, 67), (67, 1))
ODD_SHAPES: tuple[Shape, ...] = (
    (), (1,), (0,), (0, 3), (3, 0), (2, 0, 3), (1, 1), (2, 1, 3), (1, 2, 1, 2, 1, 2),
)  # fmt: skip
SPECIAL_REPEAT = 67  # so that every value meets vector bodies and tails


def pointwise_shapes(kind: str) -> tuple[tuple[int, ...], ...]:
    """Shapes of elementwise samples of an input class."""
    if kind == "small":
        return (*SMALL_SHAPES, (2, 3, 2, 2))  # rank 4 has the layout of images too
    if kind == "sizes":
        return tuple((size,) for size in LINE_SIZES) + GRID_SIZES
    if kind == "shapes":
        return ODD_SHAPES
    return ()


def special_values(info: DType) -> Array:
    """Signed zeros, edges, infinities, NaN; the extremes of integers."""
    if info.kind == "bool":
        return np.array([False, True])
    if info.is_integral:
        low, high = integer_range(info)
        values = {low, low + 1, high, high - 1, 0, 1, 2, max(low, -1), max(low, -2)}
        return np.array(sorted(values), info.carrier)
    return _special_reals(info)


def _special_reals(info: DType) -> Array:
    big = info.max_value
    positive = [0.0, info.smallest, 3 * info.smallest, info.tiny, 0.5, 1 - info.eps / 2, 1.0]
    positive += [1 + info.eps, 2.0, 10.0, 80.0, 100.0, big / 2, big]
    values = [sign * value for value in positive for sign in (1.0, -1.0)]
    values += [np.nan] + ([np.inf, -np.inf] if info.has_infinity else [])
    return round_to(np.array(values), info)


def special_complex(info: DType, finite: bool = True) -> Array:
    """Products of special real and imaginary parts."""
    part = DTYPES[info.real_name]
    reals = _special_reals(part)
    reals = reals[np.abs(reals) <= 10] if finite else reals
    first, second = np.meshgrid(reals, reals)
    # Assembled by parts: arithmetic with 1j would lose signed zeros and infinities.
    result = np.empty(first.size, info.carrier)
    result.real, result.imag = first.ravel(), second.ravel()
    return result


def every_value(info: DType) -> Array:
    """All values of a dtype of at most 16 bits."""
    raw = np.arange(2**info.bits, dtype=np.uint32).astype(f"u{info.itemsize}")
    return decode(raw.view(info.stored), info)


def exact_numbers(info: DType) -> list[bool | int | float | complex]:
    """Python numbers that every dtype of a category at least theirs holds exactly."""
    numbers: list[bool | int | float | complex] = [True, 2, 3, 1.5, 0.25, -2.0]
    if not info.name.startswith("u") and info.kind != "bool":
        numbers.append(-3)
    return numbers


def repeated(values: Array, length: int = SPECIAL_REPEAT) -> Array:
    """Values tiled to at least `length` elements, rotated each time."""
    count = -(-length // len(values))
    return np.concatenate([np.roll(values, shift) for shift in range(max(count, 1))])


def special_pairs(info: DType, other: DType | None = None) -> tuple[Array, Array]:
    """Every special value against every other."""
    first = special_values(info)
    second = special_values(other or info)
    pairs = list(itertools.product(range(len(first)), range(len(second))))
    return first[[i for i, _ in pairs]], second[[j for _, j in pairs]]


def with_dim(rank: int) -> range:
    """Every valid dim of a rank, negative ones too."""
    return range(-max(rank, 1), max(rank, 1))


def dim_out_of_range(draw: Draw) -> Iterator[ErrorSample]:
    """A dim beyond the rank, on both sides. For ops whose dim is an int or a list."""
    argument = next(a for a in draw.spec.args if a.name in ("dim", "dim0", "start_dim"))
    tensor = draw.tensor((2, 3))
    # unsqueeze counts the places between dims, of which there is one more.
    top = 2 if draw.spec.name == "unsqueeze" else 1
    for dim in (top + 1, -top - 2):
        values: dict[str, object] = {"self": tensor}
        for extra in draw.spec.args:
            if extra.name in ("dim1", "index") and extra.type == "int":
                values[extra.name] = 0
        if draw.spec.key == "sort.stable":
            values["stable"] = True
        if draw.spec.name in ("topk", "kthvalue"):
            values["k"] = 1
        values[argument.name] = [dim] if argument.type.startswith("int[") else dim
        ordered = {a.name: values[a.name] for a in draw.spec.args if a.name in values}
        yield ErrorSample(
            ordered,
            "IndexError",
            rf"{{op}}: dimension out of range .*\[{-top - 1}, {top}\].*got {dim}",
            note=f"dim {dim}",
        )


def samples_of_tensor(draw: Draw, domain: str = "any") -> Iterator[Sample]:
    """`self` alone, in the elementwise shapes of the class."""
    for shape in pointwise_shapes(draw.kind):
        yield Sample({"self": draw.tensor(shape, domain)}, f"shape {list(shape)}")


def special_tensor(info: DType) -> Tensor:
    """The special values as one line that has a vector body and a tail."""
    values = special_complex(info) if info.is_complex else special_values(info)
    return Tensor(info.name, repeated(values))
