"""Inputs of the views: shapes and layouts of self, and the view's arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..layouts import LAYOUTS, padded, shifted, stepped, transposed
from ..oracle.view import expand as expand_oracle
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


def with_ones(draw: Draw) -> Iterator[Sample]:
    """Dims of size 1 among others, in every layout."""
    for tensor in tensors(draw):
        yield Sample({"self": tensor}, _note(tensor))
    if draw.kind == "small":
        for layout in (transposed, stepped, padded):
            tensor = layout(draw.tensor((1, 3, 1, 2)))
            yield Sample({"self": tensor}, _note(tensor))


def squeeze_dims(draw: Draw) -> Iterator[Sample]:
    """None, one and all of the dims, of size 1 or not."""
    for sample in with_ones(draw):
        tensor = sample.values["self"]
        rank = max(len(tensor.shape), 1)
        for dims in ([], [-1], list(range(rank)), list(range(-rank, 0, 2))):
            yield Sample({"self": tensor, "dim": dims}, _note(tensor, f" dims {dims}"))


def narrow(draw: Draw) -> Iterator[Sample]:
    """Ranges at both ends, empty ones and whole ones of each dim."""
    for tensor in tensors(draw):
        for dim in with_dim(len(tensor.shape)) if tensor.shape else ():
            size = tensor.shape[dim]
            inside = ((0, 1), (size - 1, 1), (-1, 1), (1, size - 2), (-size, size - 1))
            for start, length in ((0, size), (size, 0), (-size, size), *inside):
                if length >= 0 and -size <= start and (start % max(size, 1)) + length <= size:
                    values = {"self": tensor, "dim": dim, "start": start, "length": length}
                    yield Sample(values, _note(tensor, f" dim {dim}, {length} from {start}"))


def unflatten(draw: Draw) -> Iterator[Sample]:
    """Each dim as itself, with ones around, in two."""
    for tensor in tensors(draw):
        for dim in with_dim(len(tensor.shape)) if tensor.shape else ():
            size = tensor.shape[dim]
            choices = [[size], [1, size, 1]] + ([[-1], [1, -1]] if size else [])
            choices += [[2, -1], [size // 2, 2]] if size and size % 2 == 0 else []
            for sizes in choices:
                values = {"self": tensor, "dim": dim, "sizes": sizes}
                yield Sample(values, _note(tensor, f" dim {dim} as {sizes}"))


def movedim_int(draw: Draw) -> Iterator[Sample]:
    """Each dim to each place."""
    for tensor in tensors(draw):
        dims = with_dim(len(tensor.shape))
        for source in dims if draw.kind == "shapes" else dims[::2]:
            for destination in dims:
                values = {"self": tensor, "source": source, "destination": destination}
                yield Sample(values, _note(tensor, f" {source} to {destination}"))


def movedim(draw: Draw) -> Iterator[Sample]:
    """None, one, two and all dims moved."""
    for tensor in tensors(draw):
        rank = len(tensor.shape)
        cases: list[tuple[list[int], list[int]]] = [([], [])]
        if rank:
            cases += [([0], [-1]), (list(range(rank)), list(reversed(range(rank))))]
        if rank > 2:
            cases += [([0, 1], [1, 2]), ([-1, 0], [0, 2]), ([2, 1], [0, -1])]
        for source, destination in cases:
            values = {"self": tensor, "source": source, "destination": destination}
            yield Sample(values, _note(tensor, f" {source} to {destination}"))


def two_dims(draw: Draw) -> Iterator[Sample]:
    """transpose by other names of its arguments."""
    names = [argument.name for argument in draw.spec.args]
    for sample in transpose(draw):
        yield Sample(dict(zip(names, sample.values.values(), strict=True)), sample.note)


def _shaped_as(draw: Draw, sample: Sample, shape: tuple[int, ...]) -> Sample:
    """The sample with a tensor of the shape in place of the sizes."""
    return Sample({"self": sample.values["self"], "other": draw.tensor(shape)}, sample.note)


def expand_as(draw: Draw) -> Iterator[Sample]:
    """The cases of expand, by a tensor."""
    for sample in expand(draw):
        shape = expand_oracle(sample.values["self"], sample.values["size"], False).shape
        yield _shaped_as(draw, sample, shape)


def view_as(draw: Draw) -> Iterator[Sample]:
    """The cases of view, by a tensor."""
    for sample in view(draw):
        count = sample.values["self"].data.size
        yield _shaped_as(draw, sample, known_shape(sample.values["size"], count))


def reshape_as(draw: Draw) -> Iterator[Sample]:
    """The cases of reshape, by a tensor."""
    for sample in reshape(draw):
        count = sample.values["self"].data.size
        yield _shaped_as(draw, sample, known_shape(sample.values["shape"], count))


def diagonal(draw: Draw) -> Iterator[Sample]:
    """Diagonals on both sides of the main one, beyond the ends, of each pair of dims."""
    for tensor in tensors(draw):
        rank = len(tensor.shape)
        if rank < 2:
            continue
        for first, second in {(0, 1), (1, 0), (-1, 0), (rank - 2, -1)}:
            for offset in (0, 1, -1, 3, -2, 100, -100):
                values = {"self": tensor, "offset": offset, "dim1": first, "dim2": second}
                yield Sample(values, _note(tensor, f" {offset} of dims {first}, {second}"))


def unfold(draw: Draw) -> Iterator[Sample]:
    """Windows of each length, side by side, overlapping, with gaps."""
    for tensor in tensors(draw):
        for dim in with_dim(len(tensor.shape)):
            have = tensor.shape[dim] if tensor.shape else 1
            for size in sorted({0, 1, have // 2, have} & set(range(have + 1))):
                for step in (1, 2, 100):
                    values = {"self": tensor, "dimension": dim, "size": size, "step": step}
                    yield Sample(values, _note(tensor, f" dim {dim}, {size} by {step}"))


def split(draw: Draw) -> Iterator[Sample]:
    """Parts of one, of lengths that leave a rest, of everything and more."""
    for tensor in tensors(draw):
        for dim in with_dim(len(tensor.shape)) if tensor.shape else ():
            size = tensor.shape[dim]
            for length in sorted({1, 2, max(size - 1, 1), max(size, 1), size + 5, size}):
                values = {"self": tensor, "split_size": length, "dim": dim}
                yield Sample(values, _note(tensor, f" dim {dim} by {length}"))


def split_sizes(draw: Draw) -> Iterator[Sample]:
    """Sizes with zeros among them, equal ones, unequal ones."""
    name = draw.spec.args[1].name
    for tensor in tensors(draw):
        for dim in with_dim(len(tensor.shape)) if tensor.shape else ():
            size = tensor.shape[dim]
            choices = [[size], [0, size, 0], [1] * size]
            choices += [[size - 1, 1], [1, 0, size - 1]] if size else [[]]
            for sizes in choices:
                values = {"self": tensor, name: sizes, "dim": dim}
                yield Sample(values, _note(tensor, f" dim {dim} by {sizes}"))


def chunk(draw: Draw) -> Iterator[Sample]:
    """Numbers of parts that divide the size, that don't, that are too many."""
    for tensor in tensors(draw):
        for dim in with_dim(len(tensor.shape)) if tensor.shape else ():
            for chunks in sorted({1, 2, 3, max(tensor.shape[dim], 1), tensor.shape[dim] + 4}):
                values = {"self": tensor, "chunks": chunks, "dim": dim}
                yield Sample(values, _note(tensor, f" dim {dim} in {chunks}"))


