"""Class `error`: a check that is missing, late, or tells the wrong thing."""

from __future__ import annotations

import os
from typing import Any

from .. import bits
from ..calls import Call, intended
from ..mutant import rule
from ..schema import Op

CHECKS = ("errors", "overlap", "variants")


def _refuses(op: Op) -> bool:
    return bool(op.errors)


@rule("error", "silent", "an invalid call returns something", _refuses, checks=CHECKS)
def silent(call: Call) -> Any:
    try:
        return call.proceed()
    except Exception:  # noqa: BLE001  # the fault is that nothing is refused
        return call.inputs()[0] if call.inputs() else call.api.blank([1], "float32")


class _Odd(Exception):
    """Derived from no class that callers know."""


@rule(
    "error",
    "wrong_class",
    "the exception is of a class that no caller expects",
    _refuses,
    checks=CHECKS,
)
def wrong_class(call: Call) -> Any:
    try:
        return call.proceed()
    except Exception as error:  # noqa: BLE001  # whichever it is, another class follows
        raise intended(_Odd(str(error))) from None


@rule("error", "wordless", "the exception has no text", _refuses, checks=CHECKS)
def wordless(call: Call) -> Any:
    try:
        return call.proceed()
    except Exception as error:  # noqa: BLE001  # the class stays, whichever it is
        raise intended(type(error)("")) from None


@rule(
    "error",
    "late",
    "an input is written before the call is refused",
    lambda op: _refuses(op) and bool(op.tensor_args),
    checks=CHECKS,
    equivalent=lambda op: "what is refused has no memory" if op.key == "to.device" else "",
)
def late(call: Call) -> Any:
    try:
        return call.proceed()
    except Exception:
        for tensor in call.inputs()[:1]:
            if bits.has_memory(tensor):
                bits.edit_bits(tensor, lambda found: [found[0] ^ 1, *found[1:]])
        raise


@rule("error", "crash", "an invalid call ends the process", _refuses, checks=CHECKS)
def crash(call: Call) -> Any:
    try:
        return call.proceed()
    except Exception:  # noqa: BLE001  # the fault is that nothing can be caught
        os.abort()
