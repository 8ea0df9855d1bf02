"""Exceptions that speak of the machine, not of the test."""

import errno

ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ESTALE, errno.EROFS})
"""A full or broken disk. Too many open files or no memory may well be the test's own fault."""

ATTRIBUTE = "is_infrastructure"
"""An exception class with this attribute set says so itself: a lost device, a host that is gone."""


def fault(error: BaseException) -> str:
    """The machine's fault that `error` or what led to it tells of; empty when there is none."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        if _speaks_of_it(current):
            return f"{type(current).__name__}: {current}"
        seen.add(id(current))
        current = current.__cause__ or current.__context__
    return ""


def _speaks_of_it(error: BaseException) -> bool:
    by_number = isinstance(error, OSError) and error.errno in ERRNOS
    return by_number or getattr(type(error), ATTRIBUTE, False) is True
