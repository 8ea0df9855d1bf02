"""Which overload a call is for, and its arguments by schema name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .schema import Argument, Op

_NUMBERS = (bool, int, float, complex)


def bind(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """Arguments by name as far as they are given, or None if they don't fit in number."""
    positional = [argument for argument in op.args if not argument.kwarg_only]
    given = list(args)
    values: dict[str, Any] = {}
    for argument in positional:
        if not given:
            break
        if _takes_the_rest(op, argument, given[0]):
            values[argument.name] = given
            given = []
        else:
            values[argument.name] = given.pop(0)
    names = {argument.name for argument in op.args}
    if given or not set(kwargs) <= names - set(values):
        return None
    values.update(kwargs)
    required = {argument.name for argument in op.args if not argument.has_default}
    return values if required <= set(values) else None


def _takes_the_rest(op: Op, argument: Argument, first: Any) -> bool:
    return "varargs" in op.tags and argument.type == "int[]" and type(first) is int


def fits(op: Op, values: dict[str, Any], is_tensor: Callable[[Any], bool]) -> bool:
    """Whether the values are of the types that the schema asks for."""
    types = {argument.name: argument for argument in op.args}
    return all(_fits(types[name], op, value, is_tensor) for name, value in values.items())


def _fits(argument: Argument, op: Op, value: Any, is_tensor: Callable[[Any], bool]) -> bool:
    kind = argument.type
    if kind == "Tensor":
        number = isinstance(value, _NUMBERS) and argument.name in op.numbers
        return is_tensor(value) or number
    if kind.endswith("?") and value is None:
        return True
    kind = kind.removesuffix("?")
    if kind == "Scalar":
        return isinstance(value, _NUMBERS)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "float":
        return isinstance(value, (int, float))
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "int[1]":
        return isinstance(value, (int, list, tuple))
    if "[" in kind:
        return isinstance(value, (list, tuple)) and _holds(kind, value, is_tensor)
    if kind in ("ScalarType", "Device"):
        return type(value).__name__ == {"ScalarType": "dtype", "Device": "device"}[kind]
    return True


def _holds(kind: str, items: Any, is_tensor: Callable[[Any], bool]) -> bool:
    """Whether a list's entries are what tells it from a list of another type."""
    if kind == "Tensor[]":
        return all(map(is_tensor, items))
    return kind != "Scalar[]" or not any(map(is_tensor, items))


def choose(
    overloads: list[Op],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    is_tensor: Callable[[Any], bool],
) -> tuple[Op, dict[str, Any]] | None:
    """The overload that a call is for: the first that fits by type, else by number."""
    bound = [(op, bind(op, args, kwargs)) for op in overloads]
    possible = [(op, values) for op, values in bound if values is not None]
    for op, values in possible:
        if fits(op, values, is_tensor):
            return op, values
    return possible[0] if possible else None


def arrange(op: Op, values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Positional arguments as far as they are given without a gap, the rest by keyword."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    positional = True
    for argument in op.args:
        if argument.name not in values:
            positional = False
        elif positional and not argument.kwarg_only:
            args.append(values[argument.name])
        else:
            kwargs[argument.name] = values[argument.name]
    return args, kwargs
