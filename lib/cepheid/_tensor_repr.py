"""Printing: a tensor as text, in the form that PyTorch documents.

Numbers share one width and one style (integer-valued, fixed or scientific), chosen from the finite
non-zero values shown. More than `threshold` elements are cut to `edgeitems` at each end of every
dimension.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cepheid import _C

if TYPE_CHECKING:
    from cepheid import Tensor

_ELLIPSIS = " ..."


class PrintOptions(NamedTuple):
    """What `set_printoptions` sets."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print.

    `profile` ("default", "short" or "full") sets all but `sci_mode`; the other arguments then
    override it. `sci_mode` None chooses scientific notation by the values.
    """
    global _options
    if profile is not None and profile not in _PROFILES:
        raise ValueError(
            f"set_printoptions: profile must be one of {', '.join(_PROFILES)}; got {profile!r}"
        )
    base = _options if profile is None else _PROFILES[profile]
    given: dict[str, Any] = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    _options = base._replace(sci_mode=sci_mode, **changes)


def get_printoptions() -> dict[str, object]:
    """The options in force, by name."""
    return _options._asdict()


class _Style(NamedTuple):
    """How every number of one tensor is written."""

    width: int
    write: Callable[[float], str]

    def format(self, value: float) -> str:
        return self.write(value).rjust(self.width)


def _integer_valued(value: float) -> str:
    return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"


def _float_style(values: Sequence[float], options: PrintOptions) -> _Style:
    shown = [v for v in values if math.isfinite(v) and v != 0]
    if not shown:
        return _Style(1, _integer_valued)
    smallest, largest = min(map(abs, shown)), max(map(abs, shown))
    integers = all(v == math.floor(v) for v in shown)
    scientific = largest / smallest > 1000 or largest > 1e8 or (not integers and smallest < 1e-4)
    if options.sci_mode is not None:
        scientific = options.sci_mode
    fixed = f".{options.precision}{'e' if scientific else 'f'}"

    def write(value: float) -> str:
        return format(value, fixed)

    chosen = _integer_valued if integers and not scientific else write
    return _Style(max(len(chosen(v)) for v in shown), chosen)


def _exact_style(values: Sequence[float], options: PrintOptions) -> _Style:
    return _Style(max((len(str(v)) for v in values), default=0), str)


class _Formatter:
    """Writes the elements of one tensor at one width."""

    def __init__(self, values: Sequence[Any], dtype: _C.dtype, options: PrintOptions) -> None:
        self.complex = dtype.is_complex
        if self.complex:
            self.real = _float_style([v.real for v in values], options)
            self.imag = _float_style([v.imag for v in values], options)
            self.width = self.real.width + self.imag.width + 1
        else:
            style = _float_style if dtype.is_floating_point else _exact_style
            self.real = style(values, options)
            self.width = self.real.width

    def format(self, value: complex) -> str:
        if not isinstance(value, complex):
            return self.real.format(value)
        imag = self.imag.format(value.imag).lstrip()
        sign = "" if imag[0] in "+-" else "+"
        return f"{self.real.format(value.real)}{sign}{imag}j"


_Nested = Any


def _shown_values(tensor: Tensor, edge: int) -> _Nested:
    """The values to print as nested lists, cut to `edge` at each end, with a mark in the gap."""
    if tensor.dim() == 0:
        return tensor.item()
    size = tensor.size(0)
    cut = size > 2 * edge
    if tensor.dim() == 1:
        if not cut:
            return tensor.tolist()
        return [*tensor[:edge].tolist(), _ELLIPSIS, *tensor[size - edge :].tolist()]
    kept = [*range(edge), *range(size - edge, size)] if cut else range(size)
    rows: list[_Nested] = [_shown_values(tensor[i], edge) for i in kept]
    return [*rows[:edge], _ELLIPSIS, *rows[edge:]] if cut else rows


def _flatten(nested: _Nested) -> list[complex]:
    if isinstance(nested, list):
        return [value for part in nested for value in _flatten(part)]
    return [] if isinstance(nested, str) else [nested]


def _write_line(values: list[_Nested], indent: int, formatter: _Formatter, linewidth: int) -> str:
    per_line = max(1, (linewidth - indent) // (formatter.width + 2))
    words = [v if isinstance(v, str) else formatter.format(v) for v in values]
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _write(nested: _Nested, dims: int, indent: int, formatter: _Formatter, linewidth: int) -> str:
    if not isinstance(nested, list):
        return formatter.format(nested)
    if dims == 1:
        return _write_line(nested, indent, formatter, linewidth)
    parts = [
        "..." if isinstance(part, str) else _write(part, dims - 1, indent + 1, formatter, linewidth)
        for part in nested
    ]
    return "[" + ("," + "\n" * (dims - 1) + " " * (indent + 1)).join(parts) + "]"


def _has_values(tensor: Tensor) -> bool:
    """Not on the meta device, and not a wrapper whose values are another object's."""
    return tensor.device.type != "meta" and "Python" not in _C._dispatch_keys(tensor)


def _suffixes(tensor: Tensor) -> list[str]:
    meta = not _has_values(tensor)
    empty = tensor.numel() == 0
    suffixes = []
    if tensor.device.type != "cpu":
        suffixes.append(f"device='{tensor.device}'")
    if meta or (empty and tensor.dim() != 1):
        suffixes.append(f"size={tuple(tensor.shape)}")
    default = _C.get_default_dtype()
    usual = {default, default.to_complex()}
    if not empty or meta:
        usual |= {_C.int64, _C.bool} if not meta else set()
    if tensor.dtype not in usual:
        suffixes.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return suffixes


def _join_suffixes(text: str, suffixes: list[str], indent: int, linewidth: int) -> str:
    last = len(text) - text.rfind("\n") + 1  # of the last line, with the text that closes it
    for suffix in suffixes:
        if last + len(suffix) + 2 > linewidth:
            text += ",\n" + " " * indent + suffix
            last = indent + len(suffix)
        else:
            text += ", " + suffix
            last += len(suffix) + 2
    return text + ")"


def tensor_repr(tensor: Tensor) -> str:
    """`repr(tensor)`: the values, and what they don't show (device, size of empty ones, dtype)."""
    options = _options
    kind = type(tensor)
    name = "tensor" if kind is _C.Tensor else getattr(kind, "_printed_as", kind.__name__)
    prefix = f"{name}("
    indent = len(prefix)
    if not _has_values(tensor):
        body = "..."
    elif tensor.numel() == 0:
        body = "[]"
    else:
        plain = tensor.detach()
        edge = options.edgeitems if tensor.numel() > options.threshold else tensor.numel()
        nested = _shown_values(plain, edge)
        formatter = _Formatter(_flatten(nested), tensor.dtype, options)
        body = _write(nested, tensor.dim(), indent, formatter, options.linewidth)
    return _join_suffixes(prefix + body, _suffixes(tensor), indent, options.linewidth)
