"""Inputs of creation, copies and conversion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import DTYPES, DType, integer_range, round_to
from ..layouts import channels_last, padded, stepped, transposed
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import LINE_SIZES, ODD_SHAPES, SMALL_SHAPES, special_tensor, special_values
from .view import tensors, unary_storage

__all__ = ["unary_storage"]


def sizes(draw: Draw) -> Iterator[Sample]:
    """Sizes with the dtype named."""
    shapes = {"small": SMALL_SHAPES, "shapes": ODD_SHAPES}.get(draw.kind, ())
    if draw.kind == "sizes":
        shapes = (*((size,) for size in LINE_SIZES), (33, 129))
    for shape in shapes:
        yield Sample({"size": list(shape), "dtype": draw.dtype}, f"{list(shape)}")
    if draw.kind == "arguments":
        yield Sample({"size": [2, 3]}, "the default dtype")
        if draw.spec.name == "empty":
            values = {"size": [2, 3, 4, 5], "dtype": draw.dtype, "memory_format": "channels_last"}
            yield Sample(values, "channels_last")


def sizes_strides(draw: Draw) -> Iterator[Sample]:
    """Sizes with strides, dense and with gaps."""
    cases: tuple[tuple[list[int], list[int]], ...] = ()
    if draw.kind == "small":
        cases = (([2, 3], [3, 1]), ([2, 3], [1, 2]), ([2, 3], [10, 2]), ([4], [3]))
    if draw.kind == "shapes":
        cases = (([], []), ([0], [1]), ([2, 0], [1, 1]), ([3], [0]))
    for size, stride in cases:
        values = {"size": size, "stride": stride, "dtype": draw.dtype}
        yield Sample(values, f"{size} by {stride}")


def like(draw: Draw) -> Iterator[Sample]:
    """Tensors in every layout; another dtype; memory formats."""
    for tensor in tensors(draw):
        yield Sample({"self": tensor}, f"{list(tensor.shape)} {tensor.layout}")
    if draw.kind == "arguments":
        yield Sample({"self": draw.tensor((2, 3)), "dtype": "float64"}, "dtype float64")
        for name in ("contiguous_format", "preserve_format"):
            values = {"self": transposed(draw.tensor((2, 3))), "memory_format": name}
            yield Sample(values, name)
        image = channels_last(draw.tensor((2, 3, 4, 5)))
        yield Sample({"self": image}, "channels last, preserved")


def full(draw: Draw) -> Iterator[Sample]:
    """Values of each category that the dtype holds."""
    for sample in sizes(draw):
        if "dtype" in sample.values:
            yield Sample({"size": sample.values["size"], "fill_value": 3, "dtype": draw.dtype})
    if draw.kind == "arguments":
        numbers = _numbers(draw.info)
        for number in numbers:
            values: dict[str, Any] = {"size": [3], "fill_value": number, "dtype": draw.dtype}
            yield Sample(values, f"value {number}")
        yield Sample({"size": [2], "fill_value": numbers[-1]}, "dtype of the number")


def _numbers(info: DType) -> list[Any]:
    numbers: list[Any] = [True, 2]
    if info.is_integral:
        numbers += [integer_range(info)[1], integer_range(info)[0]]
    if info.is_inexact:
        numbers += [-1.5, 0.1, float("inf"), float("-inf"), float("nan"), -0.0]
        numbers.append(3 * info.smallest)
    if info.is_complex:
        numbers.append(1.5 - 2j)
    return numbers


def arange_end(draw: Draw) -> Iterator[Sample]:
    """Ends of both kinds."""
    if draw.kind in ("small", "sizes"):
        for end in (5, 1, 0) if draw.kind == "small" else (33, 127, 200, 256, 1025, 65_600):
            if end <= _top(draw.info):
                yield Sample({"end": end, "dtype": draw.dtype}, f"{end=}")
    if draw.kind == "arguments":
        yield Sample({"end": 5}, "integers without a dtype")
        yield Sample({"end": 4.5}, "a float without a dtype")
        if draw.info.is_integral:
            yield Sample({"end": 4.5, "dtype": draw.dtype}, "a fractional end of integers")


def _top(info: DType) -> int:
    """Up to here every integer is exact."""
    return 2**info.precision if info.is_floating else integer_range(info)[1]


def arange(draw: Draw) -> Iterator[Sample]:
    """Steps of both signs; fractions for floating dtypes."""
    ranges: list[tuple[Any, Any, Any]] = []
    if draw.kind == "small":
        ranges = [(2, 9, 3), (1, 4, 1), (3, 3, 1)]
        if draw.info.kind != "unsigned":
            ranges += [(5, -4, -2), (-3, 3, 1)]
        if draw.info.is_floating:
            ranges += [(0.5, 3.0, 0.5), (1.0, -1.0, -0.25)]
    if draw.kind == "sizes":
        ranges = [(3, 3 + size, 1) for size in (33, 100)]
        if draw.info.itemsize > 2:
            ranges += [(0, size, 1) for size in (1025, 65537)]
        if draw.dtype == "int64":
            ranges += [(2**53 - 3, 2**53 + 9, 1)]
        if draw.dtype == "uint8":
            ranges += [(120, 255, 1)]
    if draw.kind == "accuracy" and draw.info.is_floating:
        ranges = [(0.1, 100.0, 0.1), (1.0, 2.0, 1 / 3000)]
    for start, end, step in ranges:
        values = {"start": start, "end": end, "step": step, "dtype": draw.dtype}
        yield Sample(values, f"{start} to {end} by {step}")
    if draw.kind == "arguments":
        yield Sample({"start": 1, "end": 6}, "integers without a dtype")
        yield Sample({"start": 1, "end": 3, "step": 0.5}, "a float step without a dtype")


def _convertible(draw: Draw, source: str, target: str, shape: tuple[int, ...]) -> Tensor:
    """Values that the target holds without overflow."""
    info = DTYPES[source]
    if info.kind == "bool":
        return draw.tensor(shape, dtype=source)
    if DTYPES[target].kind in ("unsigned", "bool") or info.kind == "unsigned":
        data = draw.rng.integers(0, 9, shape)
        return Tensor(source, np.asarray(data).astype(info.carrier))
    return draw.tensor(shape, "exact", source)


def to_dtype(draw: Draw) -> Iterator[Sample]:
    """The same dtype, another one, every one."""
    if draw.kind in ("small", "shapes", "sizes"):
        for tensor in tensors(draw):
            yield Sample({"self": tensor, "dtype": draw.dtype}, f"same dtype, {tensor.layout}")
            if not draw.info.is_complex:
                yield Sample({"self": tensor, "dtype": "float32"}, f"float32, {tensor.layout}")
    if draw.kind == "promotion":
        for target in DTYPES:
            tensor = _convertible(draw, draw.dtype, target, (67,))
            yield Sample({"self": tensor, "dtype": target}, f"to {target}")
    if draw.kind in ("special", "accuracy") and draw.info.is_floating:
        for target in _narrower(draw.info):
            data = special_values(draw.info)
            if draw.kind == "accuracy":
                data = _near_ties(draw, DTYPES[target])
            values = {"self": Tensor(draw.dtype, data), "dtype": target}
            yield Sample(values, f"to {target}")
    if draw.kind == "dtype" and draw.info.is_integral:
        for target in ("int8", "uint8", "int16", "int64", "float32", "float64"):
            values = {"self": draw.tensor((70,), "wide"), "dtype": target}
            yield Sample(values, f"whole range to {target}")
    if draw.kind == "arguments":
        yield from _copy_arguments(draw)


def _narrower(info: DType) -> list[str]:
    return [name for name, other in DTYPES.items() if other.is_floating and other.name != info.name]


def _near_ties(draw: Draw, target: DType) -> Any:
    """Midpoints of neighbours in the target dtype, and values on both sides of them."""
    grid = (1 + np.arange(8) * target.eps)[:, None] * 2.0 ** np.arange(-3, 4)
    ties = (grid * (1 + 0.0) + target.eps / 2 * 2.0 ** np.arange(-3, 4)).ravel()
    # Those nearer to the next float32 than to the tie round to it, and stay on their side.
    beside = [ties * (1 + part * 2.0**-23) for part in (0.75, -0.75)]
    values = np.concatenate([ties, np.nextafter(ties, 0), np.nextafter(ties, 9e9), *beside])
    return round_to(np.concatenate([values, -values]), draw.info)


def _copy_arguments(draw: Draw) -> Iterator[Sample]:
    tensor = transposed(draw.tensor((2, 3)))
    if draw.spec.argument("copy") is not None:
        yield Sample({"self": tensor, "dtype": draw.dtype, "copy": True}, "copy")
    # To the same dtype a format is not determined: self is returned, or a copy in the format.
    target = "complex128" if draw.info.is_complex else "float64"
    target = {"complex128": "complex64", "float64": "float32"}.get(draw.dtype, target)
    for name in ("contiguous_format", "preserve_format"):
        values = {"self": tensor, "dtype": target, "memory_format": name}
        yield Sample(values, name)


def to_copy(draw: Draw) -> Iterator[Sample]:
    """The samples of to.dtype."""
    yield from to_dtype(draw)


def to_device(draw: Draw) -> Iterator[Sample]:
    """The same device, with and without a dtype."""
    for sample in to_dtype(draw):
        values = {"self": sample.values["self"], "device": "same"}
        rest = {name: value for name, value in sample.values.items() if name != "self"}
        yield Sample({**values, **rest}, sample.note)
        if draw.kind == "small":
            yield Sample(values, f"{sample.note}, without a dtype")


def to_options(draw: Draw) -> Iterator[Sample]:
    """A dtype by name, with and without the device; a format or a copy alone."""
    yield from to_dtype(draw)
    if draw.kind == "small":
        yield from to_device(draw)
    if draw.kind == "arguments":
        tensor = draw.tensor((2, 3))
        yield Sample({"self": tensor}, "as it is")
        yield Sample({"self": tensor, "copy": True}, "a copy alone")
        format = {"memory_format": "contiguous_format"}
        yield Sample({"self": tensor, **format}, "the format that it has")
        yield Sample({"self": tensor, "copy": True, **format}, "a copy in that format")


def to_other(draw: Draw) -> Iterator[Sample]:
    """The dtype taken from another tensor."""
    for sample in to_dtype(draw):
        values = {"self": sample.values["self"]}
        values["other"] = draw.tensor((1,), "positive", sample.values["dtype"])
        rest = {k: v for k, v in sample.values.items() if k not in ("self", "dtype")}
        yield Sample({**values, **rest}, sample.note)


def copy(draw: Draw) -> Iterator[Sample]:
    """Same dtype, every other dtype, broadcast sources, layouts on both sides."""
    shapes = {"small": SMALL_SHAPES, "shapes": ODD_SHAPES}.get(draw.kind, ())
    if draw.kind == "sizes":
        shapes = (*((size,) for size in LINE_SIZES), (33, 129))
    for shape in shapes:
        yield Sample({"self": draw.tensor(shape), "src": draw.tensor(shape)}, f"{list(shape)}")
    if draw.kind == "special" and draw.info.kind != "bool":
        special = special_tensor(draw.info)
        values = {"self": draw.tensor(special.shape), "src": special}
        yield Sample(values, "special values")
    if draw.kind == "broadcast":
        for target, source in (((3, 4), (4,)), ((3, 4), (3, 1)), ((2, 3), ())):
            values = {"self": draw.tensor(target), "src": draw.tensor(source)}
            yield Sample(values, f"{list(source)} into {list(target)}")
    if draw.kind == "promotion":
        for name in DTYPES:
            tensor = _convertible(draw, name, draw.dtype, (67,))
            yield Sample({"self": draw.tensor((67,)), "src": tensor}, f"from {name}")
    if draw.kind == "arguments":
        for layout in (transposed, stepped, padded):
            values = {"self": layout(draw.tensor((3, 4))), "src": draw.tensor((3, 4))}
            yield Sample(values, f"into {layout.__name__}")
            values = {"self": draw.tensor((3, 4)), "src": layout(draw.tensor((3, 4)))}
            yield Sample(values, f"from {layout.__name__}")


def fill(draw: Draw) -> Iterator[Sample]:
    """A value into every layout."""
    shapes = {"small": SMALL_SHAPES, "shapes": ODD_SHAPES}.get(draw.kind, ())
    if draw.kind == "sizes":
        shapes = tuple((size,) for size in LINE_SIZES)
    for shape in shapes:
        yield Sample({"self": draw.tensor(shape), "value": 1}, f"{list(shape)}")
    if draw.kind == "arguments":
        for number in _numbers(draw.info):
            if draw.info.has_infinity or not np.isinf(number):
                yield Sample({"self": draw.tensor((9,)), "value": number}, f"value {number}")


def zero(draw: Draw) -> Iterator[Sample]:
    """Zeros into every layout."""
    for sample in fill(draw):
        if draw.kind != "arguments":
            yield Sample({"self": sample.values["self"]}, sample.note)


def one_element(draw: Draw) -> Iterator[Sample]:
    """Ranks 0 to 2."""
    if draw.kind in ("small", "shapes"):
        for shape in ((), (1,), (1, 1)):
            yield Sample({"self": draw.tensor(shape)}, f"{list(shape)}")
    if draw.kind == "special":
        for value in special_values(draw.info) if not draw.info.is_complex else ():
            tensor = Tensor(draw.dtype, np.asarray(value, draw.info.carrier))
            yield Sample({"self": tensor}, f"value {value}")


# Errors.


def negative_size(draw: Draw) -> Iterator[ErrorSample]:
    """A size below zero."""
    values = {"size": [2, -1], "dtype": draw.dtype}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*-1")


def negative_size_full(draw: Draw) -> Iterator[ErrorSample]:
    """A size below zero."""
    values = {"size": [2, -1], "fill_value": 1, "dtype": draw.dtype}
    yield ErrorSample(values, "RuntimeError", r"full: .*-1")


def negative_size_strided(draw: Draw) -> Iterator[ErrorSample]:
    """A size below zero; ranks that differ."""
    values = {"size": [-1], "stride": [1], "dtype": draw.dtype}
    yield ErrorSample(values, "RuntimeError", r"empty_strided: .*-1")
    values = {"size": [1], "stride": [1, 1], "dtype": draw.dtype}
    yield ErrorSample(values, "RuntimeError", r"empty_strided: .*", note="ranks")


def negative_stride(draw: Draw) -> Iterator[ErrorSample]:
    """A stride below zero."""
    values = {"size": [2], "stride": [-1], "dtype": draw.dtype}
    yield ErrorSample(values, "RuntimeError", r"empty_strided: .*-1")


def size_overflow(draw: Draw) -> Iterator[ErrorSample]:
    """More elements than 64 bits count; more bytes than any machine has."""
    for size in ([2**62, 8], [2**61]):
        values = {"size": size, "dtype": draw.dtype}
        yield ErrorSample(values, "RuntimeError", r"empty: .*|.*memory.*", note=f"{size}")


def full_not_representable(draw: Draw) -> Iterator[ErrorSample]:
    """A value that the dtype can't hold."""
    yield from _not_representable(draw, "full", {"size": [2]}, "fill_value")


