"""Flow trace: a stage of a named flow is recorded while somebody listens.

The flows and their stages are those of docs/flows.md. `stage` costs one branch when nobody
listens. This module is the first that `import cepheid` loads, so it needs nothing but os and time.
"""

import os
import time
from collections.abc import Callable

IMPORT = 1
"""Flow 1, `import cepheid`; its stages in order are FLOWS[IMPORT]."""

BACKWARD = 6
"""Flow 6, `autograd.backward`; some of its stages are reported by the engine."""

FLOWS = {
    IMPORT: (
        "ROCm initialisation",
        "native libraries",
        "_C",
        "shared-memory manager",
        "variable functions",
        "subpackages",
        "storage class names",
        "docstrings",
        "ops and classes namespaces",
    ),
    BACKWARD: (
        "functorch guard",
        "deprecated argument",
        "override check",
        "tensors to tuple, make grads",
        "retain_graph default",
        "engine entry",
        "execute",
        "validate outputs",
        "graph task on worker threads",
        "accumulate",
    ),
}

Event = dict[str, object]
"""One recorded stage: flow, stage, status (done or absent), reason, t, pid, facts."""

_listeners: list[Callable[[Event], None]] = []


def heard() -> bool:
    """Whether somebody listens, where asking is cheaper than telling."""
    return bool(_listeners)


def stage(flow: int, name: str, **facts: object) -> None:
    """Record that `flow` has reached its stage `name`; `facts` is what a reader may want to know.

    Raises ValueError, while somebody listens, when the flow has no such stage.
    """
    if _listeners:
        _record(flow, name, "done", "", facts)


def absent(flow: int, name: str, reason: str) -> None:
    """Record that stage `name` of `flow` does not exist yet or does not apply, and why."""
    if _listeners:
        _record(flow, name, "absent", reason, {})


def _record(flow: int, name: str, status: str, reason: str, facts: dict[str, object]) -> None:
    if name not in FLOWS.get(flow, ()):
        raise ValueError(
            f"stage: expected a stage of flow {flow}, one of {FLOWS.get(flow, ())}; got {name!r}; "
            "add it to cepheid._trace.FLOWS and docs/flows.md"
        )
    event: Event = {
        "flow": flow,
        "stage": name,
        "status": status,
        "reason": reason,
        "t": time.time(),
        "pid": os.getpid(),
        "facts": facts,
    }
    for listener in list(_listeners):
        listener(event)


class Recording:
    """Context manager that gives the list of the stages reached inside the block, of any thread."""

    def __enter__(self) -> list[Event]:
        events: list[Event] = []
        self._listener = events.append
        _listeners.append(self._listener)
        return events

    def __exit__(self, *exception: object) -> None:
        # By identity: bound methods of two lists that are equal are equal too.
        _listeners[:] = [one for one in _listeners if one is not self._listener]


if os.environ.get("CEPHEID_TRACE_FILE"):
    from cepheid import _trace_file

    _listeners.append(_trace_file.writer(os.environ["CEPHEID_TRACE_FILE"]))