def unbind(draw: Draw) -> Iterator[Sample]:
    """Each dim."""
    for tensor in tensors(draw):
        for dim in with_dim(len(tensor.shape)) if tensor.shape else ():
            yield Sample({"self": tensor, "dim": dim}, _note(tensor, f" dim {dim}"))


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


def dim_repeated(draw: Draw) -> Iterator[ErrorSample]:
    """A dim named twice, from both ends."""
    for dims in ([0, 0], [1, -1]):
        values = {"self": draw.tensor((1, 1)), "dim": dims}
        pattern = rf"{{op}}: .*twice in {re.escape(str(dims))}"
        yield ErrorSample(values, "RuntimeError", pattern, note=str(dims))


def narrow_outside(draw: Draw) -> Iterator[ErrorSample]:
    """A range that ends beyond the size; a negative length; a tensor without dims."""
    tensor = draw.tensor((2, 3))
    for start, length, words in (
        (1, 3, "start 1 and length 3"),
        (-1, 2, "start -1 and length 2"),
        (1, 2**63 - 1, "size 3"),
        (0, -1, "got -1"),
    ):
        values = {"self": tensor, "dim": 1, "start": start, "length": length}
        yield ErrorSample(values, "RuntimeError", rf"{{op}}: .*{words}", note=words)
    values = {"self": draw.tensor(()), "dim": 0, "start": 0, "length": 1}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*without dimensions", note="0-dim")


