"""How an op is reached through the public API: which name, and which arguments, per variant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .op_spec import OpSpec
from .sample import Sample
from .script import Script
from .tensors import Tensor

# Where the functions of a module are found below the top level.
_MODULES = {"nn": "nn.functional", "nn_grad": "nn.grad", "linalg": "linalg"}
# Python operators that stand for an op, with the in-place operator where there is one.
_OPERATORS = {
    "add.Tensor": "add",
    "sub.Tensor": "sub",
    "mul.Tensor": "mul",
    "div.Tensor": "truediv",
    "floor_divide": "floordiv",
    "neg": "neg",
    "abs": "abs",
    "pow.Tensor_Tensor": "pow",
    "eq.Tensor": "eq",
    "ne.Tensor": "ne",
    "lt.Tensor": "lt",
    "le.Tensor": "le",
    "gt.Tensor": "gt",
    "ge.Tensor": "ge",
    "remainder.Tensor": "mod",
    "bitwise_and.Tensor": "and_",
    "bitwise_or.Tensor": "or_",
    "bitwise_xor.Tensor": "xor",
    "bitwise_left_shift.Tensor": "lshift",
    "bitwise_right_shift.Tensor": "rshift",
    "bitwise_not": "invert",
    "matmul": "matmul",
}
_INPLACE_OPERATORS = {
    "add.Tensor": "iadd",
    "sub.Tensor": "isub",
    "mul.Tensor": "imul",
    "div.Tensor": "itruediv",
    "floor_divide": "ifloordiv",
    "remainder.Tensor": "imod",
    "bitwise_and.Tensor": "iand",
    "bitwise_or.Tensor": "ior",
    "bitwise_xor.Tensor": "ixor",
    "bitwise_left_shift.Tensor": "ilshift",
    "bitwise_right_shift.Tensor": "irshift",
}


@dataclass(frozen=True)
class Call:
    """One encoded call."""

    via: str
    name: str
    args: list[Any]
    kwargs: dict[str, Any]


def variants_of(spec: OpSpec) -> tuple[str, ...]:
    """The variants through which the public API reaches this op, the plainest first."""
    if spec.key in _INTERNAL:
        return ("internal", *tuple(v for v in spec.variants if v == "out"))
    found: list[str] = [v for v in ("function", "method", "inplace", "out") if v in spec.variants]
    if "varargs" in spec.tags:
        found.append("varargs")
    if spec.key in _OPERATORS:
        found.append("operator")
    if spec.key in _INPLACE_OPERATORS and "inplace" in spec.variants:
        found.append("inplace_operator")
    return tuple(found)


def takes_number_first(spec: OpSpec) -> bool:
    """Whether Python's operator serves a number on the left: `3 - x`."""
    return spec.key in _OPERATORS and bool(spec.numbers)


def plain_variant(spec: OpSpec) -> str:
    """The variant that checks use unless they are about variants."""
    return variants_of(spec)[0]


def encode_call(script: Script, spec: OpSpec, sample: Sample, variant: str = "") -> Call:
    """Encode a sample's call by a variant. For `out` the caller adds the keyword itself."""
    variant = variant or plain_variant(spec)
    if variant == "internal" or (variant == "out" and spec.key in _INTERNAL):
        return _INTERNAL[spec.key](script, sample)
    args, kwargs = _schema_order(script, spec, sample)
    if script.device != "cpu" and makes_from_nothing(spec):
        kwargs["device"] = script.encode("same", "Device")
    if variant == "varargs":
        return _separate_integers(spec, args, kwargs)
    if variant in ("function", "out"):
        return Call("function", _public_name(spec), args, kwargs)
    if variant == "method":
        return Call("method", spec.name, args, kwargs)
    if variant == "inplace" and spec.gives_list:
        return Call("function", f"{spec.name}_", args, kwargs)
    if variant == "inplace":
        return Call("method", spec.name if spec.mutates else f"{spec.name}_", args, kwargs)
    table = _INPLACE_OPERATORS if variant == "inplace_operator" else _OPERATORS
    return Call("operator", table[spec.key], args, kwargs)


def _separate_integers(spec: OpSpec, args: list[Any], kwargs: dict[str, Any]) -> Call:
    """`x.view(2, 3)` for `x.view([2, 3])`: a method where there is one."""
    flat = [item for value in args for item in (value if isinstance(value, list) else [value])]
    return Call("method" if "method" in spec.variants else "function", spec.name, flat, kwargs)


def makes_from_nothing(spec: OpSpec) -> bool:
    """Whether the op makes a tensor on the device that it is told."""
    return "factory" in spec.tags and not spec.tensor_args


def _public_name(spec: OpSpec) -> str:
    if spec.module:
        return f"{_MODULES[spec.module]}.{spec.name.removeprefix(f'{spec.module}_')}"
    return "div" if spec.key == "trunc_divide" else spec.name


