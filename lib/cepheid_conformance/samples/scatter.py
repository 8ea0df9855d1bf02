"""Inputs of writes to places along a dim, and of what picks single elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..dtypes import integer_range
from ..layouts import padded, stepped, transposed
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import SMALL_SHAPES, special_tensor, with_dim

Shape = tuple[int, ...]
_SHAPES: dict[str, tuple[Shape, ...]] = {
    "small": SMALL_SHAPES,
    "sizes": ((4097,), (33, 129), (1500, 3), (66_000,)),
    "shapes": ((), (1,), (0, 3), (1, 1), (2, 1, 3), (1, 2, 1, 2, 1, 2)),
}


def integers(data: Any, dtype: str = "int64") -> Tensor:
    """Indices that are given."""
    return Tensor(dtype, np.asarray(data, dtype))


def _unique(draw: Draw, size: int, shape: Shape, dim: int) -> Tensor:
    """Places below `size`, none of them twice along the dim."""
    if not shape:
        return integers(0)
    full = list(shape)
    full[dim] = size
    order = np.argsort(draw.rng.random(full), axis=dim)
    return integers(order[tuple(map(slice, shape))])


def _scattered(draw: Draw, unique: bool) -> Iterator[tuple[dict[str, Any], Shape, str]]:
    """self, dim and index: as large as self, smaller, longer along the dim; the index's shape."""
    for shape in _SHAPES.get(draw.kind, ()):
        for dim in with_dim(len(shape)):
            size = shape[dim] if shape else 1
            longer = list(shape)
            if longer and size:
                longer[dim] += 3
            choices = {shape, tuple(min(n, 2) for n in shape)} | ({tuple(longer)} - {()})
            for index_shape in sorted(choices):
                if unique and index_shape != shape and max(index_shape, default=0) > 2:
                    continue
                if unique:
                    chosen = _unique(draw, size, index_shape, dim)
                else:
                    chosen = integers(draw.integers(0, max(size, 1), index_shape))
                values = {"self": draw.tensor(shape), "dim": dim, "index": chosen}
                yield values, index_shape, f"{list(shape)}, dim {dim}, index {list(index_shape)}"


def _extremes(draw: Draw) -> list[Any]:
    """Numbers that no other dtype holds, or that take part in few sums."""
    if draw.info.is_inexact:
        return [-1.5, float("nan"), float("inf")]
    return [] if draw.info.kind == "bool" else list(integer_range(draw.info))


def _added_nothing(draw: Draw, name: str) -> Iterator[dict[str, Any]]:
    """Special values to each of which zero is added."""
    if draw.kind == "special" and draw.info.kind != "bool" and not draw.info.is_complex:
        tensor = special_tensor(draw.info)
        chosen = integers(draw.rng.permutation(tensor.shape[0]))
        nothing = tensor.replaced(np.zeros_like(tensor.data))
        yield {"self": tensor, "dim": 0, "index": chosen, name: nothing}


def _larger(draw: Draw, shape: Shape, number: int, domain: str = "any") -> Tensor:
    """A source of the index's shape, and one larger in every dim, by turns."""
    sizes = tuple(size + number % 2 for size in shape)
    return draw.tensor(sizes, domain)


def _laid_out(values: dict[str, Any], name: str) -> Iterator[Sample]:
    """The operands in layouts of their own."""
    for self, index, other in (
        (transposed, transposed, padded),
        (padded, stepped, transposed),
        (stepped, padded, stepped),
    ):
        changed = {**values, "self": self(values["self"]), "index": index(values["index"])}
        if name in values:
            changed[name] = other(values[name])
        yield Sample(changed, f"self {self.__name__}, index {index.__name__}")


