"""Puts a fault behind every public name of one op, and behind nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from .binding import arrange, choose
from .calls import Api, BrokenMutant, Call, Memory, genuine, is_intended
from .mutant import Fault
from .schema import Op
from .traits import gives_list

# The driver makes its tensors by public names too: those calls are not the op under test.
_ADAPTER = "cepheid_conformance_driver.adapter"

_OPERATORS = {
    "add.Tensor": ("__add__", "__radd__", "__iadd__"),
    "sub.Tensor": ("__sub__", "__rsub__", "__isub__"),
    "mul.Tensor": ("__mul__", "__rmul__", "__imul__"),
    "div.Tensor": ("__truediv__", "__rtruediv__", "__itruediv__"),
    "floor_divide": ("__floordiv__", "__rfloordiv__", "__ifloordiv__"),
    "pow.Tensor_Tensor": ("__pow__", "__rpow__", "__ipow__"),
    "bitwise_and.Tensor": ("__and__", "__rand__", "__iand__"),
    "bitwise_or.Tensor": ("__or__", "__ror__", "__ior__"),
    "bitwise_xor.Tensor": ("__xor__", "__rxor__", "__ixor__"),
    "bitwise_left_shift.Tensor": ("__lshift__", "__rlshift__", "__ilshift__"),
    "bitwise_right_shift.Tensor": ("__rshift__", "__rrshift__", "__irshift__"),
    "bitwise_not": ("__invert__",),
    "remainder.Tensor": ("__mod__", "__rmod__", "__imod__"),
    "matmul": ("__matmul__", "__rmatmul__", "__imatmul__"),
    "neg": ("__neg__",),
    "abs": ("__abs__",),
    "eq.Tensor": ("__eq__",),
    "ne.Tensor": ("__ne__",),
    "lt.Tensor": ("__lt__",),
    "le.Tensor": ("__le__",),
    "gt.Tensor": ("__gt__",),
    "ge.Tensor": ("__ge__",),
}


@dataclass(frozen=True)
class _Serves:
    """Which calls of which public name are calls of an internal op."""

    name: str
    overload: str
    when: Callable[[dict[str, Any]], bool]


def _elements_of(loss: str) -> _Serves:
    """The loss without a fold and without a weight of its own."""
    return _Serves(
        loss,
        loss,
        lambda values: values.get("reduction") == "none" and values.get("weight") is None,
    )


def _divergence(log_target: bool) -> _Serves:
    return _Serves(
        "kl_div",
        "kl_div",
        lambda values: (
            values.get("reduction") == "none" and bool(values.get("log_target")) == log_target
        ),
    )


_INTERNAL = {
    "_attention": _Serves(
        "scaled_dot_product_attention",
        "scaled_dot_product_attention",
        lambda values: not values.get("dropout_p"),
    ),
    "_squared_difference": _elements_of("mse_loss"),
    "_smooth_l1": _elements_of("smooth_l1_loss"),
    "_huber": _elements_of("huber_loss"),
    "_hinge_embedding": _elements_of("hinge_embedding_loss"),
    "_margin_ranking": _elements_of("margin_ranking_loss"),
    "_bit_cross_entropy": _elements_of("binary_cross_entropy"),
    "_logit_cross_entropy": _elements_of("binary_cross_entropy_with_logits"),
    "_divergence": _divergence(log_target=False),
    "_log_divergence": _divergence(log_target=True),
    "_soft_margin": _elements_of("soft_margin_loss"),
    "_to_copy": _Serves("to", "to.dtype", lambda values: bool(values.get("copy"))),
    "_local_scalar_dense": _Serves("item", "_local_scalar_dense", lambda values: True),
    "trunc_divide": _Serves(
        "div", "div.Tensor_mode", lambda values: values.get("rounding_mode") == "trunc"
    ),
    "gelu_erf": _Serves("gelu", "gelu", lambda values: values.get("approximate") != "tanh"),
    "gelu_tanh": _Serves("gelu", "gelu", lambda values: values.get("approximate") == "tanh"),
    "logit_of": _Serves("logit", "logit", lambda values: values.get("eps") is None),
    "logit_within": _Serves("logit", "logit", lambda values: values.get("eps") is not None),
}
_INDEXING = ("index.Tensor", "slice.Tensor")


class Installer:
    """Replaces the public names of one op of a module."""

    def __init__(self, module: Any, ops: dict[str, Op], op: Op, fault: Fault) -> None:
        self.api = Api(module)
        self.ops = ops
        self.op = op
        self.fault = fault
        self.memory = Memory()
        self._replaced: list[tuple[Any, str, Any]] = []

    def install(self) -> None:
        """Replace every name by which the op can be called."""
        if self.op.key in _INDEXING:
            self._replace_method("__getitem__", self._indexing())
            return
        serves = _INTERNAL.get(self.op.key)
        name = serves.name if serves else self.op.name
        bound = self.ops[serves.overload] if serves else self.op
        plain = name.removesuffix("_") if "mutates" in bound.tags else name
        if bound.variants & {"function", "out"}:
            self._replace_function(bound)
        if "method" in bound.variants or (serves and serves.name == "item"):
            self._replace_method(name, self._named("method", name))
        if "inplace" in bound.variants and gives_list(bound):
            self.api.functions[f"{plain}_"] = genuine(getattr(self.api.module, f"{plain}_"))
            self._replace(self.api.module, f"{plain}_", self._named("inplace", f"{plain}_"))
        elif "inplace" in bound.variants:
            self._replace_method(f"{plain}_", self._named("inplace", f"{plain}_"))
        for operator in _OPERATORS.get(self.op.key, ()):
            if hasattr(self.api.tensor_type, operator):
                self._replace_method(operator, self._operator(operator))

    def remove(self) -> None:
        """Put the names back."""
        for owner, name, original in self._replaced:
            setattr(owner, name, original)

    def _replace_function(self, op: Op) -> None:
        folder, _, name = op.path.rpartition(".")
        owner = attrgetter(folder)(self.api.module) if folder else self.api.module
        if hasattr(owner, name):
            self.api.functions[op.name] = genuine(getattr(owner, name))
            self._replace(owner, name, self._named("function", op.name))

    def _replace_method(self, name: str, door: Callable[..., Any]) -> None:
        self.api.methods[name] = genuine(getattr(self.api.tensor_type, name))
        self._replace(self.api.tensor_type, name, door)

    def _replace(self, owner: Any, name: str, door: Callable[..., Any]) -> None:
        self._replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, door)

    def _faulty(self, call: Call) -> Any:
        """The call with its fault. An error of the fault's own code must not look like a kill."""
        try:
            return self.fault(call)
        except Exception as error:
            if is_intended(error):
                raise
            raise BrokenMutant(f"{self.op.key}: the fault itself failed") from error

    def _named(self, variant: str, name: str) -> Callable[..., Any]:
        """A function or method: finds out whether a call is for this op."""

        def door(*args: Any, **kwargs: Any) -> Any:
            original = self._original(variant, name)
            if _is_adapter(sys._getframe(1)):
                return original(*args, **kwargs)
            call = self._bound(variant, original, args, dict(kwargs))
            return original(*args, **kwargs) if call is None else self._faulty(call)

        return door

    def _original(self, variant: str, name: str) -> Callable[..., Any]:
        """What a name stands for. In-place ops of lists are functions: no method has a list."""
        function = variant == "function" or gives_list(self.op)
        return self.api.functions[name] if function else self.api.methods[name]

    def _bound(
        self,
        variant: str,
        original: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Call | None:
        out = kwargs.pop("out", None)
        serves = _INTERNAL.get(self.op.key)
        wanted = serves.overload if serves else self.op.key
        name = self.ops[wanted].name
        overloads = [op for op in self.ops.values() if op.name == name]
        found = choose(overloads, args, kwargs, self.api.is_tensor)
        if found is None or found[0].key != wanted:
            return None
        bound, values = found
        if serves and not serves.when(values):
            return None
        if "mutates" in bound.tags:
            variant = "method"

        def carry_out(changes: dict[str, Any]) -> Any:
            extra = {} if out is None else {"out": out}
            if not changes:
                return original(*args, **kwargs, **extra)
            new_args, new_kwargs = arrange(bound, {**values, **changes})
            return original(*new_args, **new_kwargs, **extra)

        outs = out if isinstance(out, (tuple, list)) else () if out is None else (out,)
        return self._call(variant, bound, values, tuple(outs), carry_out)

    def _call(
        self,
        variant: str,
        bound: Op,
        values: dict[str, Any],
        outs: tuple[Any, ...],
        carry_out: Callable[[dict[str, Any]], Any],
    ) -> Call:
        def functional(all_values: dict[str, Any]) -> Any:
            return _functional(self.api, bound, all_values)

        return Call(bound, self.api, variant, values, outs, self.memory, carry_out, functional)

    def _operator(self, operator: str) -> Callable[..., Any]:
        names = [argument.name for argument in self.op.args]
        reflected = operator.startswith("__r") and operator != "__rshift__"
        in_place = operator.startswith("__i")
        variant = "inplace_operator" if in_place else "operator"

        def door(*operands: Any) -> Any:
            original = self.api.methods[operator]
            if _is_adapter(sys._getframe(1)) or not self._are_operands(operands):
                return original(*operands)
            ordered = operands[::-1] if reflected else operands
            values = dict(zip(names, ordered, strict=False))

            def carry_out(changes: dict[str, Any]) -> Any:
                if not changes:
                    return original(*operands)
                if in_place:
                    changed = {**values, **changes}
                    return original(*(changed[name] for name in values))
                return _functional(self.api, self.op, {**values, **changes})

            return self._faulty(self._call(variant, self.op, values, (), carry_out))

        return door

    def _are_operands(self, operands: tuple[Any, ...]) -> bool:
        return all(
            self.api.is_tensor(item) or isinstance(item, (bool, int, float, complex))
            for item in operands
        )

    def _indexing(self) -> Callable[..., Any]:
        """A plain function: a bound method would not become a method of the type."""

        def door(tensor: Any, index: Any) -> Any:
            return self._indexed(tensor, index)

        return door

    def _indexed(self, tensor: Any, index: Any) -> Any:
        original = self.api.methods["__getitem__"]
        items = index if isinstance(index, tuple) else (index,)
        values = self._index_values(tensor, items)
        if values is None or _is_adapter(sys._getframe(2)):
            return original(tensor, index)

        def functional(all_values: dict[str, Any]) -> Any:
            return original(all_values["self"], _index_of(self.op, all_values))

        def carry_out(changes: dict[str, Any]) -> Any:
            return functional({**values, **changes}) if changes else original(tensor, index)

        call = Call(self.op, self.api, "method", values, (), self.memory, carry_out, functional)
        return self._faulty(call)

    def _index_values(self, tensor: Any, items: tuple[Any, ...]) -> dict[str, Any] | None:
        """The schema's arguments of an index expression, if it is one of this op."""
        tensors = any(self.api.is_tensor(item) for item in items)
        if self.op.key == "index.Tensor":
            return {"self": tensor, "indices": list(items)} if tensors else None
        if tensors or not items or not all(isinstance(item, slice) for item in items):
            return None
        *skipped, chosen = items
        if any(item != slice(None) for item in skipped):
            return None
        step = 1 if chosen.step is None else chosen.step
        values = {"dim": len(skipped), "start": chosen.start, "end": chosen.stop, "step": step}
        return {"self": tensor, **values}


def _index_of(op: Op, values: dict[str, Any]) -> Any:
    if op.key == "index.Tensor":
        return tuple(values["indices"])
    chosen = slice(values["start"], values["end"], values["step"])
    return (slice(None),) * values["dim"] + (chosen,)


def _functional(api: Api, op: Op, values: dict[str, Any]) -> Any:
    """The op as a function of its arguments, by its plainest public name."""
    if "mutates" in op.tags:
        values = {**values, "self": api.copy(values["self"])}
    args, kwargs = arrange(op, values)
    if op.variants & {"function", "out"} and (op.module or hasattr(api.module, op.name)):
        return api.function(op.name if op.name in api.functions else op.path)(*args, **kwargs)
    name = "item" if op.key == "_local_scalar_dense" else op.name
    return api.method(name)(*args, **kwargs)


def _is_adapter(frame: Any) -> bool:
    return str(frame.f_globals.get("__name__", "")) == _ADAPTER