def fill_not_representable_(draw: Draw) -> Iterator[ErrorSample]:
    """A value that the dtype can't hold."""
    yield from _not_representable(draw, "fill_", {"self": draw.tensor((2,))}, "value")


def _not_representable(
    draw: Draw, name: str, values: dict[str, Any], argument: str
) -> Iterator[ErrorSample]:
    last = {"dtype": draw.dtype} if argument == "fill_value" else {}
    if draw.info.is_integral and draw.info.itemsize < 8:
        wrong: Any = 2 ** (draw.info.bits + 1)
        case = {**values, argument: wrong, **last}
        pattern = rf"({name}|fill_): .*{draw.dtype}; got {wrong}"  # full fills what it makes
        yield ErrorSample(case, "RuntimeError", pattern)
    elif draw.info.is_floating:
        case = {**values, argument: 1 + 2j, **last}
        yield ErrorSample(case, "RuntimeError", rf"({name}|fill_): .*{draw.dtype}")


def arange_wrong_sign_end(draw: Draw) -> Iterator[ErrorSample]:
    """An end below zero can't be reached."""
    if draw.info.kind != "unsigned":
        yield ErrorSample({"end": -3, "dtype": draw.dtype}, "RuntimeError", r"arange: .*-3")


def arange_wrong_sign(draw: Draw) -> Iterator[ErrorSample]:
    """A step away from the end."""
    values = {"start": 1, "end": 5, "step": -1, "dtype": draw.dtype}
    yield ErrorSample(values, "RuntimeError", r"arange: .*-1")


