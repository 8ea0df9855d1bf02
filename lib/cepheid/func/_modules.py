"""Modules as functions of their parameters and buffers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cepheid import _C

__all__ = ["functional_call", "stack_module_state"]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: dict[str, _C.Tensor] | Sequence[dict[str, _C.Tensor]],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with other tensors in the place of its parameters and buffers, by name.

    Those not named keep their own; the module is as before afterwards. With `tie_weights`, a tensor
    that the module holds under several names is replaced under all of them. With `strict`, names
    that are missing or unknown are an error. `args` is a tuple, or the one argument.
    """
    given = _merged(parameter_and_buffer_dicts)
    called = () if args is None else args if isinstance(args, tuple) else (args,)
    with _swapped(module, given, tie_weights, strict):
        return module(*called, **(kwargs or {}))


def _merged(dicts: Any) -> dict[str, _C.Tensor]:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, list | tuple) or not all(isinstance(d, dict) for d in dicts):
        raise ValueError(
            "functional_call: expected parameter_and_buffer_dicts to be a dict, or a list or tuple"
            f" of dicts; got {type(dicts).__name__}"
        )
    merged: dict[str, _C.Tensor] = {}
    for part in dicts:
        twice = sorted(merged.keys() & part.keys())
        if twice:
            raise ValueError(f"functional_call: {twice} appeared in multiple dictionaries")
        merged.update(part)
    return merged


@contextmanager
def _swapped(
    module: Any, given: dict[str, _C.Tensor], tie_weights: bool, strict: bool
) -> Iterator[None]:
    places = dict(_places(module))
    if strict:
        _check_names(module, given, places)
    wanted = {name: tensor for name, tensor in given.items() if name in places}
    if tie_weights:
        wanted = _tied(places, wanted)
    before = {name: places[name][0][places[name][1]] for name in wanted}
    try:
        for name, tensor in wanted.items():
            held, key = places[name]
            held[key] = tensor
        yield
    finally:
        for name, tensor in before.items():
            held, key = places[name]
            held[key] = tensor


def _places(module: Any) -> Iterator[tuple[str, tuple[dict[str, Any], str]]]:
    """By full name, the dict that holds each parameter and buffer, and its key there."""
    for prefix, child in module.named_modules(remove_duplicate=False):
        start = f"{prefix}." if prefix else ""
        for held in (child._parameters, child._buffers):
            for key, tensor in held.items():
                if tensor is not None:
                    yield start + key, (held, key)


def _check_names(module: Any, given: dict[str, _C.Tensor], places: dict[str, Any]) -> None:
    missing, unknown = sorted(places.keys() - given.keys()), sorted(given.keys() - places.keys())
    if missing or unknown:
        raise RuntimeError(
            f"functional_call: with strict=True the names must be those of {type(module).__name__}:"
            f" missing are {missing}, unexpected {unknown}"
        )


def _tied(places: dict[str, Any], wanted: dict[str, _C.Tensor]) -> dict[str, _C.Tensor]:
    names: dict[int, list[str]] = {}
    for name, (held, key) in places.items():
        names.setdefault(id(held[key]), []).append(name)
    made = dict(wanted)
    for group in names.values():
        tensors = {id(wanted[name]): wanted[name] for name in group if name in wanted}
        if len(tensors) > 1:
            raise ValueError(
                f"functional_call: {group} are one tensor of the module, and got different ones;"
                " give one of them, or tie_weights=False"
            )
        for tensor in tensors.values():
            made.update(dict.fromkeys(group, tensor))
    return made


def stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters and buffers of models of one class, stacked by name, for `vmap` over the models.

    The stacked parameters are leaves that require gradients where the models' do.
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: expected at least one model, got 0")
    if len({model.training for model in models}) != 1:
        raise RuntimeError(
            "stack_module_state: expected all models to have the same training/eval mode; call"
            " train() or eval() on all"
        )
    if len({type(model) for model in models}) != 1:
        raise RuntimeError("stack_module_state: expected all models to be of the same class")
    parameters = [dict(model.named_parameters()) for model in models]
    buffers = [dict(model.named_buffers()) for model in models]
    return _stacked(parameters), _stacked(buffers)


def _stacked(states: list[dict[str, _C.Tensor]]) -> dict[str, _C.Tensor]:
    made = {}
    for name in states[0]:
        tensors = [state[name] for state in states]
        wants = {tensor.requires_grad for tensor in tensors}
        if len(wants) != 1:
            raise RuntimeError(
                f"stack_module_state: expected {name} of all models to have the same requires_grad"
            )
        stacked = _C.functions.stack([tensor.detach() for tensor in tensors])
        made[name] = stacked.requires_grad_(wants.pop())
    return made
