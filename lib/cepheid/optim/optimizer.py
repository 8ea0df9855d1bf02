"""Optimizer: groups of parameters with options, a state for each parameter, and `step`."""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from itertools import chain
from typing import Any

from cepheid import _C
from cepheid._C import Tensor
from cepheid.autograd.grad_mode import enable_grad, no_grad
from cepheid.utils.hooks import RemovableHandle

__all__ = ["Optimizer", "required"]

Group = dict[str, Any]
Closure = Callable[[], Any]
_HOOKS = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


class _Required:
    """Stands for an option without a default."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


class Optimizer:
    """What optimisers share. `params` are tensors, (name, tensor) pairs, or dicts of options with
    `params`, one for each group; `defaults` are the options of groups that don't give theirs.

    A subclass defines `step`; the hooks that were registered for it run around every call.
    """

    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]

    def __init__(self, params: Iterable[Any], defaults: Group) -> None:
        self.defaults = defaults
        self._make_hooks()
        self.state: defaultdict[Tensor, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self._opt_called = False
        if isinstance(params, Tensor):
            raise TypeError(
                f"{type(self).__name__}: params must be an iterable of tensors or dicts; got a"
                f" {type(params).__name__}, put it in a list"
            )
        groups = list(params)
        if not groups:
            raise ValueError(
                f"{type(self).__name__}: optimizer got an empty parameter list; give it at least"
                " one parameter"
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(dict(group))

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "step" in cls.__dict__:
            cls.step = _between_hooks(cls.__dict__["step"])  # type: ignore[method-assign]

    def _make_hooks(self) -> None:
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())

    def step(self, closure: Closure | None = None) -> Any:
        """Changes the parameters once; `closure` computes the loss anew and returns it."""
        raise NotImplementedError(f"{type(self).__name__}: a subclass must define step")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients, or sets them to zero where they are."""
        for group in self.param_groups:
            for param in group["params"]:
                grad = param.grad
                if grad is None:
                    continue
                if set_to_none:
                    param.grad = None
                    continue
                param.grad = grad.detach().zero_()

    # ---- groups

    def add_param_group(self, param_group: Group) -> None:
        """Adds a group: a dict of options with `params`; what it doesn't say is as by default."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params, names = _listed(param_group["params"])
        param_group["params"] = params
        if names is not None:
            param_group["param_names"] = names
        for param in params:
            self._check_param(param)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required option {name}"
                )
            param_group.setdefault(name, default)
        if len({id(param) for param in params}) != len(params):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; it changes them"
                " twice a step",
                stacklevel=3,
            )
        mine = {id(param) for group in self.param_groups for param in group["params"]}
        if not mine.isdisjoint(map(id, params)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def _check_param(self, param: Any) -> None:
        if not isinstance(param, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is"
                f" {type(param).__name__}"
            )
        if not self.defaults.get("differentiable") and not (param.is_leaf or param.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor; give the leaves that it is made of")

    # ---- state

    def state_dict(self) -> dict[str, Any]:
        """{"state": by number of the parameter, "param_groups": options, `params` as numbers}."""
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(param)] for param in group["params"]]
            groups.append(packed)
        state = {
            numbers[id(key)] if isinstance(key, Tensor) else key: value
            for key, value in self.state.items()
        }
        made: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in list(self._optimizer_state_dict_post_hooks.values()):
            made = _kept(hook(self, made), made)
        return made

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what `state_dict` of an optimiser with groups of the same sizes gave."""
        state_dict = dict(state_dict)
        for hook in list(self._optimizer_load_state_dict_pre_hooks.values()):
            state_dict = _kept(hook(self, state_dict), state_dict)
        mine, given = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(mine) != len(given):
            raise ValueError(
                "loaded state dict has a different number of parameter groups:"
                f" {len(given)}, and this optimizer {len(mine)}"
            )
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(mine, given, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of"
                " optimizer's group"
            )
        numbers = chain.from_iterable(group["params"] for group in given)
        params = chain.from_iterable(group["params"] for group in mine)
        by_number = dict(zip(numbers, params, strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = _cast(by_number[key], value)
            else:
                state[key] = value
        for old, new in zip(mine, given, strict=True):
            new["params"] = old["params"]
            if "param_names" in old and "param_names" not in new:
                new["param_names"] = old["param_names"]
        self.__setstate__({"state": state, "param_groups": given})
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("defaults", "state", "param_groups")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()
        self.__dict__.setdefault("_opt_called", False)
        for group in self.param_groups:
            for name, default in self.defaults.items():
                group.setdefault(name, default)

    # ---- hooks

    def _register(self, kind: str, hook: Any, prepend: bool = False) -> RemovableHandle:
        hooks: OrderedDict[int, Any] = self.__dict__[kind]
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_step_pre_hook(self, hook: Any) -> RemovableHandle:
        """hook(optimizer, args, kwargs) runs before step and may return other (args, kwargs);
        args[0] is the optimizer."""
        return self._register("_optimizer_step_pre_hooks", hook)

    def register_step_post_hook(self, hook: Any) -> RemovableHandle:
        """hook(optimizer, args, kwargs) runs after step."""
        return self._register("_optimizer_step_post_hooks", hook)

    def register_state_dict_pre_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """hook(optimizer) runs before state_dict()."""
        return self._register("_optimizer_state_dict_pre_hooks", hook, prepend)

    def register_state_dict_post_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """hook(optimizer, state_dict) runs after state_dict() and may return another."""
        return self._register("_optimizer_state_dict_post_hooks", hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Any, prepend: bool = False
    ) -> RemovableHandle:
        """hook(optimizer, state_dict) runs before loading and may return another state."""
        return self._register("_optimizer_load_state_dict_pre_hooks", hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Any, prepend: bool = False
    ) -> RemovableHandle:
        """hook(optimizer) runs after loading."""
        return self._register("_optimizer_load_state_dict_post_hooks", hook, prepend)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] * (number > 0) + [f"Parameter Group {number}"]
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def _kept(given: Any, before: Any) -> Any:
    return before if given is None else given


def _listed(params: Any) -> tuple[list[Any], list[str] | None]:
    """Parameters as a list, and their names if they have any."""
    if isinstance(params, Tensor):
        return [params], None
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of"
            " tensors in sets will change between runs. Please use a list instead."
        )
    listed = list(params)
    named = [isinstance(param, tuple) for param in listed]
    if not any(named):
        return listed, None
    if not all(named):
        raise ValueError(
            "all optimizer params should be with/without names; some names are missing"
        )
    return [param for _, param in listed], [name for name, _ in listed]