def arange_zero_step(draw: Draw) -> Iterator[ErrorSample]:
    """A step of zero; a dtype that can't count."""
    for dtype in ("float8_e5m2", "float8_e4m3fn", "complex64"):
        values = {"start": 0, "end": 2, "step": 1, "dtype": dtype}
        pattern = rf"arange: expected an integral or floating dtype; got {dtype}"
        yield ErrorSample(values, "NotImplementedError", pattern, note=dtype)
    values = {"start": 1, "end": 5, "step": 0, "dtype": draw.dtype}
    yield ErrorSample(values, "RuntimeError", r"arange: step must not be zero")


def arange_not_finite(draw: Draw) -> Iterator[ErrorSample]:
    """Bounds that are no numbers."""
    if draw.info.is_floating:
        for end in (float("nan"), float("inf")):
            values = {"start": 0.0, "end": end, "step": 1.0, "dtype": draw.dtype}
            yield ErrorSample(values, "RuntimeError", r"arange: .*(nan|inf)", note=f"{end=}")


def meta_to_cpu(draw: Draw) -> Iterator[ErrorSample]:
    """A meta tensor has no values to move."""
    values = {"self": draw.tensor((2,)), "device": "cpu"}
    yield ErrorSample(values, "NotImplementedError", r"(to|_to_copy): .*meta", device="meta")