def scatter(draw: Draw) -> Iterator[Sample]:
    """Each place once."""
    for number, (values, shape, note) in enumerate(_scattered(draw, unique=True)):
        yield Sample({**values, "src": _larger(draw, shape, number)}, note)
    if draw.kind == "arguments":
        chosen = _unique(draw, 6, (5, 4), 0)
        values = {"self": draw.tensor((6, 4)), "dim": 0, "index": chosen}
        yield from _laid_out({**values, "src": draw.tensor((5, 4))}, "src")
        narrow = integers([2, 0], "int32")
        values = {"self": draw.tensor((3,)), "dim": 0, "index": narrow}
        yield Sample({**values, "src": draw.tensor((2,))}, "int32 index")
    if draw.kind == "special" and draw.info.kind != "bool":
        tensor = special_tensor(draw.info)
        chosen = _unique(draw, tensor.shape[0], tensor.shape, 0)
        yield Sample({"self": tensor, "dim": 0, "index": chosen, "src": tensor}, "special values")


def scatter_value(draw: Draw) -> Iterator[Sample]:
    """One number to places, some of them twice."""
    for values, _, note in _scattered(draw, unique=False):
        yield Sample({**values, "value": 1}, note)
    if draw.kind == "arguments":
        chosen = integers(draw.integers(0, 6, (5, 4)))
        values = {"self": draw.tensor((6, 4)), "dim": 0, "index": chosen}
        yield from _laid_out({**values, "value": 1}, "src")
        for value in [0, True, *_extremes(draw)]:
            yield Sample({**values, "value": value}, f"value {value}")


def scatter_add(draw: Draw) -> Iterator[Sample]:
    """Several terms for a place."""
    for number, (values, shape, note) in enumerate(_scattered(draw, unique=False)):
        yield Sample({**values, "src": _larger(draw, shape, number)}, note)
    if draw.kind == "arguments":
        chosen = integers(draw.integers(0, 6, (5, 4)))
        values = {"self": draw.tensor((6, 4)), "dim": 0, "index": chosen}
        yield from _laid_out({**values, "src": draw.tensor((5, 4))}, "src")
        narrow = integers([2, 0, 2], "int32")
        values = {"self": draw.tensor((3,)), "dim": 0, "index": narrow}
        yield Sample({**values, "src": draw.tensor((3,))}, "int32 index")
    for values in _added_nothing(draw, "src"):
        yield Sample(values, "special values")


def scatter_by(draw: Draw) -> Iterator[Sample]:
    """Terms added and multiplied."""
    for number, (values, shape, note) in enumerate(_scattered(draw, unique=False)):
        for reduce in ("add", "multiply"):
            src = _larger(draw, shape, number, "exact")
            yield Sample({**values, "src": src, "reduce": reduce}, f"{note}, {reduce}")
    for values in _added_nothing(draw, "src"):
        yield Sample({**values, "reduce": "add"}, "special values")


def scatter_value_by(draw: Draw) -> Iterator[Sample]:
    """One number added and multiplied."""
    for values, _, note in _scattered(draw, unique=False):
        for reduce in ("add", "multiply"):
            value: Any = 2 if draw.info.kind != "bool" else True
            yield Sample({**values, "value": value, "reduce": reduce}, f"{note}, {reduce}")
    if draw.kind == "arguments" and draw.info.is_inexact:
        chosen = integers([1, 1, 0])
        values = {"self": draw.tensor((3,)), "dim": 0, "index": chosen, "value": -0.5}
        yield Sample({**values, "reduce": "multiply"}, "a fraction")
    for values in _added_nothing(draw, "value"):
        yield Sample({**values, "value": 0, "reduce": "add"}, "special values")


def reductions(dtype: str) -> tuple[str, ...]:
    """The ways of scatter_reduce; bools have no mean."""
    ways = ("sum", "prod", "mean", "amax", "amin")
    return tuple(way for way in ways if way != "mean" or dtype != "bool")


