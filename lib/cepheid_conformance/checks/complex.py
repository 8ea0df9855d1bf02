"""K10: complex edges (branch cuts, signed zeros, magnitudes whose squares overflow, infinite and
NaN parts) and, where the implementation has them, lazily conjugated and negated operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ..cells import Bench, Cell
from ..doors import encode_call
from ..dtypes import DTYPES, Array, DType
from ..families import expected_of, samples_of
from ..op_spec import OpSpec
from ..sample import Sample
from ..samples.common import repeated, special_complex
from ..script import Ref, Script
from ..tensors import Tensor
from .common import Finding, compare, draw, failure, finding, judge, run_scripts, spread
from .state import STATE_SAMPLES, has_values

KIND = "complex"
NUMBER = "K10"
LEVEL = "must"
DEVICES = ("cpu",)
# Part by part, so that infinite and NaN parts have one right answer.
_BY_PARTS = {"add.Tensor", "sub.Tensor", "eq.Tensor", "ne.Tensor"}
# What an infinite part, or an angle beyond all digits, makes of products and quotients is open.
_OPEN_AT_INFINITY = {"reciprocal", "rsqrt", "square", "sgn", "expm1", "exp2"}
# Powers of the largest and the smallest number: their squares leave the range, they don't.
_EXPONENTS = (0.9, 0.6, 0.3, -0.3, -0.6, -0.9)
_UNITS = np.array([3 + 4j, -4 + 3j, 1 - 1j, 5j, complex(-1, -0.0), complex(0.0, 1), 0.5 + 1e-3j])


def inapplicable(spec: OpSpec, dtype: str) -> str | None:
    """Needs a complex tensor among the inputs."""
    if not DTYPES[dtype].is_complex:
        return "the dtype has one part only"
    return None if spec.tensor_args else "the op takes no tensor"


def check(cell: Cell, bench: Bench) -> list[Finding]:
    """The edges against the oracle; lazy operands against the same call on their values."""
    findings = judge(cell, bench, [*_parts(cell), *_edges(cell)])
    if not cell.spec.mutates and cell.spec.name != "as_strided":  # it addresses the storage
        for feature, lazily in _LAZY.items():
            if feature in bench.capability.features:
                findings += _judge_lazy(cell, bench, feature, lazily)
    return findings


def _parts(cell: Cell) -> Iterator[Sample]:
    """Purely real and purely imaginary operands, with zeros of both signs in the other part."""
    for sample in spread(draw(cell, "small"), STATE_SAMPLES):
        for note, change in (("real only", _real_only), ("imaginary only", _imaginary_only)):
            yield sample.mapped(change, note)


def _real_only(tensor: Tensor) -> Tensor:
    return _with_parts(tensor, tensor.data.real, np.copysign(0.0, tensor.data.real))


def _imaginary_only(tensor: Tensor) -> Tensor:
    return _with_parts(tensor, np.copysign(0.0, tensor.data.real), tensor.data.real)


def _with_parts(tensor: Tensor, real: Array, imag: Array) -> Tensor:
    return (
        tensor.replaced(_assembled(real, imag, tensor.info)) if tensor.info.is_complex else tensor
    )


def _assembled(real: Array, imag: Array, info: DType) -> Array:
    """Arithmetic with 1j would lose signed zeros and infinities."""
    result = np.empty(np.shape(real), info.carrier)
    result.real, result.imag = real, imag
    return result


def _edges(cell: Cell) -> Iterator[Sample]:
    spec, info = cell.spec, DTYPES[cell.dtype]
    names = [argument.name for argument in spec.tensor_args]
    if "pointwise" not in spec.tags:
        return
    plain = names == ["self"] and not any(a.type == "Scalar" for a in spec.args)
    if plain and spec.key not in _OPEN_AT_INFINITY:
        every = repeated(special_complex(info, finite=False))
        yield Sample({"self": Tensor(cell.dtype, every)}, "every pair of special parts")
    if spec.key in _BY_PARTS:
        every = special_complex(info, finite=False)
        other = np.roll(every, 400)
        values = {"self": Tensor(cell.dtype, every), "other": Tensor(cell.dtype, other)}
        yield Sample(values, "special parts against others")
    if spec.key in {*_BY_PARTS, "mul.Tensor", "div.Tensor"}:
        yield from _scales(cell, info)


def _scales(cell: Cell, info: DType) -> Iterator[Sample]:
    """Magnitudes from one end of the range to the other, against each other."""
    part = DTYPES[info.real_name]
    scales = [part.max_value**e if e > 0 else part.tiny**-e for e in _EXPONENTS]
    for one in scales:
        for two in scales:
            reach = {"mul": one * two, "div": one / two}.get(cell.spec.name, 1.0)
            if reach > part.max_value / 100:
                continue  # what parts that cancel become beyond the range is open
            first, second = (grid.ravel() for grid in np.meshgrid(_UNITS * one, _UNITS * two))
            values = {
                "self": Tensor(cell.dtype, first.astype(info.carrier)),
                "other": Tensor(cell.dtype, second.astype(info.carrier)),
            }
            yield Sample(values, f"magnitudes {one:.0e} and {two:.0e}")


def _conjugated(script: Script, tensor: Tensor) -> int | None:
    """A view of the conjugate values that conjugates when it is read."""
    if not tensor.info.is_complex:
        return None
    return script.call("method", "conj", [{"t": script.tensor(_conjugate(tensor))}])


def _conjugate(tensor: Tensor) -> Tensor:
    return tensor.replaced(_assembled(tensor.data.real, -tensor.data.imag, tensor.info))


def _negated(script: Script, tensor: Tensor) -> int | None:
    """The imaginary part of a lazy conjugate: a real view that negates when it is read."""
    pair = {"float32": "complex64", "float64": "complex128"}.get(tensor.dtype)
    if pair is None:
        return None
    data = _assembled(np.ones_like(tensor.data), -tensor.data, DTYPES[pair])
    base = script.tensor(Tensor(pair, data))
    conjugate = script.call("method", "conj", [{"t": base}])
    return script.call("function", "imag", [script.encode(Ref(conjugate))])


Lazily = Callable[[Script, Tensor], "int | None"]
_LAZY: dict[str, Lazily] = {"conj": _conjugated, "neg": _negated}


def _judge_lazy(cell: Cell, bench: Bench, feature: str, lazily: Lazily) -> list[Finding]:
    """Every operand lazy; the result resolved, since it may be lazy too."""
    part = DTYPES[cell.dtype].real_name
    dtype = cell.dtype if feature == "conj" else part
    if dtype not in cell.spec.dtypes["cpu"]:
        return []
    samples, scripts = [], []
    for sample in spread(samples_of(cell.spec, dtype, "small"), STATE_SAMPLES):
        script = Script(cell.device)
        plain = all(t.strides is None and not t.offset for t in sample.tensors())
        if plain and has_values(cell.spec, sample) and _add_lazy(script, cell, sample, lazily):
            samples.append(replace(sample, note=f"{sample.note} lazily {feature}"))
            scripts.append(script)
    found = []
    for sample, script, outcome in zip(samples, scripts, run_scripts(bench, scripts), strict=True):
        wrong = failure(outcome)
        if wrong is None:
            wanted = replace(expected_of(cell.spec, sample)[0], strides=None, offset=None)
            result = outcome.reports[-1].values[0]
            wrong = compare(cell, bench, wanted, result)
        if wrong is not None:
            found.append(finding(script, sample, *wrong, outcome))
    return found


def _add_lazy(script: Script, cell: Cell, sample: Sample, lazily: Lazily) -> bool:
    """Make the operands lazy, call, resolve the first result. False where nothing can be lazy."""
    changed = False
    for tensor in sample.tensors():
        key = lazily(script, tensor)
        if key is not None:
            script.made[id(tensor)] = key
            script.kept.append(tensor)
            changed = True
    call = encode_call(script, cell.spec, sample)
    if sample.seed is not None:
        script.seed(sample.seed)
    result = script.call(call.via, call.name, call.args, call.kwargs)
    several = len(cell.spec.returns) > 1 or cell.spec.gives_list
    place = Ref(result, 0) if several else Ref(result)
    if cell.spec.returns[0].type in ("Tensor", "Tensor[]"):
        for method in ("resolve_conj", "resolve_neg"):
            place = Ref(script.call("method", method, [script.encode(place)]))
    return changed