def _between_hooks(step: Any) -> Any:
    """A subclass's `step` with the hooks around it."""

    @functools.wraps(step)
    def wrapped(self: Optimizer, *given: Any, **kwargs: Any) -> Any:
        args: tuple[Any, ...] = (self, *given)
        for hook in list(self._optimizer_step_pre_hooks.values()):
            other = hook(self, args, kwargs)
            if other is None:
                continue
            if not isinstance(other, tuple) or len(other) != 2:
                raise RuntimeError(
                    f"{type(self).__name__}: a step pre-hook must return None or (args, kwargs);"
                    f" got {other!r}"
                )
            args, kwargs = other
        result = step(*args, **kwargs)
        self._opt_called = True
        for hook in list(self._optimizer_step_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    return wrapped


def _cast(param: Tensor, value: Any, key: str | None = None) -> Any:
    """Loaded state to the parameter's device and, but for counts of steps, its dtype."""
    if isinstance(value, Tensor):
        if key == "step":
            return value.to("cpu", _C._dtypes()["float32"]) if value.device.type != "cpu" else value
        return (
            value.to(param.device, param.dtype)
            if param.is_floating_point()
            else value.to(param.device)
        )
    if isinstance(value, Mapping):
        return {name: _cast(param, item, name) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_cast(param, item) for item in value)
    return value


class ListOptimizer(Optimizer):
    """An optimiser that changes all parameters of a group by functions of lists of tensors.

    A subclass defines `_new_state`, and `_update` of the parameters that have gradients.
    """

    def _new_state(self, param: Tensor, group: Group) -> dict[str, Any]:
        """What is remembered of a parameter before its first step."""
        return {}

    def _update(
        self, group: Group, params: list[Tensor], grads: list[Tensor], states: list[dict[str, Any]]
    ) -> None:
        raise NotImplementedError

    def step(self, closure: Closure | None = None) -> Any:
        """Changes every parameter that has a gradient; returns the closure's loss, else None."""
        loss = None if closure is None else enable_grad()(closure)()
        with no_grad():
            for group in self.param_groups:
                self._step_group(group)
        return loss

    def _step_group(self, group: Group) -> None:
        params, grads, states = [], [], []
        for param in group["params"]:
            grad = param.grad
            if grad is None:
                continue
            state = self.state.get(param)
            if not state:
                state = self._new_state(param, group)
                if state:
                    self.state[param] = state
            params.append(param)
            grads.append(grad)
            states.append(state)
        if params:
            self._update(group, params, grads, states)