def scatter_reduce(draw: Draw) -> Iterator[Sample]:
    """Each way, with and without self's own elements."""
    for number, (values, shape, note) in enumerate(_scattered(draw, unique=False)):
        ways = reductions(draw.dtype)
        chosen = ways if draw.kind == "small" else (ways[number % len(ways)],)
        for reduce in chosen:
            src = _larger(draw, shape, number, "exact")
            given = {**values, "src": src, "reduce": reduce}
            yield Sample(given, f"{note}, {reduce}")
            yield Sample({**given, "include_self": False}, f"{note}, {reduce}, terms only")
    if draw.kind == "special" and draw.info.kind != "bool":
        tensor = special_tensor(draw.info)
        chosen_places = integers(draw.integers(0, 40, tensor.shape))
        for reduce in ("amax", "amin"):
            for own in (True, False):
                values = {"self": tensor, "dim": 0, "index": chosen_places, "src": tensor}
                values |= {"reduce": reduce, "include_self": own}
                yield Sample(values, f"special values, {reduce}, {own}")


# Whole slices.


def _lines(draw: Draw, unique: bool, negative: bool = False) -> Iterator[tuple[Any, Shape, str]]:
    """self, dim and index, and the shape of the slices."""
    for shape in _SHAPES.get(draw.kind, ()):
        for dim in with_dim(len(shape)):
            size = shape[dim] if shape else 1
            counts = (max(size - 1, 1), 0) if unique else (size + 5, 0)
            for count in counts if shape else (1,):
                if size == 0:
                    count = 0
                chosen = draw.rng.permutation(size)[:count]
                if not unique and size:
                    chosen = draw.integers(-size if negative else 0, size, (count,))
                sizes = list(shape)
                if sizes:
                    sizes[dim] = count
                values = {"self": draw.tensor(shape), "dim": dim, "index": integers(chosen)}
                yield values, tuple(sizes), f"{list(shape)}, dim {dim}, {count} indices"


def index_add(draw: Draw) -> Iterator[Sample]:
    """Several slices for a place, times a number."""
    for values, shape, note in _lines(draw, unique=False):
        yield Sample({**values, "source": draw.tensor(shape)}, note)
    if draw.kind == "arguments":
        numbers: list[Any] = [1, 0, True] if draw.info.kind == "bool" else [2, 0, 3]
        if draw.info.is_inexact:
            numbers += [-0.5, 0.1]
        if draw.info.is_complex:
            numbers.append(0.5 - 2j)
        for alpha in numbers:
            values = {"self": draw.tensor((4, 3)), "dim": 0, "index": integers([3, 0, 3])}
            values |= {"source": draw.tensor((3, 3)), "alpha": alpha}
            yield Sample(values, f"alpha {alpha}")
        values = {"self": draw.tensor((4, 3)), "dim": 1, "index": integers([2, 2], "int32")}
        yield Sample({**values, "source": transposed(draw.tensor((4, 2)))}, "int32 index")
    for values in _added_nothing(draw, "source"):
        yield Sample(values, "special values")


def index_copy(draw: Draw) -> Iterator[Sample]:
    """Each place once."""
    for values, shape, note in _lines(draw, unique=True):
        yield Sample({**values, "source": draw.tensor(shape)}, note)
    if draw.kind == "arguments":
        values = {"self": stepped(draw.tensor((4, 3))), "dim": 1, "index": integers([2, 0])}
        yield Sample({**values, "source": transposed(draw.tensor((4, 2)))}, "layouts")
    if draw.kind == "special" and draw.info.kind != "bool":
        tensor = special_tensor(draw.info)
        order = integers(draw.rng.permutation(tensor.shape[0]))
        yield Sample({"self": tensor, "dim": 0, "index": order, "source": tensor})


def index_fill(draw: Draw) -> Iterator[Sample]:
    """Places from both ends, some twice; as the op has it, a number or a tensor of one."""
    by_tensor = draw.spec.type_of("value") == "Tensor"

    def made(value: Any) -> Any:
        return Tensor(draw.dtype, np.asarray(value, draw.info.carrier)) if by_tensor else value

    for values, _, note in _lines(draw, unique=False, negative=True):
        yield Sample({**values, "value": made(1)}, note)
    if draw.kind == "arguments":
        for value in [0, True, *_extremes(draw)]:
            values = {"self": transposed(draw.tensor((4, 3))), "dim": 1, "index": integers([2, 0])}
            yield Sample({**values, "value": made(value)}, f"value {value}")


# Single elements.