def _schema_order(script: Script, spec: OpSpec, sample: Sample) -> tuple[list[Any], dict[str, Any]]:
    """Positional arguments as far as they are given without a gap, the rest by keyword."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    positional = True
    for argument in spec.args:
        if argument.name not in sample.values:
            positional = False
            continue
        encoded = script.encode(sample.values[argument.name], argument.type)
        if positional and not argument.kwarg_only:
            args.append(encoded)
        else:
            kwargs[argument.name] = encoded
    return args, kwargs


# Ops without a public name of their own, by the public expression that reaches each.


def _getitem(script: Script, sample: Sample) -> Call:
    receiver = script.encode(sample.values["self"])
    indices = [slice(None) if item is None else item for item in sample.values["indices"]]
    return Call("operator", "getitem", [receiver, script.encode(tuple(indices))], {})


def _getitem_slice(script: Script, sample: Sample) -> Call:
    values = sample.values
    chosen = slice(values.get("start"), values.get("end"), values.get("step", 1))
    self = values["self"]
    dim = values.get("dim", 0)
    dim = dim + len(self.shape) if dim < 0 else dim
    index = (slice(None),) * dim + (chosen,)
    return Call("operator", "getitem", [script.encode(self), script.encode(index)], {})


def _copying_to(script: Script, sample: Sample) -> Call:
    values = dict(sample.values)
    args = [script.encode(values.pop("self")), script.encode(values.pop("dtype"), "ScalarType")]
    kwargs = {"copy": True}
    if values.get("memory_format") is not None:
        kwargs["memory_format"] = script.encode(values["memory_format"], "MemoryFormat")
    return Call("method", "to", args, kwargs)


def _item(script: Script, sample: Sample) -> Call:
    return Call("method", "item", [script.encode(sample.values["self"])], {})


def _trunc_divide(script: Script, sample: Sample) -> Call:
    args = [script.encode(sample.values[name]) for name in ("self", "other")]
    return Call("function", "div", args, {"rounding_mode": "trunc"})


def _gelu(approximate: str) -> Callable[[Script, Sample], Call]:
    def call(script: Script, sample: Sample) -> Call:
        args = [script.encode(sample.values["self"])]
        return Call("function", "nn.functional.gelu", args, {"approximate": approximate})

    return call


def _elements_of(loss: str, **more: Any) -> Callable[[Script, Sample], Call]:
    """The elements of a loss: the loss without a fold. Tensors beyond two go by their names."""

    def call(script: Script, sample: Sample) -> Call:
        values = {name: script.encode(value) for name, value in sample.values.items()}
        args = [values.pop(name) for name in list(values)[:2]]
        kwargs = {**values, **more, "reduction": "none"}
        return Call("function", f"nn.functional.{loss}", args, kwargs)

    return call


def _attention(script: Script, sample: Sample) -> Call:
    values = {name: script.encode(value) for name, value in sample.values.items()}
    return Call("function", "nn.functional.scaled_dot_product_attention", [], values)


def _logit(script: Script, sample: Sample) -> Call:
    return Call("function", "logit", [*map(script.encode, sample.values.values())], {})


_INTERNAL = {
    "_attention": _attention,
    "gelu_erf": _gelu("none"),
    "gelu_tanh": _gelu("tanh"),
    "_squared_difference": _elements_of("mse_loss"),
    "_smooth_l1": _elements_of("smooth_l1_loss"),
    "_huber": _elements_of("huber_loss"),
    "_hinge_embedding": _elements_of("hinge_embedding_loss"),
    "_margin_ranking": _elements_of("margin_ranking_loss"),
    "_bit_cross_entropy": _elements_of("binary_cross_entropy"),
    "_logit_cross_entropy": _elements_of("binary_cross_entropy_with_logits"),
    "_divergence": _elements_of("kl_div"),
    "_log_divergence": _elements_of("kl_div", log_target=True),
    "_soft_margin": _elements_of("soft_margin_loss"),
    "logit_of": _logit,
    "logit_within": _logit,
    "index.Tensor": _getitem,
    "slice.Tensor": _getitem_slice,
    "_to_copy": _copying_to,
    "_local_scalar_dense": _item,
    "trunc_divide": _trunc_divide,
}


def receiver(sample: Sample) -> Tensor:
    """The tensor that a method or an in-place op acts on."""
    (value,) = receivers(sample)
    return value


def receivers(sample: Sample) -> tuple[Tensor, ...]:
    """The same, or all tensors of the list that an in-place op acts on."""
    value = next(iter(sample.values.values()))
    if isinstance(value, list):
        return tuple(value)
    if not isinstance(value, Tensor):
        raise TypeError(f"sample: the receiver must be a tensor; got {type(value).__name__}")
    return (value,)
