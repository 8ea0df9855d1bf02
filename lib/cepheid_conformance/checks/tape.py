"""Call scripts that record a call and ask for its gradients, and what came back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..cells import Cell
from ..dtypes import Array
from ..facts import Report, Result
from ..sample import Sample
from ..script import Ref, Script
from ..slopes import Point
from ..tensors import Tensor
from .common import add_call


class Tape:
    """A script under construction: leaves, a recorded call, gradients of its results."""

    def __init__(self, cell: Cell, sample: Sample, leaves: Sequence[Tensor]) -> None:
        self.cell = cell
        self.sample = sample
        self.leaves = leaves
        self.script = Script(cell.device)
        self.reports = 0
        self.result = -1
        self.result_of_gradients = -1
        self.keys = [self.script.tensor(leaf) for leaf in leaves]

    def call(self, via: str, name: str, *args: Any, **kwargs: Any) -> int:
        """A call with values of the judge; returns the id of what it gives."""
        encoded = [self.script.encode(value) for value in args]
        options = {key: self.script.encode(value) for key, value in kwargs.items()}
        may_fail = bool(options.pop("may_fail", False))
        self.reports += 1
        return self.script.call(via, name, encoded, options, may_fail)

    def need_gradients(self, keys: Sequence[int] | None = None) -> None:
        """From here on the leaves, or some of them, require gradients."""
        for key in self.keys if keys is None else keys:
            self.call("method", "requires_grad_", Ref(key))

    def copy_leaf(self, leaf: Tensor) -> int:
        """Let a copy of the leaf, made by the candidate, take its place: it may be written to."""
        key = self.call("method", "clone", Ref(self.script.made[id(leaf)]))
        self.script.made[id(leaf)] = key
        return key

    def record(self, variant: str = "") -> int:
        """The call itself. What is written to must not be a leaf."""
        if variant in _IN_PLACE or self.cell.spec.mutates:
            for leaf in _written(self.sample, self.leaves):
                self.copy_leaf(leaf)
        self.result = add_call(self.script, self.cell, self.sample, variant)
        self.reports += 1
        return self.reports - 1

    def outputs(self, chosen: Sequence[int]) -> list[Ref]:
        """The results that take part."""
        alone = len(self.cell.spec.returns) == 1 and not self.cell.spec.gives_list
        return [Ref(self.result, None if alone else number) for number in chosen]

    def gradients(
        self, cotangents: Sequence[Tensor | Ref | None], keys: Sequence[int] | None = None,
        **options: Any,
    ) -> int:  # fmt: skip
        """The gradients of the leaves; returns the id of the tuple."""
        chosen = [n for n, v in enumerate(cotangents) if v is not None]
        inputs = [Ref(key) for key in (self.keys if keys is None else keys)]
        given = [cotangents[n] for n in chosen]
        self.result_of_gradients = self.call(
            "function", "autograd.grad", self.outputs(chosen), inputs, given,
            allow_unused=True, **options,
        )  # fmt: skip
        return self.result_of_gradients


_IN_PLACE = ("inplace", "inplace_operator")


def _written(sample: Sample, leaves: Sequence[Tensor]) -> list[Tensor]:
    first = next(iter(sample.values.values()))
    receivers = first if isinstance(first, list) else [first]
    return [leaf for leaf in leaves if any(leaf is item for item in receivers)]


def cotangent_tensors(point: Point) -> list[Tensor | None]:
    """The cotangents as the candidate gets them."""
    found: list[Tensor | None] = []
    for cotangent in point.cotangents:
        found.append(None if cotangent is None else tensor_of(cotangent, point.leaves[0].dtype))
    return found


def tensor_of(values: Array, like: str) -> Tensor:
    """A cotangent of the precision of `like`, real or complex as its values are."""
    real = {"complex128": "float64", "complex64": "float32"}
    imaginary = {"float64": "complex128", "float32": "complex64"}
    table = imaginary if values.dtype.kind == "c" else real
    return Tensor(table.get(like, like), values)


def gradient_arrays(report: Report) -> list[Array | None]:
    """What a call of autograd.grad gave: None where the leaf has no gradient."""
    return [None if value.kind == "NoneType" else value.array() for value in report.values]


def wrong_structure(report: Report, leaves: Sequence[Tensor]) -> tuple[str, str] | None:
    """A gradient has the shape and the dtype of its leaf, and lies where tensors lie."""
    if len(report.values) != len(leaves):
        return "type", f"type: expected {len(leaves)} gradients; got {len(report.values)}"
    for number, (value, leaf) in enumerate(zip(report.values, leaves, strict=True)):
        if value.kind == "NoneType":
            continue
        wrong = _wrong_fact(value, leaf)
        if wrong is not None:
            what, text = wrong
            return what, f"{what} of gradient {number}: {text}"
    return None


def _wrong_fact(value: Result, leaf: Tensor) -> tuple[str, str] | None:
    if value.kind != "tensor":
        return "type", f"expected a tensor; got {value.kind}"
    if value.dtype != leaf.dtype:
        return "dtype", f"expected {leaf.dtype}, that of its tensor; got {value.dtype}"
    if value.shape != leaf.shape:
        return "shape", f"expected {list(leaf.shape)}, that of its tensor; got {list(value.shape)}"
    return None
