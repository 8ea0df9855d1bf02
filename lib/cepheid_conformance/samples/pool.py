"""Inputs of pooling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..sample import Draw, ErrorSample, Sample

Shape = tuple[int, ...]
_PLANES: tuple[Shape, ...] = ((2, 3, 7, 9), (3, 8, 8), (1, 1, 5, 6))
_SIZES: tuple[tuple[Shape, int], ...] = (
    ((1, 2, 17, 33), 2),
    ((2, 1, 31, 65), 3),
    ((1, 3, 16, 130), 5),
    ((40, 2, 33, 32), 3),
    ((1, 1, 1, 1), 1),
)
_ARGUMENTS: tuple[dict[str, Any], ...] = (
    {"kernel_size": [3, 2]},
    {"kernel_size": [3, 3], "stride": [2, 1]},
    {"kernel_size": [2, 3], "stride": [1, 2]},
    {"kernel_size": [3, 4], "padding": [1, 2]},
    {"kernel_size": [3, 3], "stride": [2, 2], "padding": [1, 1]},
    {"kernel_size": [2, 2], "stride": [3, 3], "ceil_mode": True},
    {"kernel_size": [2, 3], "stride": [2, 2], "padding": [1, 1], "ceil_mode": True},
    {"kernel_size": [3, 3], "stride": [5, 5], "padding": [1, 1], "ceil_mode": True},
    {"kernel_size": [3], "stride": [2], "padding": [1]},
)
_DILATED: tuple[dict[str, Any], ...] = (
    {"kernel_size": [2, 3], "dilation": [3, 2]},
    {"kernel_size": [3, 2], "stride": [2, 1], "padding": [1, 1], "dilation": [2, 3]},
    {"kernel_size": [3, 3], "stride": [1, 1], "padding": [1, 1], "dilation": [2, 2]},
    {"kernel_size": [2, 2], "stride": [2, 2], "dilation": [3, 3], "ceil_mode": True},
    {"kernel_size": [2], "dilation": [2]},
)
_DIVIDED: tuple[dict[str, Any], ...] = (
    {"kernel_size": [3, 3], "padding": [1, 1], "count_include_pad": False},
    {"kernel_size": [2, 3], "stride": [3, 2], "padding": [1, 1], "ceil_mode": True},
    {
        "kernel_size": [2, 3], "stride": [3, 2], "padding": [1, 1], "ceil_mode": True,
        "count_include_pad": False,
    },
    {"kernel_size": [2, 2], "divisor_override": 3},
    {"kernel_size": [3, 2], "padding": [1, 1], "divisor_override": -2, "count_include_pad": False},
)  # fmt: skip


def _cases(draw: Draw, arguments: tuple[dict[str, Any], ...], flat: bool) -> Iterator[Sample]:
    """Planes, or rows, of several sizes with the arguments."""

    def tensor(shape: Shape, domain: str = "any") -> Any:
        return draw.tensor(shape if not flat else (*shape[:-2], shape[-2] * shape[-1]), domain)

    def window(number: int) -> list[int]:
        return [number] if flat else [number, number]

    if draw.kind == "small":
        for shape in _PLANES:
            yield Sample({"self": tensor(shape), "kernel_size": window(2)}, f"{list(shape)}")
        yield Sample({"self": tensor(_PLANES[1]), "kernel_size": window(1)}, "windows of one")
    if draw.kind == "sizes":
        for shape, kernel in _SIZES:
            values = {"self": tensor(shape), "kernel_size": window(kernel)}
            yield Sample(values, f"{list(shape)} by {kernel}")
            if kernel > 1:
                values |= {"stride": window(2), "padding": window(kernel // 2)}
                yield Sample(values, f"{list(shape)} by {kernel}, padded")
    if draw.kind == "shapes":
        for shape in ((0, 2, 4, 4), (1, 4, 4), (1, 1, 2, 2)):
            yield Sample({"self": tensor(shape), "kernel_size": window(2)}, f"{list(shape)}")
    if draw.kind == "arguments":
        for given in arguments:
            for shape in _PLANES[:2]:
                values = {"self": tensor(shape), **(_first(given) if flat else given)}
                yield Sample(values, f"{list(shape)}, {given}")
    if draw.kind == "dtype" and draw.info.is_integral:
        values = {"self": tensor((2, 2, 6, 6), "wide"), "kernel_size": window(3)}
        yield Sample(values, "the whole range")
    if draw.kind == "accuracy" and draw.info.is_inexact:
        for domain in ("any", "positive"):
            values = {"self": tensor((2, 2, 30, 30), domain), "kernel_size": window(9)}
            yield Sample(values, f"windows of 9, {domain}")


def _first(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the second direction alone."""
    return {k: v[-1:] if isinstance(v, list) else v for k, v in given.items()}