def copy_not_broadcastable(draw: Draw) -> Iterator[ErrorSample]:
    """A source that doesn't broadcast to self."""
    values = {"self": draw.tensor((3,)), "src": draw.tensor((4,))}
    yield ErrorSample(values, "RuntimeError", r"copy_: .*\[3\].*\[4\]|copy_: .*\[4\].*\[3\]")


def item_many_elements(draw: Draw) -> Iterator[ErrorSample]:
    """Several elements are no number."""
    values = {"self": draw.tensor((2,))}
    yield ErrorSample(
        values, "RuntimeError", r"item: a tensor with 2 elements", also=("ValueError",)
    )


def full_like(draw: Draw) -> Iterator[Sample]:
    """The cases of like, and values of each category."""
    for sample in like(draw):
        self, *rest = sample.values.items()
        yield Sample(dict([self, ("fill_value", 3), *rest]), sample.note)
    if draw.kind == "arguments":
        for number in _numbers(draw.info):
            values = {"self": draw.tensor((3,)), "fill_value": number}
            yield Sample(values, f"value {number}")


def new_sizes(draw: Draw) -> Iterator[Sample]:
    """Sizes beside a tensor that gives the dtype, or doesn't."""
    for sample in sizes(draw):
        if "dtype" in sample.values:
            given = {"dtype": draw.dtype} if draw.kind == "sizes" else {}
            # A small one is as large as the result, which could be it.
            shape = tuple(sample.values["size"]) if draw.kind == "small" else (2,)
            tensor = draw.tensor(shape, dtype="float32" if given else None)
            yield Sample({"self": tensor, "size": sample.values["size"], **given}, sample.note)