def narrow_start(draw: Draw) -> Iterator[ErrorSample]:
    """A start beyond the size, on both sides; a dim that isn't there."""
    tensor = draw.tensor((2, 3))
    for start in (4, -4):
        values = {"self": tensor, "dim": 1, "start": start, "length": 0}
        yield ErrorSample(values, "IndexError", rf"{{op}}: start .*got {start}", note=f"{start}")
    values = {"self": tensor, "dim": 2, "start": 0, "length": 1}
    yield ErrorSample(values, "IndexError", r"{op}: dimension out of range", note="dim")


def unflatten_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Sizes of another product; no sizes; a tensor without dims."""
    for sizes in ([4], [-1, 4]):
        values = {"self": draw.tensor((2, 3)), "dim": 1, "sizes": sizes}
        yield ErrorSample(values, "RuntimeError", r"{op}: size .*3 elements", note=str(sizes))
    values = {"self": draw.tensor((2, 3)), "dim": 1, "sizes": []}
    yield ErrorSample(values, "RuntimeError", r"{op}: sizes must not be empty", note="no sizes")
    values = {"self": draw.tensor((2, 3)), "dim": -3, "sizes": [3]}
    yield ErrorSample(values, "IndexError", r"{op}: dimension out of range .*-3", note="dim -3")
    values = {"self": draw.tensor(()), "dim": 0, "sizes": [1]}
    also = ("IndexError",)
    yield ErrorSample(values, "RuntimeError", r"{op}: .*dimensions", note="0-dim", also=also)


def movedim_out_of_range(draw: Draw) -> Iterator[ErrorSample]:
    """A dim beyond the rank on either side of the call."""
    for source, destination in ((2, 0), (0, -3)):
        values = {"self": draw.tensor((2, 3)), "source": source, "destination": destination}
        note = f"{source} to {destination}"
        yield ErrorSample(values, "IndexError", r"{op}: dimension out of range", note=note)


def movedim_lists(draw: Draw) -> Iterator[ErrorSample]:
    """Lists of two lengths; a dim named twice, on either side."""
    for source, destination, words in (
        ([0, 1], [0], "equally long"),
        ([0, -2], [0, 1], "named once"),
        ([0, 1], [1, 1], "named once"),
    ):
        values = {"self": draw.tensor((2, 3)), "source": source, "destination": destination}
        note = f"{source} to {destination}"
        yield ErrorSample(values, "RuntimeError", rf"{{op}}: .*{words}", note=note)
    values = {"self": draw.tensor((2, 3)), "source": [2], "destination": [0]}
    yield ErrorSample(values, "IndexError", r"{op}: dimension out of range", note="dim 2")


def two_dims_out_of_range(draw: Draw) -> Iterator[ErrorSample]:
    """A dim beyond the rank in either place."""
    first, second = (argument.name for argument in draw.spec.args[1:])
    for one, two in ((2, 0), (0, -3)):
        values = {"self": draw.tensor((2, 3)), first: one, second: two}
        pattern = r"{op}: dimension out of range"
        yield ErrorSample(values, "IndexError", pattern, note=f"{one}, {two}")


def expand_as_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Another size where self's isn't 1; fewer dims."""
    for shape in ((2, 4), (3,)):
        values = {"self": draw.tensor((2, 3)), "other": draw.tensor(shape)}
        yield ErrorSample(values, "RuntimeError", r"{op}: .*", note=str(shape))


def broadcast_to_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """Another size where self's isn't 1; fewer dims."""
    for size in ([2, 4], [3]):
        values = {"self": draw.tensor((2, 3)), "size": size}
        pattern = rf"{{op}}: .*{re.escape(str(size))}"
        yield ErrorSample(values, "RuntimeError", pattern, note=str(size))


