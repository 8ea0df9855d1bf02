"""Module: a tree of parameters and buffers with a `forward`, the base of every layer."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from cepheid import _C
from cepheid._C import Tensor
from cepheid.nn.modules import _hooks, _state
from cepheid.nn.parameter import Buffer, Parameter
from cepheid.utils.hooks import RemovableHandle

__all__ = ["Module"]

Self = TypeVar("Self", bound="Module")
_REGISTRIES = ("_parameters", "_buffers", "_modules")


class Module:
    """A layer or a model: assigning a Parameter, a Module or (registered) a buffer makes it a part.

    Subclasses call `super().__init__()` first and define `forward`; calling the module runs hooks
    around it. Names of parts are those of the attributes, joined by dots down the tree.
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _version = 1

    def __init__(self) -> None:
        set_plain = super().__setattr__
        set_plain("training", True)
        for registry in _REGISTRIES:
            set_plain(registry, {})
        set_plain("_non_persistent_buffers_set", set())
        for name in _hooks.KINDS:
            set_plain(name, OrderedDict())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; defined by each subclass."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """`forward`, between the hooks registered for it."""
        parts = self.__dict__
        if (
            parts["_forward_pre_hooks"] or parts["_forward_hooks"]
            or parts["_backward_pre_hooks"] or parts["_backward_hooks"]
        ):  # fmt: skip
            return _hooks.call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    # ---- parts

    def __setattr__(self, name: str, value: Any) -> None:
        registries = self.__dict__.get("_parameters")
        if isinstance(value, Parameter):
            self._check_made("parameters", name)
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._check_made("modules", name)
            self._forget(name, "_modules")
            self._modules[name] = value
        elif isinstance(value, Buffer) and registries is not None:
            self._forget(name, "_buffers")
            self.register_buffer(name, value, getattr(value, "persistent", True))
        elif registries is not None and name in self._parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign {type(value).__name__} as parameter '{name}'; assign a"
                    " Parameter or None, or delete the parameter first"
                )
            self._parameters[name] = None
        elif registries is not None and name in self._modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign {type(value).__name__} as child module '{name}'; assign a"
                    " Module or None, or delete the module first"
                )
            self._modules[name] = None
        elif registries is not None and name in self._buffers:
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign {type(value).__name__} as buffer '{name}'; assign a Tensor or"
                    " None, or delete the buffer first"
                )
            self._buffers[name] = value
        else:
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        for registry in _REGISTRIES:
            parts = self.__dict__.get(registry)
            if parts is not None and name in parts:
                return parts[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for registry in _REGISTRIES:
            if name in self.__dict__[registry]:
                del self.__dict__[registry][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        parts = itertools.chain.from_iterable(self.__dict__[r] for r in _REGISTRIES)
        names = {*super().__dir__(), *parts}
        return sorted(name for name in names if not name[0].isdigit())

    def _check_made(self, what: str, name: str) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError(
                f"cannot assign {what} ('{name}') before Module.__init__() was called;"
                " call super().__init__() first"
            )

    def _forget(self, name: str, kept: str) -> None:
        """Takes a name out of the plain attributes and of every registry but the one it is for."""
        self.__dict__.pop(name, None)
        for registry in _REGISTRIES:
            if registry != kept:
                self.__dict__[registry].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _check_name(self, what: str, name: Any, registry: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string; got {type(name).__name__}")
        if "." in name or name == "":
            raise KeyError(f"{what} name can't be empty or contain a dot; got '{name}'")
        if hasattr(self, name) and name not in self.__dict__[registry]:
            raise KeyError(f"attribute '{name}' already exists; choose another name or delete it")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter, or None for one that is left out."""
        self._check_made("parameters", name)
        self._check_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot register {type(param).__name__} as parameter '{name}'; it must be a"
                " Parameter or None"
            )
        if param is not None and not param.is_leaf:
            raise ValueError(
                f"parameter '{name}' must be a leaf: it is the result of an operation; wrap its"
                " detach() in a Parameter, or compute it in forward"
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that isn't trained; a persistent one is part of state_dict()."""
        self._check_made("buffers", name)
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot register {type(tensor).__name__} as buffer '{name}'; it must be a Tensor"
                " or None"
            )
        self._buffers[name] = tensor
        (
            self._non_persistent_buffers_set.discard
            if persistent
            else self._non_persistent_buffers_set.add
        )(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a child module, or None for one that is left out."""
        self._check_made("modules", name)
        self._check_name("module", name, "_modules")
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._modules[name] = module

    register_module = add_module

    # ---- walks

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """The module itself and everything below, each once, with its name."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                below = f"{prefix}.{name}" if prefix else name
                yield from child.named_modules(seen, below, remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """The module itself and everything below, each once."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct children, each once, with their names."""
        seen: set[Module] = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator[Module]:
        """The direct children, each once."""
        return (child for _, child in self.named_children())

    def _named_members(
        self, registry: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        seen: set[int] = set()
        for path, module in modules:
            for name, member in module.__dict__[registry].items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield (f"{path}.{name}" if path else name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters of this module and of those below, each once, with their names."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of this module and of those below, each once."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers of this module and of those below, each once, with their names."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of this module and of those below, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Module:
        """The module of a dotted name; AttributeError says which part of it is missing."""
        module: Module = self
        for name in filter(None, target.split(".")):
            child = getattr(module, name, None)
            if not isinstance(child, Module):
                raise AttributeError(
                    f"{type(module).__name__} has no module '{name}' (of '{target}')"
                )
            module = child
        return module

    def _get_member(self, target: str, registry: str, what: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        member = module.__dict__[registry].get(name)
        if member is None:
            raise AttributeError(f"{type(module).__name__} has no {what} '{name}' (of '{target}')")
        return member

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a dotted name."""
        return self._get_member(target, "_parameters", "parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name."""
        return self._get_member(target, "_buffers", "buffer")

    def apply(self: Self, fn: Callable[[Module], None]) -> Self:
        """Calls `fn` with every module below, then with this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # ---- modes

    def train(self: Self, mode: bool = True) -> Self:
        """Sets `training` here and below."""
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean; got {mode!r}")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self: Self) -> Self:
        """`train(False)`."""
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """Whether operations on the parameters are recorded."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients of the parameters, or sets them to zero."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                parameter.grad = _C.functions.zeros_like(parameter.grad)

    # ---- conversion

    def _apply(self: Self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replaces the data of every parameter, gradient and buffer by what `fn` makes of them."""
        if recurse:
            for child in self.children():
                child._apply(fn)
        for parameter in self._parameters.values():
            if parameter is None:
                continue
            with _state.no_grad():
                parameter.data = fn(parameter)
                if parameter.grad is not None:
                    grad = fn(parameter.grad).detach()
                    parameter.grad = None
                    parameter.grad = grad
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Moves or converts parameters and buffers: `to(device)`, `to(dtype)`, `to(tensor)`,
        `to(memory_format=...)`. Only floating and complex ones change their dtype."""
        device, dtype, non_blocking, memory_format = _state.parse_to(args, kwargs)

        def convert(t: Tensor) -> Tensor:
            changes = t.is_floating_point() or t.is_complex()
            wanted = dtype if changes and dtype is not None else t.dtype
            options: dict[str, Any] = {}
            if memory_format is not None and t.dim() in (4, 5):
                options["memory_format"] = memory_format
            return t.to(device if device is not None else t.device, wanted, non_blocking, **options)

        return self._apply(convert)

    def _to_dtype(self: Self, dtype: Any) -> Self:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self: Self) -> Self:
        """Floating parameters and buffers to float32."""
        return self._to_dtype(_C._dtypes()["float32"])

    def double(self: Self) -> Self:
        """Floating parameters and buffers to float64."""
        return self._to_dtype(_C._dtypes()["float64"])

    def half(self: Self) -> Self:
        """Floating parameters and buffers to float16."""
        return self._to_dtype(_C._dtypes()["float16"])

    def bfloat16(self: Self) -> Self:
        """Floating parameters and buffers to bfloat16."""
        return self._to_dtype(_C._dtypes()["bfloat16"])

    def type(self: Self, dst_type: Any) -> Self:
        """Parameters and buffers to a dtype."""
        return self._apply(lambda t: t.to(dst_type))

    def cpu(self: Self) -> Self:
        """Parameters and buffers to the CPU."""
        return self._apply(lambda t: t.cpu())

    def to_empty(self: Self, *, device: Any, recurse: bool = True) -> Self:
        """Parameters and buffers on a device, without their values."""
        return self._apply(lambda t: _C.functions.empty_like(t, device=device), recurse)

    # ---- state

    def state_dict(
        self,
        *,
        destination: dict[str, Any] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Any]:
        """The parameters and persistent buffers by name, detached unless `keep_vars`."""
        return _state.state_dict(self, destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> _state._IncompatibleKeys:
        """Copies values in by name (or, with `assign`, puts the tensors themselves in place).

        Returns which names were missing and which were unexpected; `strict` makes these, and wrong
        shapes in any case, a RuntimeError that lists them all.
        """
        return _state.load_state_dict(self, state_dict, strict, assign)

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        _state.save_own(self, destination, prefix, keep_vars)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        _state.load_own(
            self,
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )

    def get_extra_state(self) -> Any:
        """What state_dict() holds beside tensors; a class that defines it defines
        `set_extra_state` too."""
        raise RuntimeError(f"{type(self).__name__} defines no get_extra_state")

    get_extra_state._is_absent = True  # type: ignore[attr-defined]

    def set_extra_state(self, state: Any) -> None:
        """Takes what `get_extra_state` gave."""
        raise RuntimeError(f"{type(self).__name__} defines no set_extra_state")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _hooks.KINDS:
            self.__dict__.setdefault(name, OrderedDict())

    # ---- hooks

    def register_forward_pre_hook(
        self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """hook(module, args) runs before forward and may return other arguments; with kwargs it is
        hook(module, args, kwargs) and returns both or None."""
        return _hooks.register(self, "_forward_pre_hooks", hook, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self,
        hook: Any,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """hook(module, args, output) runs after forward and may return another output;
        `always_call`: also when forward raises."""
        return _hooks.register(
            self, "_forward_hooks", hook, prepend, with_kwargs=with_kwargs, always_call=always_call
        )

    def register_full_backward_pre_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """hook(module, grad_output) runs before the backward pass of the module, with the gradients
        of its results as a tuple, and may return others."""
        return _hooks.register(self, "_backward_pre_hooks", hook, prepend)

    def register_full_backward_hook(self, hook: Any, prepend: bool = False) -> RemovableHandle:
        """hook(module, grad_input, grad_output) runs after the backward pass of the module, with
        the gradients of its positional tensor arguments and of its results, and may return others
        for the arguments."""
        return _hooks.register(self, "_backward_hooks", hook, prepend)

    register_backward_hook = register_full_backward_hook

    def register_state_dict_pre_hook(self, hook: Any) -> RemovableHandle:
        """hook(module, prefix, keep_vars) runs before state_dict()."""
        return _hooks.register(self, "_state_dict_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """hook(module, state_dict, prefix, local_metadata) runs after state_dict()."""
        return _hooks.register(self, "_state_dict_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook: Any) -> RemovableHandle:
        """hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs) runs before loading."""
        return _hooks.register(self, "_load_state_dict_pre_hooks", hook)

    def register_load_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """hook(module, incompatible_keys) runs after loading."""
        return _hooks.register(self, "_load_state_dict_post_hooks", hook)

    # ---- printing

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What is printed between the brackets of a layer."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {_indented(repr(child))}" for name, child in self._modules.items()]
        if not children and len(lines) <= 1:
            return f"{self._get_name()}({extra})"
        inside = "".join(f"  {line}\n" for line in [*lines, *children])
        return f"{self._get_name()}(\n{inside})"


def _indented(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"  {line}" for line in rest)])