def new_full(draw: Draw) -> Iterator[Sample]:
    """The same with a number."""
    for sample in new_sizes(draw):
        self, size, *rest = sample.values.items()
        yield Sample(dict([self, size, ("fill_value", 3), *rest]), sample.note)
    if draw.kind == "arguments":
        for number in _numbers(draw.info):
            values = {"self": draw.tensor((3,)), "size": [2], "fill_value": number}
            yield Sample(values, f"value {number}")


def eye(draw: Draw) -> Iterator[Sample]:
    """Small and large; nothing."""
    for n in {"small": (3, 1), "sizes": (7, 33, 129, 257), "shapes": (0,)}.get(draw.kind, ()):
        yield Sample({"n": n, "dtype": draw.dtype}, f"{n=}")
    if draw.kind == "arguments":
        yield Sample({"n": 3}, "the default dtype")


def eye_m(draw: Draw) -> Iterator[Sample]:
    """Wide and high ones; nothing in either direction."""
    pairs = {"small": ((3, 4), (4, 3), (1, 5)), "sizes": ((33, 129), (129, 7), (257, 258))}
    if draw.kind == "shapes":
        pairs["shapes"] = ((0, 3), (3, 0), (0, 0))
    for n, m in pairs.get(draw.kind, ()):
        yield Sample({"n": n, "m": m, "dtype": draw.dtype}, f"{n} by {m}")
    if draw.kind == "arguments":
        yield Sample({"n": 2, "m": 3}, "the default dtype")


def full_like_not_representable(draw: Draw) -> Iterator[ErrorSample]:
    """A value that the dtype can't hold."""
    yield from _not_representable(draw, "full_like", {"self": draw.tensor((2,))}, "fill_value")


def new_negative_size(draw: Draw) -> Iterator[ErrorSample]:
    """A size below zero."""
    values: dict[str, Any] = {"self": draw.tensor((2,)), "size": [2, -1]}
    if draw.spec.argument("fill_value") is not None:
        values["fill_value"] = 1
    yield ErrorSample(values, "RuntimeError", r"{op}: .*-1")


def eye_negative(draw: Draw) -> Iterator[ErrorSample]:
    """A size below zero in either direction."""
    if draw.spec.argument("m") is None:
        yield ErrorSample({"n": -1, "dtype": draw.dtype}, "RuntimeError", r"{op}: .*-1")
        return
    for n, m in ((-1, 2), (2, -1)):
        values = {"n": n, "m": m, "dtype": draw.dtype}
        yield ErrorSample(values, "RuntimeError", r"{op}: .*-1", note=f"{n} by {m}")