def _special(draw: Draw, flat: bool) -> Iterator[Sample]:
    """NaN and infinities reach the windows that hold them; planes of nothing but one value."""
    if draw.kind != "special" or not draw.info.is_floating:
        return
    for value in (np.nan, np.inf, -np.inf, 3 * draw.info.smallest):
        tensor = draw.tensor((2, 2, 7, 7) if not flat else (2, 2, 49))
        data = tensor.data.copy()
        data.reshape(2, -1)[:, [3, 24, 25, 97]] = value
        window = [3] if flat else [3, 3]
        yield Sample({"self": tensor.replaced(data), "kernel_size": window}, f"{value}")
        alone = np.full_like(data, value)
        yield Sample({"self": tensor.replaced(alone), "kernel_size": window}, f"only {value}")


def _ties(draw: Draw) -> Iterator[Sample]:
    if draw.kind == "ties":
        tensor = draw.tensor((2, 2, 8, 9))
        data = (np.arange(tensor.data.size).reshape(tensor.shape) // 3 % 3).astype(
            tensor.data.dtype
        )
        yield Sample({"self": tensor.replaced(data), "kernel_size": [3, 3]}, "equal elements")


def max_pool2d(draw: Draw) -> Iterator[Sample]:
    """Planes with windows of all kinds."""
    yield from _cases(draw, (*_ARGUMENTS, *_DILATED), flat=False)
    yield from _special(draw, flat=False)
    yield from _ties(draw)
    if draw.kind == "arguments" and draw.spec.name == "max_pool2d":
        values = {"self": draw.tensor((2, 2, 6, 1)), "kernel_size": [3, 2], "dilation": [1, 2]}
        yield Sample({**values, "stride": [1, 1], "padding": [0, 1]}, "windows in the padding")


def max_pool1d(draw: Draw) -> Iterator[Sample]:
    """Rows with windows of all kinds."""
    yield from _cases(draw, (*_ARGUMENTS, *_DILATED), flat=True)
    yield from _special(draw, flat=True)


def avg_pool2d(draw: Draw) -> Iterator[Sample]:
    """Planes with windows and divisors of all kinds."""
    yield from _cases(draw, (*_ARGUMENTS, *_DIVIDED), flat=False)
    yield from _special(draw, flat=False)


def avg_pool1d(draw: Draw) -> Iterator[Sample]:
    """Rows with windows of all kinds."""
    yield from _cases(draw, (*_ARGUMENTS, *_DIVIDED[:3]), flat=True)
    yield from _special(draw, flat=True)


_ADAPTED: tuple[tuple[Shape, tuple[int, int]], ...] = (
    ((2, 3, 7, 9), (1, 1)),
    ((2, 3, 7, 9), (3, 4)),
    ((3, 8, 8), (5, 8)),
    ((1, 2, 5, 6), (7, 13)),
    ((1, 2, 3, 4), (3, 4)),
    ((1, 2, 33, 65), (2, 3)),
    ((40, 2, 33, 32), (7, 5)),
    ((0, 2, 4, 4), (2, 2)),
    ((1, 2, 4, 4), (0, 2)),
)


def _adaptive(draw: Draw, flat: bool) -> Iterator[Sample]:
    chosen = {"small": _ADAPTED[:5], "sizes": _ADAPTED[5:7], "shapes": _ADAPTED[7:]}
    for shape, size in chosen.get(draw.kind, ()):
        tensor = draw.tensor((*shape[:-2], shape[-2] * shape[-1]) if flat else shape)
        wanted = [size[0] * size[1]] if flat else list(size)
        yield Sample({"self": tensor, "output_size": wanted}, f"{list(shape)} to {wanted}")
    if draw.kind == "accuracy":
        tensor = draw.tensor((2, 2, 900) if flat else (2, 2, 30, 30))
        yield Sample({"self": tensor, "output_size": [1] if flat else [1, 1]}, "900 terms")
    if draw.kind == "special" and draw.info.is_floating:
        for value in (np.nan, np.inf):
            tensor = draw.tensor((2, 49) if flat else (2, 7, 7))
            data = tensor.data.copy()
            data.reshape(-1)[[3, 97]] = value
            values = {"self": tensor.replaced(data), "output_size": [3] if flat else [3, 3]}
            yield Sample(values, f"{value}")


