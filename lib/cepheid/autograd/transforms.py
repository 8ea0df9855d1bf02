"""Which function transforms run on this thread, outermost first."""

from __future__ import annotations

import threading
from typing import Any


class _State(threading.local):
    def __init__(self) -> None:
        self.levels: list[Any] = []


_state = _State()


def levels() -> list[Any]:
    """The running transforms of this thread; the list itself, to push to and pop from."""
    return _state.levels


def refuse_backward() -> None:
    """Inside a transform gradients are results; `.grad` of an argument would be lost."""
    if _state.levels:
        raise RuntimeError(
            "backward: called inside a function transform, which keeps no .grad; use func.grad or"
            " func.vjp there, or call backward() outside of it"
        )
