"""Inputs of the views: shapes and layouts of self, and the view's arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..layouts import LAYOUTS, padded, shifted, stepped, transposed
from ..oracle.view import known_shape, view_strides
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import ODD_SHAPES, SMALL_SHAPES, dim_out_of_range, special_tensor, with_dim

__all__ = ["dim_out_of_range"]

_LAYOUT_CHOICES = (transposed, stepped, shifted, padded)


def tensors(draw: Draw, odd: bool = True) -> Iterator[Tensor]:
    """Tensors of the class: small shapes in every layout, or odd shapes, or special values."""
    if draw.kind == "small":
        for shape in SMALL_SHAPES:
            tensor = draw.tensor(shape)
            yield tensor
            for layout in LAYOUTS:
                changed = layout(tensor)
                if changed is not tensor:
                    yield changed
    if draw.kind == "shapes" and odd:
        for shape in ODD_SHAPES:
            yield draw.tensor(shape)
    if draw.kind == "special" and draw.info.kind != "bool":
        yield special_tensor(draw.info)
        if "view" not in draw.spec.tags:  # a copy of whatever lies apart in memory
            data = special_tensor(draw.info).data
            pairs = data[: len(data) // 2 * 2].reshape(2, -1)
            yield transposed(special_tensor(draw.info).replaced(pairs))
    if draw.kind == "sizes" and "view" not in draw.spec.tags:
        for shape in ((1025,), (33, 129), (221, 300)):
            yield draw.tensor(shape)
            yield (transposed if len(shape) > 1 else stepped)(draw.tensor(shape))


def _note(tensor: Tensor, rest: str = "") -> str:
    layout = "" if tensor.layout == "contiguous" else f" {tensor.layout}"
    return f"{list(tensor.shape)}{layout}{rest}"


def unary_storage(draw: Draw) -> Iterator[Sample]:
    """self alone."""
    for tensor in tensors(draw):
        yield Sample({"self": tensor}, _note(tensor))
    if draw.kind == "arguments" and draw.spec.argument("memory_format") is not None:
        values = {"self": draw.tensor((2, 3, 4, 5)), "memory_format": "channels_last"}
        yield Sample(values, "channels_last")


def _shapes_for(tensor: Tensor) -> list[list[int]]:
    count = tensor.data.size
    if count == 0:
        return [list(tensor.shape), [0], [0, 2], [3, 0]]
    shapes = [[-1], [count], [1, count], [count, 1, 1], list(tensor.shape)]
    shapes += [[-1, size] for size in (2, 3, 4, 5) if count % size == 0]
    if len(tensor.shape) > 1:
        shapes.append([-1, *tensor.shape[2:]])
    return shapes


def view(draw: Draw) -> Iterator[Sample]:
    """Shapes that the strides allow."""
    for sample in reshape(draw):
        tensor, shape = sample.values["self"], sample.values["shape"]
        sizes = known_shape(shape, tensor.data.size)
        if view_strides(tensor.shape, tensor.element_strides(), sizes) is not None:
            yield Sample({"self": tensor, "size": shape}, sample.note)


def reshape(draw: Draw) -> Iterator[Sample]:
    """Any shape of the same count."""
    for tensor in tensors(draw):
        for shape in _shapes_for(tensor):
            yield Sample({"self": tensor, "shape": shape}, _note(tensor, f" as {shape}"))


def transpose(draw: Draw) -> Iterator[Sample]:
    """Each pair of dims."""
    for tensor in tensors(draw):
        dims = with_dim(len(tensor.shape))
        for first in dims if draw.kind == "shapes" else dims[-1:]:
            for second in dims:
                values = {"self": tensor, "dim0": first, "dim1": second}
                yield Sample(values, _note(tensor, f" dims {first}, {second}"))


def t(draw: Draw) -> Iterator[Sample]:
    """Rank 2 and below."""
    for tensor in tensors(draw):
        if len(tensor.shape) <= 2:
            yield Sample({"self": tensor}, _note(tensor))


def permute(draw: Draw) -> Iterator[Sample]:
    """Reversed, rotated, negative dims."""
    for tensor in tensors(draw):
        rank = len(tensor.shape)
        orders = [list(reversed(range(rank))), list(range(-rank, 0))]
        if rank > 1:
            orders.append([*range(1, rank), 0])
        for dims in orders:
            yield Sample({"self": tensor, "dims": dims}, _note(tensor, f" dims {dims}"))


def expand(draw: Draw) -> Iterator[Sample]:
    """Sizes of 1 repeated; new dims in front; -1."""
    for tensor in tensors(draw):
        kept = [-1] * len(tensor.shape)
        yield Sample({"self": tensor, "size": [2, *kept]}, _note(tensor, " new dim of 2"))
        yield Sample({"self": tensor, "size": list(tensor.shape)}, _note(tensor, " same size"))
        for dim, size in enumerate(tensor.shape):
            if size == 1:
                sizes = [*kept[:dim], 4, *kept[dim + 1 :]]
                yield Sample({"self": tensor, "size": sizes}, _note(tensor, f" to {sizes}"))


def select(draw: Draw) -> Iterator[Sample]:
    """First, last and negative index of each dim."""
    for tensor in tensors(draw):
        for dim in with_dim(len(tensor.shape)) if tensor.shape else ():
            size = tensor.shape[dim]
            for index in sorted({0, size - 1, -1, -size}) if size else ():
                values = {"self": tensor, "dim": dim, "index": index}
                yield Sample(values, _note(tensor, f" dim {dim}, index {index}"))


def slice(draw: Draw) -> Iterator[Sample]:
    """Starts, ends and steps inside and beyond the size."""
    ranges: tuple[dict[str, Any], ...] = (
        {"start": 1},
        {"end": -1},
        {"start": 0, "end": 100, "step": 2},
        {"start": -2, "end": 100},
        {"start": 2, "end": 1},
        {"start": -100, "end": 2, "step": 3},
        {"start": 100},
    )
    for tensor in tensors(draw):
        for dim in range(len(tensor.shape)):
            for chosen in ranges:
                values = {"self": tensor, "dim": dim, **chosen}
                yield Sample(values, _note(tensor, f" dim {dim}, {chosen}"))


def squeeze(draw: Draw) -> Iterator[Sample]:
    """Every dim, of size 1 or not."""
    for tensor in tensors(draw):
        for dim in with_dim(len(tensor.shape)):
            yield Sample({"self": tensor, "dim": dim}, _note(tensor, f" dim {dim}"))


def unsqueeze(draw: Draw) -> Iterator[Sample]:
    """Every place for a new dim."""
    for tensor in tensors(draw):
        for dim in range(-len(tensor.shape) - 1, len(tensor.shape) + 1):
            yield Sample({"self": tensor, "dim": dim}, _note(tensor, f" dim {dim}"))


def flatten(draw: Draw) -> Iterator[Sample]:
    """All dims, and each range of them."""
    for tensor in tensors(draw):
        rank = len(tensor.shape)
        yield Sample({"self": tensor}, _note(tensor))
        for first in range(rank):
            for last in range(first, rank):
                values = {"self": tensor, "start_dim": first, "end_dim": last - rank}
                yield Sample(values, _note(tensor, f" dims {first} to {last - rank}"))


def as_strided(draw: Draw) -> Iterator[Sample]:
    """Windows, gaps, repeats, with and without an offset, inside the storage."""
    for tensor in tensors(draw):
        room = tensor.elements()
        for size, stride, offset in (
            ([2, 3], [3, 1], None),
            ([3, 2], [1, 1], 1),
            ([2, 2], [0, 1], 0),
            ([], [], 2),
            ([0, 2], [1, 1], 0),
            ([2], [3], 1),
        ):
            start = tensor.offset if offset is None else offset
            last = start + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
            if 0 in size or last < room:
                values: dict[str, Any] = {"self": tensor, "size": size, "stride": stride}
                if offset is not None:
                    values["storage_offset"] = offset
                yield Sample(values, _note(tensor, f" {size} by {stride} from {offset}"))


# Errors.


def view_size_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Another number of elements."""
    values = {"self": draw.tensor((2, 3)), "size": [4]}
    yield ErrorSample(values, "RuntimeError", r"view: size \[4\] .* 6 elements")