def as_other_mismatch(draw: Draw) -> Iterator[ErrorSample]:
    """A tensor of another number of elements."""
    values = {"self": draw.tensor((2, 3)), "other": draw.tensor((4,))}
    yield ErrorSample(values, "RuntimeError", r"{op}: size \[4\] .* 6 elements")


def diagonal_dims(draw: Draw) -> Iterator[ErrorSample]:
    """One dim twice; a dim that isn't there."""
    values = {"self": draw.tensor((2, 3)), "dim1": 1, "dim2": -1}
    yield ErrorSample(values, "RuntimeError", r"{op}: dim1 and dim2 must differ; got 1 and -1")
    for first, second in ((2, 0), (0, -3)):
        values = {"self": draw.tensor((2, 3)), "dim1": first, "dim2": second}
        pattern = r"{op}: dimension out of range"
        yield ErrorSample(values, "IndexError", pattern, note=f"{first}, {second}")


def unfold_outside(draw: Draw) -> Iterator[ErrorSample]:
    """A window longer than the dim, or negative; a step of zero; a dim that isn't there."""
    for size, step, words in ((4, 1, "size 4"), (-1, 1, "size -1"), (2, 0, "step"), (2, -1, "-1")):
        values = {"self": draw.tensor((2, 3)), "dimension": 1, "size": size, "step": step}
        yield ErrorSample(values, "RuntimeError", rf"{{op}}: .*{words}", note=f"{size} by {step}")
    values = {"self": draw.tensor((2, 3)), "dimension": 2, "size": 1, "step": 1}
    yield ErrorSample(values, "IndexError", r"{op}: dimension out of range", note="dim 2")
    values = {"self": draw.tensor(()), "dimension": 0, "size": 2, "step": 1}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*size 2", note="0-dim")


def _not_splittable(draw: Draw, rest: dict[str, Any]) -> Iterator[ErrorSample]:
    """A tensor without dims; a dim that isn't there."""
    yield ErrorSample(
        {"self": draw.tensor(()), **rest}, "RuntimeError", r"{op}: .*without dimensions"
    )
    for dim in (2, -3):
        values = {"self": draw.tensor((2, 3)), **rest, "dim": dim}
        yield ErrorSample(values, "IndexError", r"{op}: dimension out of range", note=f"{dim}")


def split_size_wrong(draw: Draw) -> Iterator[ErrorSample]:
    """Parts of nothing, and of less."""
    for size in (0, -1):
        values = {"self": draw.tensor((2, 3)), "split_size": size}
        yield ErrorSample(values, "RuntimeError", rf"{{op}}: .*got {size}", note=f"{size}")
    yield from _not_splittable(draw, {"split_size": 1})


def split_sizes_wrong(draw: Draw) -> Iterator[ErrorSample]:
    """Sizes of another sum; a negative one; a sum that doesn't fit."""
    name = draw.spec.args[1].name
    for sizes in ([1, 3], [1], [4, -1], [2**62, 2**62, 2**62, 2**62, 3]):
        values = {"self": draw.tensor((2, 3)), name: sizes, "dim": 1}
        pattern = rf"{{op}}: .*{re.escape(str(sizes))}"
        yield ErrorSample(values, "RuntimeError", pattern, note=str(sizes))
    yield from _not_splittable(draw, {name: [1]})


def chunks_wrong(draw: Draw) -> Iterator[ErrorSample]:
    """No parts, fewer, and more than can be."""
    for chunks in (0, -1):
        values = {"self": draw.tensor((2, 3)), "chunks": chunks}
        yield ErrorSample(values, "RuntimeError", rf"{{op}}: .*got {chunks}", note=f"{chunks}")
    values = {"self": draw.tensor((0, 3)), "chunks": 2**62}
    pattern = rf"{{op}}: .*got chunks {2**62}"
    yield ErrorSample(values, "RuntimeError", pattern, note="more empty parts than memory has")
    yield from _not_splittable(draw, {"chunks": 1})


def unbind_dim(draw: Draw) -> Iterator[ErrorSample]:
    """A tensor without dims; a dim that isn't there."""
    yield ErrorSample({"self": draw.tensor(())}, "IndexError", r"{op}: .*without dimensions")
    for dim in (2, -3):
        values = {"self": draw.tensor((2, 3)), "dim": dim}
        yield ErrorSample(values, "IndexError", r"{op}: dimension out of range", note=f"{dim}")
