"""State of modules: what state_dict() holds, how it is loaded, what `to` is given."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from cepheid import _C
from cepheid._C import Tensor
from cepheid.autograd.grad_mode import no_grad
from cepheid.nn.modules import _hooks
from cepheid.nn.parameter import Parameter

if TYPE_CHECKING:
    from cepheid.nn.modules.module import Module

EXTRA_STATE = "_extra_state"
__all__ = [
    "_IncompatibleKeys",
    "load_own",
    "load_state_dict",
    "no_grad",
    "parse_to",
    "save_own",
    "state_dict",
]


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class _IncompatibleKeys(_Keys):
    """Names that load_state_dict didn't find, and those that no module has."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class StateDict(OrderedDict[str, Any]):
    """An OrderedDict with the versions of the modules that it came from."""

    _metadata: dict[str, dict[str, Any]]


def state_dict(
    module: Module, destination: dict[str, Any] | None, prefix: str, keep_vars: bool
) -> dict[str, Any]:
    """The state of a module and of those below; see Module.state_dict."""
    if destination is None:
        destination = StateDict()
        destination._metadata = {}
    metadata = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in _hooks.functions(module, "_state_dict_pre_hooks"):
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(
                destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
            )
    for hook in _hooks.functions(module, "_state_dict_hooks"):
        hook(module, destination, prefix, metadata)
    return destination


def save_own(module: Module, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
    """A module's own parameters, persistent buffers and extra state."""
    for name, tensor in own_state(module).items():
        destination[prefix + name] = tensor if keep_vars else tensor.detach()
    if _has_extra(module):
        destination[prefix + EXTRA_STATE] = module.get_extra_state()


def own_state(module: Module) -> dict[str, Tensor]:
    """Name -> tensor of what state_dict() holds of the module alone."""
    persistent = (
        (name, buffer)
        for name, buffer in module._buffers.items()
        if name not in module._non_persistent_buffers_set
    )
    both = [*module._parameters.items(), *persistent]
    return {name: tensor for name, tensor in both if tensor is not None}


def _has_extra(module: Module) -> bool:
    return not getattr(type(module).get_extra_state, "_is_absent", False)


def load_state_dict(
    module: Module, given: Mapping[str, Any], strict: bool, assign: bool
) -> _IncompatibleKeys:
    """See Module.load_state_dict."""
    if not isinstance(given, Mapping):
        raise TypeError(f"expected state_dict to be dict-like; got {type(given).__name__}")
    metadata = getattr(given, "_metadata", None) or {}
    state = dict(given)
    keys = _IncompatibleKeys([], [])
    errors: list[str] = []
    _load_tree(module, state, "", metadata, strict, assign, keys, errors)
    if strict:
        errors[:0] = _complaints(keys)
    if errors:
        listed = "\n\t".join(errors)
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{listed}"
        )
    return keys


def _complaints(keys: _IncompatibleKeys) -> list[str]:
    pairs = (("Unexpected", keys.unexpected_keys), ("Missing", keys.missing_keys))
    return [
        f"{what} key(s) in state_dict: " + ", ".join(f'"{name}"' for name in names) + "."
        for what, names in pairs
        if names
    ]


def _load_tree(
    module: Module,
    state: dict[str, Any],
    prefix: str,
    metadata: Mapping[str, Any],
    strict: bool,
    assign: bool,
    keys: _IncompatibleKeys,
    errors: list[str],
) -> None:
    local = dict(metadata.get(prefix[:-1], {}))
    if assign:
        local["assign_to_params_buffers"] = True
    module._load_from_state_dict(
        state, prefix, local, True, keys.missing_keys, keys.unexpected_keys, errors
    )
    for name, child in module._modules.items():
        if child is not None:
            below = f"{prefix}{name}."
            part = {key: value for key, value in state.items() if key.startswith(below)}
            _load_tree(child, part, below, metadata, strict, assign, keys, errors)
    for hook in _hooks.functions(module, "_load_state_dict_post_hooks"):
        hook(module, keys)


def load_own(
    module: Module,
    state: dict[str, Any],
    prefix: str,
    metadata: dict[str, Any],
    strict: bool,
    missing: list[str],
    unexpected: list[str],
    errors: list[str],
) -> None:
    """A module's own parameters, persistent buffers and extra state."""
    for hook in _hooks.functions(module, "_load_state_dict_pre_hooks"):
        hook(module, state, prefix, metadata, strict, missing, unexpected, errors)
    assign = metadata.get("assign_to_params_buffers", False)
    for name, target in own_state(module).items():
        key = prefix + name
        if key not in state:
            if strict:
                missing.append(key)
        elif (error := _load_one(module, name, key, target, state[key], assign)) is not None:
            errors.append(error)
    _load_extra(module, state, prefix, strict, missing, unexpected)
    if strict:
        _find_unexpected(module, state, prefix, unexpected)


def _load_one(
    module: Module, name: str, key: str, target: Tensor, source: Any, assign: bool
) -> str | None:
    """Puts one value in place; what is wrong with it otherwise."""
    if not isinstance(source, Tensor):
        return (
            f'While copying the parameter named "{key}", expected a Tensor; got'
            f" {type(source).__name__}"
        )
    if source.shape != target.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {list(source.shape)} from"
            f" checkpoint, the shape in current model is {list(target.shape)}."
        )
    if not assign:
        try:
            with no_grad():
                target.copy_(source)
        except (RuntimeError, TypeError, NotImplementedError) as error:
            return f'While copying the parameter named "{key}": {error}'
        return None
    if isinstance(target, Parameter) and not isinstance(source, Parameter):
        source = Parameter(source, target.requires_grad)
    setattr(module, name, source)
    return None


def _load_extra(
    module: Module,
    state: dict[str, Any],
    prefix: str,
    strict: bool,
    missing: list[str],
    unexpected: list[str],
) -> None:
    key = prefix + EXTRA_STATE
    if _has_extra(module):
        if key in state:
            module.set_extra_state(state[key])
        elif strict:
            missing.append(key)
    elif strict and key in state:
        unexpected.append(key)


def _find_unexpected(
    module: Module, state: dict[str, Any], prefix: str, unexpected: list[str]
) -> None:
    own = own_state(module)
    for key in state:
        if not key.startswith(prefix) or key == prefix + EXTRA_STATE:
            continue
        name, _, below = key[len(prefix) :].partition(".")
        known = name in own if not below else module._modules.get(name) is not None
        if not known:
            unexpected.append(key)


def parse_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool, Any]:
    """(device, dtype, non_blocking, memory_format) of the forms that Module.to takes."""
    options = dict(kwargs)
    device, dtype = options.pop("device", None), options.pop("dtype", None)
    non_blocking = bool(options.pop("non_blocking", False))
    memory_format = options.pop("memory_format", None)
    other = options.pop("tensor", None)
    rest = list(args)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    if other is not None:
        device, dtype = other.device, other.dtype
    elif rest and isinstance(rest[0], str | int | _C.device):
        device = _C.device(rest.pop(0))
    if rest and isinstance(rest[0], _C.dtype):
        dtype = rest.pop(0)
    elif rest and rest[0] is None:
        rest.pop(0)
    if rest and isinstance(rest[0], bool):
        non_blocking = rest.pop(0)
    if rest or options:
        raise TypeError(
            "to: takes a device and/or a dtype, or a tensor, then non_blocking, and"
            f" memory_format=; got {args!r} {kwargs!r}"
        )
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise TypeError(f"to: only a floating or complex dtype is accepted; got {dtype}")
    return device, dtype, non_blocking, memory_format
