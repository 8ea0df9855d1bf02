"""Inputs of the ops on lists of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..dtypes import Array, integer_range
from ..families import samples_of
from ..op_spec import Argument, OpSpec, load_specs
from ..sample import Draw, ErrorSample, Sample
from ..tensors import Tensor
from .common import repeated, special_tensor, special_values

Shape = tuple[int, ...]

_LISTS: dict[str, tuple[tuple[Shape, ...], ...]] = {
    "small": (((3, 5), (7,)), ((2, 3, 4),), ((5, 2), (4,), (3, 3))),
    "sizes": (((1,), (33,), (257,)), ((1025,), (65, 67)), ((2,), (65537,))),
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

# The ops of one tensor whose special values the ops of two lists take.
_OF_ONE = {
    **{f"_foreach_{name}": f"{name}.Tensor" for name in ("add", "sub", "mul", "div")},
    "_foreach_pow": "pow.Tensor_Tensor",
    **dict.fromkeys(("_foreach_maximum", "_foreach_clamp_min"), "maximum"),
    **dict.fromkeys(("_foreach_minimum", "_foreach_clamp_max"), "minimum"),
    **{f"_foreach_{name}": name for name in "abs neg sign sqrt exp reciprocal".split()},
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
    if draw.kind == "special" and draw.info.kind != "bool":
        single = len(spec.args) == 1
        yield from _special(draw) if single or not draw.info.is_complex else ()
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


def _special(draw: Draw) -> Iterator[Sample]:
    """Special values: against each other, with numbers, as one term of several."""
    kinds = [a.type for a in draw.spec.args if not a.has_default]
    names = [a.name for a in draw.spec.args if not a.has_default]
    if len(kinds) > 2 or (draw.spec.name == "_foreach_addcmul" and len(kinds) > 1):
        yield from _special_terms(draw)
    elif draw.spec.name == "_foreach_norm":
        lines = ([np.nan, 1.0], [1.0, -np.inf, 2.0], [0.0, -0.0])
        tensors = [Tensor(draw.dtype, np.array(line, draw.info.carrier)) for line in lines]
        yield Sample({"self": tensors}, "NaN, infinity, zeros")
    elif set(kinds) == {"Tensor[]"}:
        if draw.spec.name == "_foreach_exp" and draw.info.is_complex:
            far = np.array([800 + 2j, 900 - 2j] * 5).astype(draw.info.carrier)
            yield Sample({"self": [Tensor(draw.dtype, far)]}, "real parts beyond exp's range")
        base = load_specs()[_OF_ONE[draw.spec.name]]
        for sample in samples_of(base, draw.dtype, "special"):
            tensors = list(sample.tensors())
            if len(tensors) == len(names):
                values = {name: [t] for name, t in zip(names, tensors, strict=True)}
                yield Sample(values, sample.note)
    elif draw.spec.overload == "ScalarAndTensor" and not draw.info.is_inexact:
        powers = Tensor(draw.dtype, np.array([0, 1, 2, 5, 7, 20, 31, 39, 63], draw.info.carrier))
        for number in (2, 3):
            exponents = powers.replaced(powers.data[:-1] if number == 3 else powers.data)
            yield Sample({"self": number, "exponent": [exponents]}, f"powers of {number}")
    else:
        yield from _special_and_numbers(draw, names, kinds)


def _special_and_numbers(draw: Draw, names: list[str], kinds: list[str]) -> Iterator[Sample]:
    """Special values with one number, or a number for each list's tensor."""
    special, numbers = special_tensor(draw.info), _special_numbers(draw)

    def sample(number: Any) -> Sample:
        values: dict[str, Any] = {}
        for name, kind in zip(names, kinds, strict=True):
            if kind == "Tensor":
                values[name] = Tensor(draw.dtype, np.array(number, draw.info.carrier))
            elif kind == "Scalar[]":
                values[name] = list(numbers)
            elif kind == "Tensor[]":
                values[name] = [special] * (len(numbers) if "Scalar[]" in kinds else 1)
            else:
                values[name] = number
        return Sample(values, f"special values, {number}")

    yield from map(sample, numbers[:1] if "Scalar[]" in kinds else numbers)


def _special_numbers(draw: Draw) -> tuple[Any, ...]:
    """Numbers by which special values stay what they are, and others."""
    name, inexact = draw.spec.name.removeprefix("_foreach_"), draw.info.is_inexact
    low, high = (-np.inf, np.inf) if inexact else integer_range(draw.info)
    if name in ("maximum", "clamp_min"):
        return (low, 0, 1)
    if name in ("minimum", "clamp_max"):
        return (high, 0, 1)
    if name == "pow":
        return (2, 1, 3)
    if name in ("mul", "div"):
        return (1.0, -2.0, 0.0) if inexact else (1, 2, 3)
    return (-0.0, 0.0, 1.0) if inexact else (0, 1, 2)


def _special_terms(draw: Draw) -> Iterator[Sample]:
    """Special values as the first of three operands; the others are small and exact."""
    # Where all terms are zero, at the end too, the result is known exactly.
    special = np.append(repeated(special_values(draw.info)), 0).astype(draw.info.carrier)
    small = [0, -0.0, 1] if draw.info.is_inexact else [0, 0, 1]

    def line(items: list[Any]) -> Tensor:
        data = np.resize(np.array(items, draw.info.carrier), special.shape)
        data[-1] = items[0]
        return Tensor(draw.dtype, data)

    lerp = draw.spec.name == "_foreach_lerp"
    finite: Array = np.where(np.isfinite(special), special, 1) if lerp else special
    first = Tensor(draw.dtype, finite.astype(draw.info.carrier))
    values: dict[str, Any] = {}
    for argument in draw.spec.args:
        if argument.name == "self":
            values["self"] = [first]
        elif argument.name == "tensors1":
            values["tensors1"] = [line([0])]
        elif argument.type == "Tensor[]":
            values[argument.name] = [line([0.25] if lerp else small)]
            small = [1, 2]
        elif not argument.has_default:
            number = 0.25 if lerp else 1
            values[argument.name] = [number] if argument.type == "Scalar[]" else number
    yield Sample(values, "special values first")
    if lerp:
        ends = {"self": [line([1])], "tensors1": [Tensor(draw.dtype, special)]}
        yield Sample({**values, **ends}, "special values last")


def _options(draw: Draw, values: dict[str, Any]) -> Iterator[Sample]:
    """The arguments that have a default."""
    if draw.dtype == "bool":
        return
    options: dict[str, tuple[Any, ...]] = {"alpha": (2, 0), "value": (2, 0)}
    options["ord"] = (1, 2, 0, 3, 2.5, float("inf"), float("-inf"))
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