def reshape_size_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Another number of elements; an unknown size that nothing fits."""
    for shape in ([4], [-1, 4]):
        values = {"self": draw.tensor((2, 3)), "shape": shape}
        pattern = rf"reshape: size {re.escape(str(shape))} .* 6 elements"
        yield ErrorSample(values, "RuntimeError", pattern, note=str(shape))


def view_incompatible_strides(draw: Draw) -> Iterator[ErrorSample]:
    """A shape that would need a copy."""
    values = {"self": transposed(draw.tensor((2, 3))), "size": [6]}
    yield ErrorSample(values, "RuntimeError", r"view: .*strides?")


def view_two_unknown(draw: Draw) -> Iterator[ErrorSample]:
    """Two sizes of -1."""
    values = {"self": draw.tensor((2, 3)), "size": [-1, -1]}
    yield ErrorSample(values, "RuntimeError", r"view: .*-1")


def t_rank(draw: Draw) -> Iterator[ErrorSample]:
    """t of rank 3."""
    yield ErrorSample({"self": draw.tensor((2, 3, 4))}, "RuntimeError", r"t: .*\[2, 3, 4\]")


def permute_wrong_rank(draw: Draw) -> Iterator[ErrorSample]:
    """Fewer dims than the tensor has."""
    values = {"self": draw.tensor((2, 3)), "dims": [0]}
    yield ErrorSample(values, "RuntimeError", r"permute: .*\[0\]")


def permute_repeated(draw: Draw) -> Iterator[ErrorSample]:
    """A dim named twice."""
    values = {"self": draw.tensor((2, 3)), "dims": [0, 0]}
    yield ErrorSample(values, "RuntimeError", r"permute: .*\[0, 0\]")


def expand_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """A size that isn't 1 can't change."""
    values = {"self": draw.tensor((2, 3)), "size": [2, 4]}
    yield ErrorSample(values, "RuntimeError", r"expand: .*\[2, 4\].*\[2, 3\]|expand: .*\[2, 3\]")


def expand_lower_rank(draw: Draw) -> Iterator[ErrorSample]:
    """Fewer sizes than dims."""
    values = {"self": draw.tensor((2, 3)), "size": [3]}
    yield ErrorSample(values, "RuntimeError", r"expand: .*")


def index_out_of_range(draw: Draw) -> Iterator[ErrorSample]:
    """An index beyond the size, on both sides."""
    for index in (3, -4):
        values = {"self": draw.tensor((2, 3)), "dim": 1, "index": index}
        yield ErrorSample(values, "IndexError", rf"select: index .*{index}", note=f"index {index}")


def step_not_positive(draw: Draw) -> Iterator[ErrorSample]:
    """A step of zero or below."""
    # Zero is refused by Python's own slice, in its words.
    pattern = r"slice: the step must be greater than zero|slice step cannot be zero"
    for step in (0, -1):
        values = {"self": draw.tensor((4,)), "dim": 0, "step": step}
        yield ErrorSample(values, "ValueError", pattern, note=f"{step=}")


def as_strided_out_of_bounds(draw: Draw) -> Iterator[ErrorSample]:
    """Addresses beyond the storage; sizes whose product overflows; a negative offset."""
    tensor = draw.tensor((2, 3))
    for size, stride, offset in (
        ([7], [1], 0),
        ([2], [1], 5),
        ([2], [2**62], 0),
        ([2], [1], -1),
    ):
        values = {"self": tensor, "size": size, "stride": stride, "storage_offset": offset}
        note = f"{size} by {stride} from {offset}"
        yield ErrorSample(values, "RuntimeError", r"as_strided: .*", note=note)


def as_strided_ranks_differ(draw: Draw) -> Iterator[ErrorSample]:
    """Sizes and strides of different rank."""
    values = {"self": draw.tensor((2, 3)), "size": [2, 3], "stride": [1]}
    yield ErrorSample(values, "RuntimeError", r"as_strided: .*")
