"""Inputs of the ops on lists of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..op_spec import Argument, OpSpec
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor

Shape = tuple[int, ...]

_LISTS: dict[str, tuple[tuple[Shape, ...], ...]] = {
    "small": (((3, 5), (7,)), ((2, 3, 4),), ((5, 2), (4,), (3, 3))),
    "sizes": (((1,), (33,), (257,)), ((1025,), (65, 67))),
    "shapes": (((), (0,), (2, 0, 3)), ((1,), (2, 1, 3))),
    "promotion": (((5,), (2, 3)),),
    "arguments": (((3, 4), (9,)),),
}
_INTEGERS = (2, 3, 1)
_REALS = (0.5, 2.0, 0.25)
# Domains in which the result is well conditioned: of self, and of the last list or tensor.
_DOMAINS = {
    "_foreach_div": ("any", "nonzero"),
    "_foreach_pow": ("positive", "positive"),
    "_foreach_addcdiv": ("any", "nonzero"),
    "_foreach_sqrt": ("positive", ""),
    "_foreach_reciprocal": ("nonzero", ""),
}


def numbers_of(spec: OpSpec, dtype: str, inexact: bool) -> tuple[Any, ...]:
    """Numbers that the dtype holds and the op accepts; a bool has no other factor than itself."""
    if dtype == "bool" and spec.name in ("_foreach_add", "_foreach_mul"):
        return (True, True, False)
    return _REALS if inexact else _INTEGERS


def filled(
    spec: OpSpec,
    shapes: tuple[Shape, ...],
    tensor: Callable[[Shape, str], Tensor],
    numbers: tuple[Any, ...],
) -> dict[str, Any]:
    """A value for each argument without a default."""
    first, last = _DOMAINS.get(spec.name, ("any", "any"))
    tensors = [a.name for a in spec.tensor_args]

    def value(argument: Argument) -> Any:
        domain = last if argument.name == tensors[-1] and len(tensors) > 1 else first
        if argument.type == "Tensor[]":
            return [tensor(shape, domain) for shape in shapes]
        if argument.type == "Scalar[]":
            return [numbers[i % len(numbers)] for i in range(len(shapes))]
        return tensor((), last or first) if argument.type == "Tensor" else numbers[0]

    return {a.name: value(a) for a in spec.args if not a.has_default}


def lists(draw: Draw) -> Iterator[Sample]:
    """Lists of one to three tensors; in the class of promotion every second list has another
    dtype."""
    spec, numbers = draw.spec, numbers_of(draw.spec, draw.dtype, draw.info.is_inexact)
    for shapes in _LISTS.get(draw.kind, ()):
        values = filled(spec, shapes, draw.tensor, numbers)
        note = f"{len(shapes)} of {', '.join(map(str, shapes))}"
        if draw.kind == "arguments":
            yield from _options(draw, values)
        elif draw.kind != "promotion":
            yield Sample(values, note)
        elif spec.key in ("_foreach_add.List", "_foreach_mul.List", "_foreach_sub.List"):
            for dtype in spec.dtypes["cpu"]:
                other = [draw.tensor(shape, "exact", dtype) for shape in shapes]
                yield Sample({**values, "other": other}, f"other {dtype}")


def _options(draw: Draw, values: dict[str, Any]) -> Iterator[Sample]:
    """The arguments that have a default."""
    if draw.dtype == "bool":
        return
    options: dict[str, tuple[Any, ...]] = {"alpha": (2, 0), "value": (2, 0)}
    options["ord"] = (1, 2, 0, 3, float("inf"), float("-inf"))
    if draw.info.is_inexact:
        options["alpha"] = options["value"] = (2, 0.5, 0)
        options["dtype"] = ("complex128",) if draw.info.is_complex else ("float64",)
    for argument in draw.spec.args:
        for value in options.get(argument.name, ()) if argument.has_default else ():
            yield Sample({**values, argument.name: value}, f"{argument.name} {value}")


def uneven_lists(draw: Draw) -> Iterator[ErrorSample]:
    """A list that is shorter than the first."""
    (last, *_) = [a.name for a in reversed(draw.spec.args) if a.type.endswith("[]")]
    numbers = numbers_of(draw.spec, draw.dtype, draw.info.is_inexact)
    values = filled(draw.spec, ((3,), (2,)), draw.tensor, numbers)
    values[last] = values[last][:1]
    yield ErrorSample(values, "RuntimeError", "{op}: lists must be equally long.*2 and 1")


def no_tensors(draw: Draw) -> Iterator[ErrorSample]:
    """Lists without an entry."""
    numbers = numbers_of(draw.spec, draw.dtype, draw.info.is_inexact)
    values = filled(draw.spec, (), draw.tensor, numbers)
    yield ErrorSample(values, "RuntimeError", "{op}: a list must hold a tensor.*empty")
