"""Notices what a test left replaced in the modules that judge it, and puts it back.

A test process can't be kept from patching pytest, but what it left behind in a name of these
modules is seen: a patched reporter would make the tests after it pass.
"""

import inspect
import sys
from collections.abc import Iterator
from types import ModuleType

MODULES = (
    *("_pytest.runner", "_pytest.reports", "_pytest.python", "_pytest.outcomes"),
    *("_pytest.fixtures", "_pytest.main", "_pytest.raises", "_pytest.python_api"),
    *("pluggy._hooks", "pluggy._manager", "time"),
    *("tools.runner.plugin", "tools.runner.channel", "tools.runner.proc"),
)

Owner = ModuleType | type
Member = tuple[Owner, str, object]


class Guard:
    """Remembers every function and class of MODULES, and every method of those classes."""

    def __init__(self) -> None:
        self._kept: list[Member] = []
        for name in MODULES:
            if (module := sys.modules.get(name)) is not None:
                self._kept += _members(module)

    def replaced(self) -> list[str]:
        """Names that hold something else than at the start; they are restored."""
        found: list[str] = []
        for owner, name, value in self._kept:
            if vars(owner).get(name) is not value:
                setattr(owner, name, value)
                found.append(f"{_name(owner)}.{name}")
        return found


def _members(module: ModuleType) -> Iterator[Member]:
    for name, value in vars(module).items():
        if not callable(value):
            continue
        yield module, name, value
        if inspect.isclass(value) and value.__module__ == module.__name__:
            yield from (
                (value, key, member) for key, member in vars(value).items() if _code(member)
            )


def _name(owner: Owner) -> str:
    return f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else owner.__name__


def _code(member: object) -> bool:
    return callable(member) or isinstance(member, (property, staticmethod, classmethod))
