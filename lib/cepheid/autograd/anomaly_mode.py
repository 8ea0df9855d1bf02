"""Anomaly mode: a backward pass that fails says where in the program the failing node was made."""

from __future__ import annotations

import traceback
import warnings
from typing import Self

from cepheid import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:  # noqa: N801 - the documented name
    """Turn anomaly mode on or off, at once; as a context manager, until the end of the block.

    With the mode on, operations remember the stack that called them, a failing backward pass shows
    it in a warning, and, with `check_nan`, a gradient that is nan is an error. It costs time.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = (_C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled())
        _C._set_anomaly(mode, check_nan)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        _C._set_anomaly(*self._before)


class detect_anomaly:  # noqa: N801 - the documented name
    """Context manager: anomaly mode, for forward and backward inside. See `set_detect_anomaly`."""

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        warnings.warn(
            "detect_anomaly: anomaly mode slows a program down; use it to find a fault only",
            stacklevel=2,
        )

    def __enter__(self) -> Self:
        self._before = (_C.is_anomaly_enabled(), _C.is_anomaly_check_nan_enabled())
        _C._set_anomaly(True, self._check_nan)
        return self

    def __exit__(self, *error: object) -> None:
        _C._set_anomaly(*self._before)


def _stack() -> str:
    """The calls that lead here, without this one; asked for when an operation is recorded."""
    return "".join(traceback.format_stack()[:-1])


def _report(history: list[tuple[str, str | None]]) -> None:
    """Warn of a failure in the first node of `history`; the next ran when the last was made."""
    (name, stack), *parents = history
    if stack is None:
        text = f"Error detected in {name}. It was recorded before anomaly mode was turned on."
    else:
        text = (
            f"Error detected in {name}. Traceback of forward call that caused the error:\n{stack}"
        )
    for name, stack in parents:
        text += f"\n\nPrevious calculation was induced by {name}."
        if stack is not None:
            text += f" Traceback of forward call that induced the previous calculation:\n{stack}"
    warnings.warn(text, stacklevel=2)