def masked_select(draw: Draw) -> Iterator[Sample]:
    """Masks of self's shape, of one that is broadcast, of one that broadcasts self."""
    pairs: tuple[tuple[Shape, Shape], ...] = ()
    if draw.kind in ("small", "sizes"):
        pairs = tuple((shape, shape) for shape in _SHAPES[draw.kind])
    if draw.kind == "broadcast":
        pairs = (((3, 4), (4,)), ((3, 4), (3, 1)), ((4,), (3, 1)), ((), (2, 3)), ((2, 3), ()))
    if draw.kind == "shapes":
        pairs = (((), ()), ((0, 3), (0, 3)), ((1, 1), (1, 1)), ((0, 3), (3,)))
    for shape, mask in pairs:
        chosen = Tensor("bool", np.asarray(draw.rng.random(mask) < 0.5))
        values = {"self": draw.tensor(shape), "mask": chosen}
        yield Sample(values, f"{list(shape)} with mask {list(mask)}")
    if draw.kind == "special":
        tensor = special_tensor(draw.info)
        mask_values = Tensor("bool", draw.rng.random(tensor.shape) < 0.7)
        yield Sample({"self": tensor, "mask": mask_values}, "special values")


def embedding(draw: Draw) -> Iterator[Sample]:
    """Indices of any shape, repeated; narrow and wide rows."""
    shapes: tuple[tuple[Shape, Shape], ...] = ()
    if draw.kind == "small":
        shapes = (((7, 5), (4,)), ((3, 4), (2, 3)), ((5, 1), (2, 2, 2)), ((3, 2), (3,)))
    if draw.kind == "sizes":
        shapes = (((70, 257), (1100,)), ((4097, 3), (33, 40)), ((3, 40_000), (2,)))
    if draw.kind == "shapes":
        shapes = (((3, 4), ()), ((3, 4), (0,)), ((1, 1), (1, 1)), ((3, 0), (2,)), ((0, 3), (0, 2)))
    for weight, indices in shapes:
        chosen = integers(draw.integers(0, max(weight[0], 1), indices))
        yield Sample({"weight": draw.tensor(weight), "indices": chosen}, f"{weight} at {indices}")
    if draw.kind == "arguments":
        chosen = integers([2, 0, 2], "int32")
        yield Sample({"weight": draw.tensor((3, 2)), "indices": chosen}, "int32 indices")
        values = {"weight": transposed(draw.tensor((3, 2))), "indices": integers([[1, 2], [2, 0]])}
        yield Sample({**values, "padding_idx": 1, "scale_grad_by_freq": True}, "options")


def take(draw: Draw) -> Iterator[Sample]:
    """Places of all elements, from both ends."""
    for shape in _SHAPES.get(draw.kind, ()):
        size = int(np.prod(shape))
        for index_shape in ((size + 2,), (2, 3), (), (0,)) if size else ((0,), (2, 0)):
            data = draw.integers(-size, size, index_shape) if size else np.zeros(index_shape)
            values = {"self": draw.tensor(shape), "index": integers(data)}
            yield Sample(values, f"{list(shape)} at {list(index_shape)}")
    if draw.kind == "arguments":
        for layout in (transposed, stepped, padded):
            places = layout(integers(draw.integers(-12, 12, (2, 3))))
            yield Sample({"self": layout(draw.tensor((3, 4))), "index": places}, layout.__name__)


def take_along_dim(draw: Draw) -> Iterator[Sample]:
    """Each dim, broadcast on both sides; no dim."""
    for shape in _SHAPES.get(draw.kind, ()):
        size = int(np.prod(shape))
        if size and draw.kind != "sizes":
            chosen = integers(draw.integers(0, size, (2, 4)))
            yield Sample({"self": draw.tensor(shape), "indices": chosen}, f"{list(shape)}, no dim")
        for dim in with_dim(len(shape)) if shape else ():
            sizes = list(shape)
            sizes[dim] += 2 if size else 0
            chosen = integers(draw.integers(-shape[dim], max(shape[dim], 1), tuple(sizes)))
            values = {"self": draw.tensor(shape), "indices": chosen, "dim": dim}
            yield Sample(values, f"{list(shape)}, dim {dim}")
    if draw.kind == "broadcast":
        for shape, index_shape in (((3, 4), (1, 2)), ((1, 4), (3, 5)), ((2, 1, 3), (1, 4, 1))):
            chosen = integers(draw.integers(0, shape[-1], index_shape))
            values = {"self": draw.tensor(shape), "indices": chosen, "dim": -1}
            yield Sample(values, f"{list(shape)} at {list(index_shape)}")


