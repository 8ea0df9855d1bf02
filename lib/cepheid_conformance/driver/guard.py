"""What a candidate may not do in the driver's process, so that it answers by its own work.

Installed before the candidate is imported. Audit hooks can't be taken out again: they refuse other
tensor libraries and the judge's own files, and see a call that looks at who called it. What the
driver itself is made of is remembered, and compared before each answer.
"""

from __future__ import annotations

import builtins
import ctypes
import json
import operator
import os
import struct
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

# Libraries that could do a candidate's work for it; a capability file may say `built_on`.
REFERENCES = frozenset(
    "torch jax jaxlib tensorflow paddle mindspore cupy mxnet tinygrad keras mlx "
    "cepheid cepheid_conformance".split()
)
BUILT_ON_VARIABLE = "CEPHEID_BUILT_ON"
_JUDGE = str(Path(__file__).resolve().parents[1]) + os.sep
_DRIVER = str(Path(__file__).resolve().parent) + os.sep
_USED = (builtins, ctypes, json, operator, os, struct)
_CODE = (".py", ".pyc", ".toml")  # the list of ops, schemas.json, is no secret
_LOOKS = ("sys._getframe", "sys._current_frames")
_getframe = sys._getframe


class Refusing:
    """A finder before all others: what is found here is not imported."""

    def __init__(self, refused: frozenset[str]) -> None:
        self.refused = refused

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        # A library that isn't there may be asked for: that is how one finds out.
        if name in self.refused and PathFinder.find_spec(name) is not None:
            raise ModuleNotFoundError(f"driver: {name} may not do a candidate's work")


class Guard:
    """Watches the process from its start."""

    def __init__(self, implementation: str) -> None:
        package = implementation.partition(":")[0].partition(".")[0]
        built_on = os.environ.get(BUILT_ON_VARIABLE, "").split()
        self.refused = REFERENCES - {package, *built_on}
        self.watching = True  # a wrapper mutant looks at the stack on its own account
        self.in_call = False
        self.seen: list[str] = []
        self.parts: list[tuple[str, Any, str, Any]] = []
        # A name of this module could be replaced, a cell of a closure hardly.
        sys.addaudithook(_hook(self.refused, self))
        sys.meta_path.insert(0, Refusing(self.refused))

    def remember(self) -> None:
        """What the driver is made of: its modules, their classes, what it uses of the library."""
        own = [module for name, module in sys.modules.items() if name.startswith(_OWN)]
        for module in (*own, *_USED):
            self.parts += _parts(module, deep=module in own)

    def trouble(self) -> str | None:
        """What the candidate did that it may not; forgets what it saw."""
        replaced = [name for name, holder, key, part in self.parts if _now(holder, key) is not part]
        seen, self.seen = self.seen, []
        if replaced:
            return f"guard: the driver must be left as it is; {replaced[0]} was replaced"
        brought = sorted(self.refused & sys.modules.keys())
        if brought:
            return f"guard: {brought[0]} may not do a candidate's work; it was imported"
        return f"guard: a call may not {seen[0]}" if seen else None


_OWN = __package__ or ""
_ABSENT = object()


def _now(holder: Any, key: str) -> Any:
    return vars(holder).get(key, _ABSENT)


def _parts(holder: Any, deep: bool) -> list[tuple[str, Any, str, Any]]:
    found = []
    for key, part in list(vars(holder).items()):
        if not callable(part) and not isinstance(part, ModuleType):
            continue
        found.append((f"{holder.__name__}.{key}", holder, key, part))
        if deep and isinstance(part, type) and part.__module__ == holder.__name__:
            found += _parts(part, deep=False)
    return found


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported: the standard library then looks at the stack itself."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def _hook(refused: frozenset[str], guard: Guard) -> Callable[[str, tuple[Any, ...]], None]:
    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":
            name = str(arguments[0]).partition(".")[0]
            if name in refused:
                raise ModuleNotFoundError(f"driver: {name} may not do a candidate's work")
        elif event == "open" and isinstance(arguments[0], str):
            path = os.path.abspath(arguments[0])  # noqa: PTH100  # runs in every open()
            judges = path.startswith(_JUDGE) and path.endswith(_CODE)
            if judges and not path.startswith(_DRIVER):
                raise PermissionError(f"driver: {path} belongs to the judge")
        elif event in _LOOKS and guard.in_call and guard.watching:
            guard.in_call = False  # this look is ours
            importing = _is_importing(_getframe())
            guard.in_call = True
            if not importing:
                guard.seen.append("look at the stack")

    return hook