def adaptive_avg_pool2d(draw: Draw) -> Iterator[Sample]:
    """Planes to fewer and to more elements."""
    yield from _adaptive(draw, flat=False)


def adaptive_avg_pool1d(draw: Draw) -> Iterator[Sample]:
    """Rows to fewer and to more elements."""
    yield from _adaptive(draw, flat=True)


# Errors.


def _flat(draw: Draw) -> bool:
    return draw.spec.name.endswith("1d")


def _window(draw: Draw, number: int) -> list[int]:
    return [number] if _flat(draw) else [number, number]


def _input(draw: Draw, size: int) -> Any:
    return draw.tensor((1, 2, size) if _flat(draw) else (1, 2, size, size))


def pool_rank(draw: Draw) -> Iterator[ErrorSample]:
    """Too few dimensions, too many, and sizes of 0 behind the batch."""
    for shape in ((5,), (1, 1, 1, 5, 5), (1, 0, 5) if _flat(draw) else (1, 2, 0, 5)):
        values = {"self": draw.tensor(shape), "kernel_size": _window(draw, 2)}
        pattern = r"\w+pool\w+: .*\[" + ", ".join(map(str, shape)) + r"\]"
        yield ErrorSample(values, "RuntimeError", pattern, also=("IndexError",))


def pool_numbers(draw: Draw) -> Iterator[ErrorSample]:
    """Windows, steps and gaps of no size; three numbers for two directions."""
    plain = {"self": _input(draw, 6), "kernel_size": _window(draw, 2)}
    for name in ("kernel_size", "stride", "dilation"):
        if draw.spec.argument(name) is not None:
            for number in (0, -1):
                values = {**plain, name: _window(draw, number)}
                yield ErrorSample(values, "RuntimeError", rf"\w+pool\w+: {name} must be .*{number}")
    values = {**plain, "kernel_size": [2, 2, 2]}
    yield ErrorSample(values, "RuntimeError", r"\w+pool\w+: kernel_size must be .*\[2, 2, 2\]")


def pool_padding(draw: Draw) -> Iterator[ErrorSample]:
    """More padding than half the window, or less than none."""
    for padding in (2, -1):
        values = {
            "self": _input(draw, 6),
            "kernel_size": _window(draw, 3),
            "padding": _window(draw, padding),
        }
        yield ErrorSample(values, "RuntimeError", rf"\w+pool\w+: padding must be .*{padding}")


def pool_too_small(draw: Draw) -> Iterator[ErrorSample]:
    """A window larger than the input."""
    values = {"self": _input(draw, 3), "kernel_size": _window(draw, 4)}
    yield ErrorSample(values, "RuntimeError", r"\w+pool\w+: the window must fit .*3.*4")


def pool_divisor(draw: Draw) -> Iterator[ErrorSample]:
    """No sum is divided by 0."""
    values = {"self": _input(draw, 4), "kernel_size": _window(draw, 2), "divisor_override": 0}
    yield ErrorSample(values, "RuntimeError", r"avg_pool2d: divisor_override must not be 0")


def adaptive_rank(draw: Draw) -> Iterator[ErrorSample]:
    """Too few dimensions, and sizes of 0 behind the batch."""
    for shape in ((5,), (1, 0, 5) if _flat(draw) else (1, 2, 0, 5)):
        values = {"self": draw.tensor(shape), "output_size": _window(draw, 2)}
        pattern = r"adaptive_\w+: .*\[" + ", ".join(map(str, shape)) + r"\]"
        yield ErrorSample(values, "RuntimeError", pattern, also=("IndexError", "ValueError"))


def adaptive_size(draw: Draw) -> Iterator[ErrorSample]:
    """Negative sizes."""
    values = {"self": _input(draw, 4), "output_size": _window(draw, -1)}
    yield ErrorSample(values, "RuntimeError", r"adaptive_\w+: output_size must not be negative")
