"""Modules made of modules: sequences, lists and dicts of them, and of parameters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from typing import Any, overload

from cepheid._C import Tensor
from cepheid.nn.modules.module import Module
from cepheid.nn.parameter import Parameter

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class _Numbered(Module):
    """A list of modules whose names are their positions."""

    def _position(self, index: Any) -> int:
        count = len(self._modules)
        position = index.__index__()
        if not -count <= position < count:
            raise IndexError(f"index {position} is out of range for {count} modules")
        return position % count

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def _made_of(self, modules: Iterable[Module]) -> Any:
        raise NotImplementedError

    def __getitem__(self, index: Any) -> Any:
        values = list(self._modules.values())
        if isinstance(index, slice):
            return self._made_of(values[index])
        return values[self._position(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, list(self._modules)[self._position(index)], module)

    def __delitem__(self, index: Any) -> None:
        values = list(self._modules.values())
        del values[index if isinstance(index, slice) else self._position(index)]
        self._replace(values)

    def _replace(self, modules: Iterable[Module]) -> None:
        self._modules.clear()
        for position, module in enumerate(modules):
            self.add_module(str(position), module)

    def append(self, module: Module) -> Any:
        """Adds a module at the end; returns the list."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Puts a module before a position; returns the list."""
        values = list(self._modules.values())
        values.insert(index, module)
        self._replace(values)
        return self

    def extend(self, modules: Iterable[Module]) -> Any:
        """Adds modules at the end; returns the list."""
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: int) -> Module:
        """Takes a module out and returns it."""
        module = self[key]
        del self[key]
        return module


class Sequential(_Numbered):
    """Calls modules one after the other, each with what the one before returned.

    Takes modules, or one OrderedDict of them by name.
    """

    @overload
    def __init__(self, *args: Module) -> None: ...
    @overload
    def __init__(self, arg: OrderedDict[str, Module]) -> None: ...
    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], Mapping) else None
        for name, module in named or ((str(i), m) for i, m in enumerate(args)):
            self.add_module(name, module)

    def _made_of(self, modules: Iterable[Module]) -> Sequential:
        chosen = list(modules)
        names = {id(module): name for name, module in self._modules.items()}
        return type(self)(OrderedDict((names[id(module)], module) for module in chosen))

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self, *other)

    def forward(self, input: Any) -> Any:
        """What the last module returns."""
        for module in self._modules.values():
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules that are parts of the model; it has no forward."""

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())

    def _made_of(self, modules: Iterable[Module]) -> ModuleList:
        return type(self)(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __repr__(self) -> str:
        """Neighbours of the same text are written once, with their number."""
        lines: list[str] = []
        position = 0
        for text, same in groupby(map(repr, self)):
            count = len(list(same))
            place = f"({position})" if count == 1 else f"({position}-{position + count - 1})"
            many = "" if count == 1 else f"{count} x "
            lines.append(f"{place}: {many}{text}")
            position += count
        inside = "\n".join(lines).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {inside}\n)" if lines else f"{type(self).__name__}()"


class ModuleDict(Module):
    """A dict of modules that are parts of the model; it has no forward."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self._modules.pop(key, None)
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Takes every module out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Takes a module out and returns it."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Module]]:
        """Names and modules."""
        return self._modules.items()

    def values(self) -> Iterable[Module]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Adds modules, replacing those of the same names."""
        pairs = modules.items() if isinstance(modules, Mapping | ModuleDict) else modules
        for name, module in pairs:
            self[name] = module


def _as_parameter(value: Any) -> Any:
    return (
        Parameter(value)
        if isinstance(value, Tensor) and not isinstance(value, Parameter)
        else value
    )


class ParameterList(Module):
    """A list of parameters of the model; tensors that are put in become parameters."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(values or ())

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(getattr(self, str(i)) for i in range(self._size)[index])
        return getattr(self, str(range(self._size)[index]))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, str(range(self._size)[index]), _as_parameter(value))

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, str(i)) for i in range(self._size))

    def append(self, value: Any) -> ParameterList:
        """Adds a value at the end; returns the list."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Adds values at the end; returns the list."""
        for value in list(values):
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def __repr__(self) -> str:
        return _listed(self, ((str(i), value) for i, value in enumerate(self)))


class ParameterDict(Module):
    """A dict of parameters of the model; tensors that are put in become parameters."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        self.update(parameters or {})

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and parameters."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Mapping[str, Any]) -> None:
        """Adds parameters, replacing those of the same names."""
        for key, value in parameters.items():
            self[key] = value

    def __repr__(self) -> str:
        return _listed(self, self.items())


def _listed(owner: Module, items: Iterable[tuple[str, Any]]) -> str:
    """The class and size of each value, not its numbers."""
    lines = [f"    ({name}): {_described(value)}\n" for name, value in items]
    return (
        f"{type(owner).__name__}(\n" + "".join(lines) + ")"
        if lines
        else f"{type(owner).__name__}()"
    )


def _described(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(map(str, value.shape))
    return f"{kind} containing: [{value.dtype} of size {size}]"
