"""One call of the mutated op, whichever public name it came by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from . import bits
from .schema import Op

IN_PLACE = ("inplace", "inplace_operator")


@dataclass
class Memory:
    """What a faulty kernel remembers between calls."""

    calls: int = 0
    buffers: dict[Any, Any] = field(default_factory=dict)


class BrokenMutant(BaseException):
    """A fault failed by an error of its own. Not an Exception: that would look like a kill."""


def genuine(original: Callable[..., Any]) -> Callable[..., Any]:
    """The callable, marking what it raises as the implementation's own."""

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        except Exception as error:
            intended(error)
            raise

    return called


def intended(error: Exception) -> Exception:
    """Mark an error as one that the caller of the mutant is to see."""
    error.cepheid_mutants_intended = True  # type: ignore[attr-defined]  # our mark on any class
    return error


def is_intended(error: Exception) -> bool:
    """Whether an error bears that mark."""
    return hasattr(error, "cepheid_mutants_intended")


class Api:
    """The implementation as it was before it was mutated."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.tensor_type = module.Tensor
        self.functions: dict[str, Callable[..., Any]] = {}
        self.methods: dict[str, Callable[..., Any]] = {}

    def function(self, name: str) -> Callable[..., Any]:
        """A function of the module by its dotted name, unmutated."""
        return self.functions.get(name) or genuine(attrgetter(name)(self.module))

    def method(self, name: str) -> Callable[..., Any]:
        """A method of Tensor, unmutated, called with the tensor first."""
        return self.methods.get(name) or genuine(getattr(self.tensor_type, name))

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, self.tensor_type)

    def dtype(self, name: str) -> Any:
        return getattr(self.module, name)

    def cast(self, tensor: Any, name: str) -> Any:
        """The tensor in another dtype."""
        return self.method("to")(tensor, self.dtype(name))

    def copy(self, tensor: Any) -> Any:
        """A copy in memory of its own."""
        return self.method("clone")(tensor)

    def blank(self, shape: Iterable[int], name: str, device: Any = "cpu") -> Any:
        """A fresh contiguous tensor, not initialised."""
        return self.function("empty")(list(shape), dtype=self.dtype(name), device=device)

    def filled(self, like: Any, pattern: list[int]) -> Any:
        """A contiguous tensor of the shape and dtype of `like` with these bit patterns."""
        made = self.blank(like.shape, bits.dtype_name(like))
        if bits.has_memory(made):
            bits.write_bits(made, pattern)
        return made


@dataclass
class Call:
    """A call of `op`: its arguments by schema name, and how to carry it out."""

    op: Op
    api: Api
    variant: str
    values: dict[str, Any]
    out: tuple[Any, ...]
    memory: Memory
    carry_out: Callable[[dict[str, Any]], Any]
    functional_of: Callable[[dict[str, Any]], Any]

    def proceed(self, /, **changes: Any) -> Any:
        """The call as it is made, by its own public name, with some arguments changed."""
        return self.carry_out(changes)

    def functional(self, /, **changes: Any) -> Any:
        """The result as a fresh value, whatever the call's own way to deliver it."""
        return self.functional_of({**self.values, **changes})

    @property
    def in_place(self) -> bool:
        return self.variant in IN_PLACE or "mutates" in self.op.tags

    @property
    def delivers(self) -> bool:
        """Whether the result goes into tensors that the caller owns."""
        return self.in_place or bool(self.out)

    @property
    def receiver(self) -> Any:
        return self.values[self.op.args[0].name]

    def inputs(self) -> list[Any]:
        """The tensor arguments, those in lists too."""
        return [
            item
            for value in self.values.values()
            for item in (value if isinstance(value, (list, tuple)) else (value,))
            if self.api.is_tensor(item)
        ]

    def results(self, result: Any) -> list[Any]:
        """The tensors of a result."""
        items = result if isinstance(result, (tuple, list)) else (result,)
        return [item for item in items if self.api.is_tensor(item)]

    def owned(self, result: Any) -> list[Any]:
        """The tensors of a result that are the op's to write: not views of an input."""
        if self.delivers:
            return self.results(result)
        theirs = {item.untyped_storage().data_ptr() for item in self.inputs() if _real(item)}
        return [
            item
            for item in self.results(result)
            if _real(item) and item.untyped_storage().data_ptr() not in theirs
        ]

    def edited(self, edit: Callable[[Any], None]) -> Any:
        """Carry out the call, then edit each tensor that it made or wrote."""
        result = self.proceed()
        for tensor in self.owned(result):
            edit(tensor)
        return result

    def deliver(self, value: Any) -> Any:
        """Give a functional result as the call must: returned, or written where it belongs."""
        if not self.delivers:
            return value
        result = self.proceed()
        for target, source in zip(self.results(result), self.results(value), strict=False):
            pour(source, target)
        return result

    def with_changed(self, /, **changes: Any) -> Any:
        """The right computation on the wrong arguments, delivered rightly."""
        if not self.delivers:
            return self.proceed(**changes)
        return self.deliver(self.functional(**changes))

    def map_inputs(self, change: Callable[[Any], Any]) -> dict[str, Any]:
        """The arguments with every tensor changed."""

        def apply(value: Any) -> Any:
            if self.api.is_tensor(value):
                return change(value)
            if isinstance(value, (list, tuple)) and any(map(self.api.is_tensor, value)):
                return type(value)(apply(item) for item in value)
            return value

        return {name: apply(value) for name, value in self.values.items()}


def _real(tensor: Any) -> bool:
    return str(tensor.device) == "cpu"


def pour(source: Any, target: Any) -> None:
    """Write the elements of one tensor into another of its shape and dtype."""
    same = list(source.shape) == list(target.shape) and source.dtype == target.dtype
    if same and bits.has_memory(target):
        bits.write_bits(target, bits.read_bits(source))
