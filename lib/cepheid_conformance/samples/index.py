"""Inputs of indexing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..layouts import expanded, stepped, transposed
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import LINE_SIZES, ODD_SHAPES, SMALL_SHAPES, special_tensor, with_dim
from .rearranged import (
    diag,
    diag_embed,
    diag_embed_dims,
    diag_rank,
    diagflat,
    flip,
    flip_dims,
    flip_matrix,
    flip_rank,
    repeat,
    repeat_interleave,
    repeat_interleave_wrong,
    repeat_wrong,
    roll,
    roll_dims,
    rot90,
    rot90_dims,
    tile,
    tile_wrong,
    triangle,
    triangle_rank,
)
from .scatter import (
    embedding,
    embedding_range,
    embedding_weight,
    fill_value_rank,
    index_add,
    index_copy,
    index_fill,
    index_fill_dtype,
    index_fill_range,
    index_lines_dtype,
    index_lines_range,
    index_lines_shape,
    mask_shape,
    masked_select,
    scatter,
    scatter_add,
    scatter_by,
    scatter_dtype,
    scatter_range,
    scatter_rank,
    scatter_reduce,
    scatter_reduce_name,
    scatter_value,
    scatter_value_by,
    take,
    take_along_dim,
    take_along_range,
    take_dtype,
    take_range,
)

__all__ = [
    "diag",
    "diag_embed",
    "diag_embed_dims",
    "diag_rank",
    "diagflat",
    "embedding",
    "embedding_range",
    "embedding_weight",
    "fill_value_rank",
    "flip",
    "flip_dims",
    "flip_matrix",
    "flip_rank",
    "index_add",
    "index_copy",
    "index_fill",
    "index_fill_dtype",
    "index_fill_range",
    "index_lines_dtype",
    "index_lines_range",
    "index_lines_shape",
    "mask_shape",
    "masked_select",
    "repeat",
    "repeat_interleave",
    "repeat_interleave_wrong",
    "repeat_wrong",
    "roll",
    "roll_dims",
    "rot90",
    "rot90_dims",
    "scatter",
    "scatter_add",
    "scatter_by",
    "scatter_dtype",
    "scatter_range",
    "scatter_rank",
    "scatter_reduce",
    "scatter_reduce_name",
    "scatter_value",
    "scatter_value_by",
    "take",
    "take_along_dim",
    "take_along_range",
    "take_dtype",
    "take_range",
    "tile",
    "tile_wrong",
    "triangle",
    "triangle_rank",
]

Shape = tuple[int, ...]
_SHAPES: dict[str, tuple[Shape, ...]] = {
    "small": SMALL_SHAPES,
    "sizes": ((4097,), (33, 129), (1500, 3), (66_000,)),
}

# self and mask; either is repeated along the other.
_MASKED: tuple[tuple[Shape, Shape], ...] = (
    ((3, 4), (4,)),
    ((3, 4), (3, 1)),
    ((4, 4), (4,)),
    ((4, 4), ()),
    ((3, 1), (3, 4)),
    ((1,), (4,)),
    ((), (2, 3)),
    ((2, 1, 3), (5, 1)),
)


def _places(draw: Draw, size: int, shape: Shape, negative: bool = True) -> Tensor:
    """Valid indices of a size, negative ones too."""
    return Tensor("int64", draw.integers(-size if negative else 0, size, shape))


def _mask(draw: Draw, shape: Shape) -> Tensor:
    return Tensor("bool", draw.rng.random(shape) < 0.4)


def _keys(draw: Draw) -> Iterator[tuple[Shape, list[Any], str]]:
    """Shapes with index lists: integers, masks, mixed, with gaps."""
    if draw.kind == "small":
        yield (7,), [_places(draw, 7, (4,))], "one index"
        yield (3, 5), [None, _places(draw, 5, (2, 3))], "second dim"
        yield (7,), [_places(draw, 7, (2, 3, 4))], "an index of rank 3"
        yield (3, 5), [_places(draw, 3, (4,)), _places(draw, 5, (4,))], "pairs"
        yield (2, 3, 4), [_places(draw, 2, (3,)), None, _places(draw, 4, (3,))], "with a gap"
        yield (2, 3, 4), [_places(draw, 2, (2, 1)), _places(draw, 3, (3,))], "broadcast"
        yield (3, 5), [_mask(draw, (3, 5))], "mask"
        yield (3, 5), [None, _mask(draw, (5,))], "mask of the second dim"
        yield (2, 3, 4), [_mask(draw, (2, 3))], "mask of two dims"
    if draw.kind == "sizes":
        for size in LINE_SIZES:
            yield (size,), [_places(draw, size, (size + 3,))], f"{size} of {size}"
            yield (size,), [_mask(draw, (size,))], f"mask of {size}"
        yield (70, 257), [_places(draw, 70, (1100,))], "rows"
        yield (70, 257), [None, _places(draw, 257, (1100,))], "columns"
        if draw.info.itemsize == 1:  # lines that 16 bits don't count
            yield (3, 40_000), [_places(draw, 3, (2,))], "long rows"
    if draw.kind == "shapes":
        yield (3,), [_places(draw, 3, ())], "0-dim index"
        yield (3,), [Tensor("int64", np.zeros((0,), np.int64))], "empty index"
        yield (0, 3), [None, _places(draw, 3, (2,))], "empty self"
        yield (0, 3), [Tensor("int64", np.zeros((0,), np.int64))], "empty self, empty index"
        yield (3, 2), [Tensor("bool", np.zeros((3,), bool))], "mask of nothing"
        yield (1, 2, 1, 2), [None, _places(draw, 2, (2, 2)), None, _places(draw, 2, (1,))], "rank 4"
        for shape in ((1, 2, 1, 2, 2), (1, 2, 1, 1, 2, 1, 1, 1, 2, 1, 1)):
            yield (4,), [_places(draw, 4, shape)], f"an index of rank {len(shape)}"


def index(draw: Draw) -> Iterator[Sample]:
    """Integer and boolean tensors in any places."""
    for shape, indices, note in _keys(draw):
        yield Sample({"self": draw.tensor(shape), "indices": indices}, note)
    if draw.kind == "special" and draw.info.kind != "bool":
        tensor = special_tensor(draw.info)
        values = {"self": tensor, "indices": [_places(draw, tensor.shape[0], (90,))]}
        yield Sample(values, "special values")


def index_put(draw: Draw) -> Iterator[Sample]:
    """Values of the selection's shape and broadcast ones; repeated places when accumulating."""
    for shape, indices, note in _keys(draw):
        if None in indices:
            continue  # index_put by name takes tensors only
        data = np.empty(shape, bool)
        key = tuple(slice(None) if item is None else item.data for item in indices)
        selected = data[key].shape
        # A place written twice may end with either value, so all writes are of one value.
        values = {"self": draw.tensor(shape), "indices": indices}
        yield Sample({**values, "values": draw.tensor(())}, f"{note}, one value")
        if draw.info.kind != "bool" and draw.kind != "sizes":
            values = {"self": draw.tensor(shape), "indices": indices}
            values |= {"values": draw.tensor(selected), "accumulate": True}
            yield Sample(values, f"{note}, accumulated")
    if draw.kind == "special" and draw.info.kind != "bool":
        tensor = special_tensor(draw.info)
        order = Tensor("int64", draw.rng.permutation(tensor.shape[0])[: tensor.shape[0] // 2])
        values = {"self": tensor, "indices": [order]}
        yield Sample({**values, "values": tensor.replaced(tensor.data[::-1][: order.shape[0]])})
    if draw.kind == "arguments":
        values = {"self": draw.tensor((5,)), "indices": [_places(draw, 5, (3,), False)]}
        yield Sample({**values, "values": draw.tensor((1,))}, "broadcast value")
        order = Tensor("int64", draw.rng.permutation(7)[:6].reshape(2, 3))
        rows = replace(draw.tensor((2, 3)), strides=(4, 1), layout="rows padded by one")
        values = {"self": draw.tensor((7,)), "indices": [order], "values": rows}
        yield Sample(values, "values in rows padded by one")


def index_select(draw: Draw) -> Iterator[Sample]:
    """Each dim; repeated and unordered indices."""
    shapes = _SHAPES.get(draw.kind, ())
    if draw.kind == "shapes":
        shapes = ((), (1,), (0, 3), (2, 0), (1, 1), (2, 1, 3))
    if draw.kind == "sizes" and draw.info.itemsize == 1:  # lines that 16 bits don't count
        shapes = (*shapes, (3, 40_000))
    for shape in shapes:
        for dim in with_dim(len(shape)):
            size = shape[dim] if shape else 1
            counts = (2 * size, 0) if draw.kind != "sizes" else (size + 5,)
            for count in counts if shape else (1,):
                chosen = Tensor("int64", draw.integers(0, max(size, 1), (count if size else 0,)))
                values = {"self": draw.tensor(shape), "dim": dim, "index": chosen}
                yield Sample(values, f"{list(shape)}, dim {dim}, {count} indices")
    if draw.kind == "arguments":
        chosen = Tensor("int32", np.array([2, 0], np.int32))
        values = {"self": draw.tensor((3, 2)), "dim": 0, "index": chosen}
        yield Sample(values, "int32 index")


def gather(draw: Draw) -> Iterator[Sample]:
    """Indices as large as self, smaller, and longer along the dim."""
    shapes = _SHAPES.get(draw.kind, ())
    if draw.kind == "shapes":
        shapes = ((), (1,), (0, 3), (1, 1), (2, 1, 3))
    for shape in shapes:
        for dim in with_dim(len(shape)):
            size = shape[dim] if shape else 1
            longer = list(shape)
            if longer:
                longer[dim] = size + 3 if size else 0
            for index_shape in {tuple(shape), tuple(longer), tuple(min(n, 2) for n in shape)}:
                chosen = Tensor("int64", draw.integers(0, max(size, 1), index_shape))
                values = {"self": draw.tensor(shape), "dim": dim, "index": chosen}
                yield Sample(values, f"{list(shape)}, dim {dim}, index {list(index_shape)}")
    if draw.kind == "arguments":
        chosen = Tensor("int32", draw.integers(0, 4, (3, 5)).astype(np.int32))
        yield Sample({"self": draw.tensor((4, 5)), "dim": 0, "index": chosen}, "an int32 index")


def masked_fill(draw: Draw) -> Iterator[Sample]:
    """Masks of the same and of a broadcast shape; the value as the op has it."""
    by_tensor = draw.spec.type_of("value") == "Tensor"
    for sample in _masked_fill(draw):
        value = sample.values["value"]
        data = np.asarray(value).astype(draw.info.carrier)
        made = Tensor(draw.dtype, data) if by_tensor else value
        yield Sample({**sample.values, "value": made}, sample.note)


def _masked_fill(draw: Draw) -> Iterator[Sample]:
    shapes = {"small": SMALL_SHAPES, "shapes": ODD_SHAPES}.get(draw.kind, ())
    if draw.kind == "sizes":
        shapes = tuple((size,) for size in LINE_SIZES)
    for shape in shapes:
        values = {"self": draw.tensor(shape), "mask": _mask(draw, shape), "value": 1}
        yield Sample(values, f"shape {list(shape)}")
    if draw.kind == "broadcast":
        for shape, mask in _MASKED:
            values = {"self": draw.tensor(shape), "mask": _mask(draw, mask), "value": 1}
            yield Sample(values, f"{list(shape)} with mask {list(mask)}")
    if draw.kind == "arguments":
        for value in [0, True, *([-1.5, float("nan")] if draw.info.is_inexact else [])]:
            values = {"self": draw.tensor((9,)), "mask": _mask(draw, (9,)), "value": value}
            yield Sample(values, f"value {value}")


def nonzero(draw: Draw) -> Iterator[Sample]:
    """Zeros among other values; all and none."""
    shapes = {"small": SMALL_SHAPES, "shapes": ODD_SHAPES}.get(draw.kind, ())
    if draw.kind == "sizes":
        shapes = (*((size,) for size in LINE_SIZES), (33, 129))
    for shape in shapes:
        data = np.where(draw.rng.random(shape) < 0.5, 0, draw.tensor(shape).data)
        tensor = Tensor(draw.dtype, np.asarray(data, draw.info.carrier))
        yield Sample({"self": tensor}, f"shape {list(shape)}")
    if draw.kind == "small":
        tensor = Tensor(draw.dtype, np.zeros((3, 4), draw.info.carrier))
        yield Sample({"self": tensor}, "all zero")
        square = Tensor(draw.dtype, np.eye(2).astype(draw.info.carrier))
        yield Sample({"self": square}, "as many places as rows")
    if draw.kind == "special":
        yield Sample({"self": special_tensor(draw.info)}, "special values")


def cat(draw: Draw) -> Iterator[Sample]:
    """Two and three tensors of differing sizes along each dim."""
    shapes = _SHAPES.get(draw.kind, ())
    if draw.kind == "shapes":
        shapes = ((1,), (0, 3), (3, 0), (1, 1), (2, 1, 3), (1, 2, 1, 2, 1, 2))
    for shape in shapes:
        for dim in with_dim(len(shape)):
            other = list(shape)
            other[dim] += 2
            parts = [draw.tensor(shape), draw.tensor(tuple(other)), draw.tensor(shape)]
            yield Sample({"tensors": parts, "dim": dim}, f"{list(shape)}, dim {dim}")
    if draw.kind == "small":
        yield Sample({"tensors": [draw.tensor((3, 2))]}, "one tensor")
        mixed = [transposed(draw.tensor((3, 2))), draw.tensor((1, 2)), stepped(draw.tensor((2, 2)))]
        yield Sample({"tensors": mixed}, "mixed layouts")
        yield Sample({"tensors": [expanded(draw.tensor((3, 2))), draw.tensor((1, 2))]}, "expanded")
    if draw.kind == "promotion":
        for other_dtype in draw.spec.dtypes["cpu"]:
            parts = [draw.tensor((3,), "small"), draw.tensor((2,), "small", other_dtype)]
            yield Sample({"tensors": parts}, f"with {other_dtype}")


# Errors.


def index_tensor_out_of_range(draw: Draw) -> Iterator[ErrorSample]:
    """An index beyond the size, on both sides."""
    for place in (3, -4):
        chosen = Tensor("int64", np.array([0, place]))
        values: dict[str, Any] = {"self": draw.tensor((3, 2)), "indices": [chosen]}
        if draw.spec.name == "index_put":
            values["values"] = draw.tensor(())
        yield ErrorSample(values, "IndexError", rf"index.*: .*{place}.*3", note=f"index {place}")


def index_shapes_differ(draw: Draw) -> Iterator[ErrorSample]:
    """Indices that don't broadcast; a mask of another shape."""
    chosen = [Tensor("int64", np.zeros(size, np.int64)) for size in (2, 3)]
    yield ErrorSample(
        {"self": draw.tensor((3, 3)), "indices": chosen}, "IndexError", r"index.*: .*\[2\].*\[3\]"
    )
    mask = Tensor("bool", np.ones(4, bool))
    values = {"self": draw.tensor((3,)), "indices": [mask]}
    yield ErrorSample(values, "IndexError", r"index.*: .*mask.*\[4\].*\[3\]", note="mask")


def index_wrong_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """A floating index."""
    chosen = draw.tensor((2,), "unit", "float32")
    values = {"self": draw.tensor((3,)), "indices": [chosen]}
    yield ErrorSample(values, "IndexError", r"index.*: .*float32")
    # A mask without values leaves the shape of the result open.
    values = {"self": draw.tensor((3, 4)), "indices": [Tensor("bool", np.ones(3, bool))]}
    pattern = r"index: .*shape of the result.*mask"
    yield ErrorSample(values, "NotImplementedError", pattern, note="mask on meta", device="meta")


def index_put_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """Values of another dtype than self."""
    other = "float32" if draw.dtype != "float32" else "float64"
    chosen = Tensor("int64", np.array([0]))
    values = {
        "self": draw.tensor((3,)),
        "indices": [chosen],
        "values": draw.tensor((), dtype=other),
    }
    pattern = rf"index_put: .*{draw.dtype}.*{other}|index_put: .*{other}.*{draw.dtype}"
    yield ErrorSample(values, "RuntimeError", pattern)


def index_select_range(draw: Draw) -> Iterator[ErrorSample]:
    """An index beyond the size; negative indices aren't counted from the end."""
    for place in (3, -1):
        chosen = Tensor("int64", np.array([0, place]))
        values = {"self": draw.tensor((3, 2)), "dim": 0, "index": chosen}
        yield ErrorSample(
            values,
            "IndexError",
            rf"index_select: .*{place}",
            note=f"{place}",
            also=("RuntimeError",),
        )


def index_select_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """A floating index; an index of rank 2."""
    values = {"self": draw.tensor((3,)), "dim": 0}
    chosen = draw.tensor((2,), "unit", "float32")
    also = ("IndexError",)
    yield ErrorSample(
        {**values, "index": chosen}, "RuntimeError", r"index_select: .*float32", also=also
    )
    chosen = Tensor("int64", np.zeros((1, 1), np.int64))
    yield ErrorSample(
        {**values, "index": chosen}, "IndexError", r"index_select: .*\[1, 1\]", note="rank 2"
    )


def gather_range(draw: Draw) -> Iterator[ErrorSample]:
    """Indices beyond the size; negative indices aren't counted from the end."""
    for place in (3, -1, 4, -2):
        chosen = Tensor("int64", np.array([0, place]))
        values = {"self": draw.tensor((3,)), "dim": 0, "index": chosen}
        yield ErrorSample(
            values, "IndexError", rf"gather: .*{place}", note=f"{place}", also=("RuntimeError",)
        )


def gather_rank(draw: Draw) -> Iterator[ErrorSample]:
    """An index of another rank; an index larger than self in another dim."""
    chosen = Tensor("int64", np.zeros((2,), np.int64))
    values = {"self": draw.tensor((3, 2)), "dim": 0, "index": chosen}
    yield ErrorSample(
        values, "RuntimeError", r"gather: .*dimensions; got self \[3, 2\] and index \[2\]"
    )
    chosen = Tensor("int64", np.zeros((1, 4), np.int64))
    values = {"self": draw.tensor((3, 2)), "dim": 0, "index": chosen}
    yield ErrorSample(
        values,
        "RuntimeError",
        r"gather: .*larger than self.*got self \[3, 2\] and index \[1, 4\]",
        note="too large",
    )


def gather_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """A floating index."""
    chosen = draw.tensor((2,), "unit", "float32")
    values = {"self": draw.tensor((3,)), "dim": 0, "index": chosen}
    yield ErrorSample(values, "RuntimeError", r"gather: .*float32")


def mask_not_bool(draw: Draw) -> Iterator[ErrorSample]:
    """A mask of integers."""
    mask = Tensor("int64", np.array([0, 1, 0]))
    values: dict[str, Any] = {"self": draw.tensor((3,)), "mask": mask}
    value = draw.spec.argument("value")
    if value is not None:
        values["value"] = draw.tensor(()) if value.type == "Tensor" else 1
    yield ErrorSample(values, "RuntimeError", r"{op}: .*bool.*int64")


def fill_not_representable(draw: Draw) -> Iterator[ErrorSample]:
    """A value that the dtype can't hold."""
    mask = Tensor("bool", np.array([False, True, False]))
    values = {"self": draw.tensor((3,)), "mask": mask}
    if draw.info.is_integral and draw.info.itemsize < 8:
        wrong: Any = 2 ** (draw.info.bits + 1)
        yield ErrorSample({**values, "value": wrong}, "RuntimeError", rf"masked_fill: .*{wrong}")
    elif draw.info.is_floating:
        yield ErrorSample({**values, "value": 1 + 2j}, "RuntimeError", r"masked_fill: .*")


def cat_sizes_differ(draw: Draw) -> Iterator[ErrorSample]:
    """Sizes that differ beside the dim; ranks that differ."""
    parts = [draw.tensor((2, 3)), draw.tensor((2, 4))]
    pattern = r"cat: .*\[2, 3\].*\[2, 4\]"
    yield ErrorSample({"tensors": parts, "dim": 0}, "RuntimeError", pattern)
    parts = [draw.tensor((2, 3)), draw.tensor((2,))]
    yield ErrorSample({"tensors": parts, "dim": 0}, "RuntimeError", r"cat: .*", note="ranks")


def cat_nothing(draw: Draw) -> Iterator[ErrorSample]:
    """No tensors."""
    yield ErrorSample({"tensors": []}, "RuntimeError", r"cat: .*", also=("ValueError",))


def dim_out_of_range_list(draw: Draw) -> Iterator[ErrorSample]:
    """A dim beyond the rank of the tensors."""
    for dim in (2, -3):
        parts = [draw.tensor((2, 3)), draw.tensor((2, 3))]
        pattern = rf"cat: dimension out of range .*\[-2, 1\].*got {dim}"
        yield ErrorSample({"tensors": parts, "dim": dim}, "IndexError", pattern, note=f"{dim=}")


# Tensors side by side.


def where_true(draw: Draw) -> Iterator[Sample]:
    """The cases of nonzero."""
    for sample in nonzero(draw):
        yield Sample({"condition": sample.values["self"]}, sample.note)


def stack(draw: Draw) -> Iterator[Sample]:
    """One, two and three tensors along each new dim."""
    shapes = _SHAPES.get(draw.kind, ())
    if draw.kind == "shapes":
        shapes = ((), (1,), (0, 3), (3, 0), (1, 1), (2, 1, 3))
    for number, shape in enumerate(shapes):
        for dim in range(-len(shape) - 1, len(shape) + 1):
            parts = [draw.tensor(shape) for _ in range(1 + (number + dim) % 3)]
            yield Sample({"tensors": parts, "dim": dim}, f"{list(shape)}, dim {dim}")
    if draw.kind == "small":
        mixed = [transposed(draw.tensor((3, 2))), draw.tensor((3, 2)), stepped(draw.tensor((3, 2)))]
        yield Sample({"tensors": mixed}, "mixed layouts")
    if draw.kind == "promotion":
        yield from _promoted(draw)


def _promoted(draw: Draw) -> Iterator[Sample]:
    """Two tensors of one shape, the second of each dtype."""
    for other in draw.spec.dtypes["cpu"]:
        parts = [draw.tensor((2, 3), "small"), draw.tensor((2, 3), "small", other)]
        yield Sample({"tensors": parts}, f"with {other}")


def _beside(draw: Draw, dim: int) -> Iterator[Sample]:
    """Tensors of each rank that differ along the dim on which they are joined."""
    shapes = _SHAPES.get(draw.kind, ())
    if draw.kind == "shapes":
        shapes = ((), (1,), (1, 3), (3, 1), (2, 1, 3))
    for shape in shapes:
        other = list(shape)
        if len(shape) > dim:
            other[dim] += 2
        elif len(shape) == 1 and dim == 1:
            other[0] += 2
        parts = [draw.tensor(shape), draw.tensor(tuple(other)), draw.tensor(shape)]
        yield Sample({"tensors": parts}, f"{list(shape)}")
    if draw.kind == "promotion":
        yield from _promoted(draw)


def hstack(draw: Draw) -> Iterator[Sample]:
    """Along the second dim; vectors along their own."""
    yield from _beside(draw, 1)
    if draw.kind == "small":
        yield Sample({"tensors": [draw.tensor(()), draw.tensor((3,))]}, "a number and a vector")
        yield Sample({"tensors": [draw.tensor((3, 2))]}, "one tensor")


def vstack(draw: Draw) -> Iterator[Sample]:
    """Along the first dim; vectors are rows."""
    for sample in _beside(draw, 0):
        if sample.values["tensors"][0].data.ndim != 1:
            yield sample
    if draw.kind == "small":
        for shapes in (((3,), (2, 3)), ((3,), (3,)), ((), (1,))):
            parts = [draw.tensor(shape) for shape in shapes]
            yield Sample({"tensors": parts}, f"{shapes}")
        yield Sample({"tensors": [draw.tensor((3, 2))]}, "one tensor")
    if draw.kind == "sizes":
        yield Sample({"tensors": [draw.tensor((40_000,)), draw.tensor((40_000,))]}, "long rows")


def stack_sizes_differ(draw: Draw) -> Iterator[ErrorSample]:
    """Sizes that differ; ranks that differ; nothing."""
    for other in ((2, 4), (2,)):
        parts = [draw.tensor((2, 3)), draw.tensor(other)]
        pattern = r"{op}: .*\[1, 2, 3\]"
        yield ErrorSample({"tensors": parts}, "RuntimeError", pattern, note=f"{other}")
    yield ErrorSample({"tensors": []}, "RuntimeError", r"{op}: at least one", note="nothing")


def stack_dim(draw: Draw) -> Iterator[ErrorSample]:
    """A dim beyond the places for a new one."""
    for dim in (2, -3):
        values = {"tensors": [draw.tensor((3,)), draw.tensor((3,))], "dim": dim}
        yield ErrorSample(values, "IndexError", r"{op}: dimension out of range", note=f"{dim}")


def hstack_sizes_differ(draw: Draw) -> Iterator[ErrorSample]:
    """Rows of differing number; nothing."""
    parts = [draw.tensor((2, 3)), draw.tensor((3, 3))]
    yield ErrorSample({"tensors": parts}, "RuntimeError", r"{op}: .*\[2, 3\].*\[3, 3\]")
    yield ErrorSample({"tensors": []}, "RuntimeError", r"{op}: at least one", note="nothing")


def vstack_sizes_differ(draw: Draw) -> Iterator[ErrorSample]:
    """Rows of differing length; nothing."""
    parts = [draw.tensor((2, 3)), draw.tensor((4,))]
    yield ErrorSample({"tensors": parts}, "RuntimeError", r"{op}: .*\[2, 3\].*\[1, 4\]")
    yield ErrorSample({"tensors": []}, "RuntimeError", r"{op}: at least one", note="nothing")