# Errors.


def _required(draw: Draw, values: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """The values with what else the op needs: a source of the shape or a number, a way."""
    for argument in draw.spec.args:
        if argument.name in ("src", "source"):
            values.setdefault(argument.name, draw.tensor(shape))
        elif argument.name == "value":
            one = Tensor(draw.dtype, np.ones((), draw.info.carrier))
            values.setdefault("value", one if argument.type == "Tensor" else 1)
        elif argument.name == "reduce":
            several = draw.spec.name == "scatter_reduce"
            values.setdefault("reduce", "sum" if several else "add")
    return draw.spec.in_order(values)


def scatter_range(draw: Draw) -> Iterator[ErrorSample]:
    """A place beyond the size behind a valid one, and a negative one: nothing is written."""
    for place in (3, -1):
        chosen = integers([0, place])
        values = _required(draw, {"self": draw.tensor((3,)), "dim": 0, "index": chosen}, (2,))
        pattern = rf"{{op}}: index {place} .*dimension 0 of size 3"
        yield ErrorSample(values, "RuntimeError", pattern, note=f"{place}", also=("IndexError",))
    wide = integers(np.full((2, 40), 1))
    wide.data[1, 37] = 2
    values = _required(draw, {"self": draw.tensor((2, 40)), "dim": 0, "index": wide}, (2, 40))
    pattern = r"{op}: index 2 .*dimension 0 of size 2"
    yield ErrorSample(values, "RuntimeError", pattern, note="late", also=("IndexError",))


def scatter_rank(draw: Draw) -> Iterator[ErrorSample]:
    """An index of another rank; one larger than self, and than the source."""
    values = {"self": draw.tensor((3, 2)), "dim": 0, "index": integers([0, 0])}
    pattern = r"{op}: .*dimensions; got self \[3, 2\]"
    yield ErrorSample(_required(draw, values, (3, 2)), "RuntimeError", pattern, note="rank")
    values = {"self": draw.tensor((3, 2)), "dim": 0, "index": integers([[0] * 4])}
    pattern = r"{op}: .*larger than self.*got self \[3, 2\] and index \[1, 4\]"
    yield ErrorSample(_required(draw, values, (3, 4)), "RuntimeError", pattern, note="self")
    if draw.spec.argument("src") is not None:
        values = {"self": draw.tensor((3, 2)), "dim": 0, "index": integers([[0], [1]])}
        pattern = r"{op}: .*larger than the source.*got source \[1, 2\]"
        yield ErrorSample(_required(draw, values, (1, 2)), "RuntimeError", pattern, note="source")
    values = {"self": draw.tensor((3, 2)), "dim": 2, "index": integers([[0]])}
    pattern = r"{op}: dimension out of range"
    yield ErrorSample(_required(draw, values, (1, 1)), "IndexError", pattern, note="dim")


def scatter_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """A floating index; a source of another dtype."""
    chosen = draw.tensor((2,), "unit", "float32")
    values = {"self": draw.tensor((3,)), "dim": 0, "index": chosen}
    yield ErrorSample(_required(draw, values, (2,)), "RuntimeError", r"{op}: .*float32")
    if draw.spec.argument("src") is not None:
        other = "float32" if draw.dtype != "float32" else "float64"
        values = {"self": draw.tensor((3,)), "dim": 0, "index": integers([0])}
        values["src"] = draw.tensor((1,), dtype=other)
        pattern = rf"{{op}}: .*{draw.dtype}.*{other}"
        yield ErrorSample(_required(draw, values, ()), "RuntimeError", pattern, note="source")


def scatter_reduce_name(draw: Draw) -> Iterator[ErrorSample]:
    """A way that there is not, at all or for bools."""
    values = {"self": draw.tensor((3,)), "dim": 0, "index": integers([0]), "reduce": "median"}
    yield ErrorSample(_required(draw, values, (1,)), "RuntimeError", r"{op}: reduce .*median")
    if draw.spec.name.startswith("scatter_reduce") and draw.dtype == "bool":
        values = {**_required(draw, values, (1,)), "reduce": "mean"}
        pattern = r"{op}: bools .*mean"
        yield ErrorSample(values, "NotImplementedError", pattern, variant="method", note="mean")


def index_lines_range(draw: Draw) -> Iterator[ErrorSample]:
    """A place beyond the size behind a valid one, and a negative one: nothing is written."""
    for place in (3, -1):
        values = {"self": draw.tensor((3, 2)), "dim": 0, "index": integers([0, place])}
        pattern = rf"{{op}}: index {place} .*dimension 0 of size 3"
        also = ("RuntimeError",)
        full = _required(draw, values, (2, 2))
        yield ErrorSample(full, "IndexError", pattern, note=f"{place}", also=also)


def index_lines_shape(draw: Draw) -> Iterator[ErrorSample]:
    """Too few slices; slices of another size; a dim that isn't there."""
    also = ("IndexError",)
    for shape in ((1, 2), (2, 3)):
        values = {"self": draw.tensor((3, 2)), "dim": 0, "index": integers([0, 1])}
        full = _required(draw, values, shape)
        pattern = r"{op}: .*self \[3, 2\].*index \[2\]"
        yield ErrorSample(full, "RuntimeError", pattern, note=str(shape), also=also)
    values = {"self": draw.tensor((3, 2)), "dim": 2, "index": integers([0])}
    full = _required(draw, values, (1, 2))
    yield ErrorSample(full, "IndexError", r"{op}: dimension out of range", note="dim")
    values = {"self": draw.tensor((3, 2)), "dim": 0, "index": integers([[0], [1]])}
    full = _required(draw, values, (2, 2))
    pattern = r"{op}: .*vector; got index \[2, 1\]"
    yield ErrorSample(full, "IndexError", pattern, note="rank 2", also=("RuntimeError",))


def index_lines_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """A floating index; a source of another dtype."""
    chosen = draw.tensor((2,), "unit", "float32")
    values = {"self": draw.tensor((3,)), "dim": 0, "index": chosen}
    also = ("IndexError",)
    full = _required(draw, values, (2,))
    yield ErrorSample(full, "RuntimeError", r"{op}: .*float32", also=also)
    other = "float32" if draw.dtype != "float32" else "float64"
    values = {"self": draw.tensor((3,)), "dim": 0, "index": integers([0])}
    values["source"] = draw.tensor((1,), dtype=other)
    pattern = rf"{{op}}: .*{draw.dtype}.*{other}"
    yield ErrorSample(_required(draw, values, ()), "RuntimeError", pattern, note="source")


def index_fill_range(draw: Draw) -> Iterator[ErrorSample]:
    """A place beyond the size, on both sides, behind a valid one."""
    for place in (3, -4):
        values = {"self": draw.tensor((3, 2)), "dim": 0, "index": integers([0, place])}
        full = _required(draw, values, ())
        pattern = rf"{{op}}: .*{place}.*3"
        also = ("RuntimeError",)
        yield ErrorSample(full, "IndexError", pattern, note=f"{place}", also=also)


def index_fill_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """A floating index; a dim that isn't there; an index of rank 2."""
    chosen = draw.tensor((2,), "unit", "float32")
    values = {"self": draw.tensor((3,)), "dim": 0, "index": chosen}
    full = _required(draw, values, ())
    yield ErrorSample(full, "RuntimeError", r"{op}: .*float32", also=("IndexError",))
    values = {"self": draw.tensor((3,)), "dim": 1, "index": integers([0])}
    full = _required(draw, values, ())
    yield ErrorSample(full, "IndexError", r"{op}: dimension out of range", note="dim")
    values = {"self": draw.tensor((3,)), "dim": 0, "index": integers([[0]])}
    full = _required(draw, values, ())
    pattern = r"{op}: .*vector; got index \[1, 1\]"
    yield ErrorSample(full, "IndexError", pattern, note="rank 2", also=("RuntimeError",))


def fill_value_rank(draw: Draw) -> Iterator[ErrorSample]:
    """A value with a dim."""
    values: dict[str, Any] = {"self": draw.tensor((3,)), "value": draw.tensor((1,))}
    if draw.spec.argument("mask") is not None:
        values["mask"] = Tensor("bool", np.array([False, True, False]))
    else:
        values |= {"dim": 0, "index": integers([0])}
    pattern = r"{op}: value must be .*got value \[1\]"
    yield ErrorSample(draw.spec.in_order(values), "RuntimeError", pattern)


def mask_shape(draw: Draw) -> Iterator[ErrorSample]:
    """A mask that doesn't broadcast."""
    mask = Tensor("bool", np.ones(4, bool))
    values = {"self": draw.tensor((2, 3)), "mask": mask}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*\[2, 3\].*\[4\]")


def embedding_range(draw: Draw) -> Iterator[ErrorSample]:
    """A row that isn't there, on both sides."""
    for place in (3, -1):
        values = {"weight": draw.tensor((3, 2)), "indices": integers([0, place])}
        pattern = rf"{{op}}: index {place} .*size 3"
        also = ("RuntimeError",)
        yield ErrorSample(values, "IndexError", pattern, note=f"{place}", also=also)


def embedding_weight(draw: Draw) -> Iterator[ErrorSample]:
    """A weight that is no matrix; floating indices."""
    for shape in ((3,), (3, 2, 2)):
        values = {"weight": draw.tensor(shape), "indices": integers([0])}
        yield ErrorSample(values, "RuntimeError", r"{op}: .*two dimensions", note=str(shape))
    values = {"weight": draw.tensor((3, 2)), "indices": draw.tensor((1,), "unit", "float32")}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*float32", note="indices")


def take_range(draw: Draw) -> Iterator[ErrorSample]:
    """A place beyond the elements, on both sides; any place of nothing."""
    for place in (6, -7):
        values = {"self": draw.tensor((2, 3)), "index": integers([0, place])}
        also = ("RuntimeError",)
        yield ErrorSample(values, "IndexError", rf"{{op}}: .*{place}", note=f"{place}", also=also)
    values = {"self": draw.tensor((0, 3)), "index": integers([0])}
    yield ErrorSample(values, "IndexError", r"{op}: .*nothing to take", note="empty")


def take_dtype(draw: Draw) -> Iterator[ErrorSample]:
    """A floating index."""
    values = {"self": draw.tensor((3,)), "index": draw.tensor((1,), "unit", "float32")}
    yield ErrorSample(values, "RuntimeError", r"{op}: .*float32")


def take_along_range(draw: Draw) -> Iterator[ErrorSample]:
    """A place beyond the size; another rank; sizes that don't broadcast; a floating index."""
    also = ("IndexError",)
    for place in (3, -4):
        values = {"self": draw.tensor((2, 3)), "indices": integers([[place]]), "dim": 1}
        yield ErrorSample(values, "RuntimeError", rf"{{op}}: .*{place}", note=f"{place}", also=also)
    cases = ((integers([0]), "dimensions"), (integers([[0], [0], [0]]), "broadcast"))
    for indices, words in cases:
        values = {"self": draw.tensor((2, 3)), "indices": indices, "dim": 1}
        yield ErrorSample(values, "RuntimeError", rf"{{op}}: .*{words}", note=words)
    values = {"self": draw.tensor((2, 3)), "indices": integers([6])}
    yield ErrorSample(values, "IndexError", r"{op}: .*6", note="no dim", also=("RuntimeError",))
    values = {"self": draw.tensor((3,)), "indices": draw.tensor((1,), "unit", "float32")}
    yield ErrorSample({**values, "dim": 0}, "RuntimeError", r"{op}: .*float32", also=also)
