"""Handles of hooks."""

from __future__ import annotations

import itertools
from collections.abc import MutableMapping
from typing import Any

__all__ = ["RemovableHandle"]

_ids = itertools.count()


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away, as does leaving `with`."""

    def __init__(self, hooks: MutableMapping[int, Any]) -> None:
        self.id = next(_ids)
        self._hooks = hooks

    def remove(self) -> None:
        """Takes the hook away; again does nothing."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()
