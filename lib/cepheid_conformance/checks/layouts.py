"""K8: layouts and offsets: transposed, stepped, shifted, padded, expanded, overlapping reads."""

from __future__ import annotations

from collections.abc import Iterator

from ..cells import Bench, Cell
from ..doors import receiver
from ..layouts import LAYOUTS, WRITABLE
from ..op_spec import OpSpec
from ..sample import Sample
from .common import Finding, draw, judge

KIND = "layouts"
NUMBER = "K8"
LEVEL = "must"
DEVICES = ("cpu",)


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs a tensor to lay out."""
    if not spec.tensor_args:
        return "the op takes no tensor"
    if spec.is_view:
        return "the layouts of views are samples of the op itself"
    return None


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """Every small sample in every layout: all operands alike, then each operand on its own."""
    return judge(cell, bench, laid_out(cell))


def laid_out(cell: Cell) -> Iterator[Sample]:
    """The small samples in other layouts."""
    # Expanding a mask changes how many elements it selects, and with it the other arguments.
    selects = any(argument.type == "Tensor?[]" for argument in cell.spec.args)
    layouts = WRITABLE if cell.spec.mutates or selects else LAYOUTS
    for sample in draw(cell, "small"):
        tensors = list(sample.tensors())
        for layout in layouts:
            changed = [layout(tensor) for tensor in tensors]
            if all(new is old for new, old in zip(changed, tensors, strict=True)):
                continue
            note = next(new.layout for new in changed if new.layout != "contiguous")
            yield sample.mapped(layout, note)
            if len(tensors) > 1:
                only = tensors[-1] if not cell.spec.mutates else receiver(sample)
                yield sample.mapped(
                    lambda tensor, layout=layout, only=only: (  # type: ignore[misc]
                        layout(tensor) if tensor is only else tensor
                    ),
                    f"{note}, one operand only",
                )
