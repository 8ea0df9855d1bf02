"""Runs one call script. The steps are those of docs/decisions/0001-judge-and-driver.md."""

from __future__ import annotations

import hashlib
import operator
import sys
import threading
from collections.abc import Callable
from typing import Any

from . import memory
from .guard import Guard

# Captured before the candidate is imported.
_digest = hashlib.blake2b
# Python threads change places so often under load: often enough to meet in the middle of a call.
_LOADED_INTERVAL = 2e-5
_SINGLETONS = {"none": None, "ellipsis": Ellipsis}


class Payload:
    """Collects the bytes that travel back with a frame."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0

    def put(self, data: bytes) -> list[int]:
        """Append bytes; returns their place as [start, length]."""
        place = [self.size, len(data)]
        self.chunks.append(data)
        self.size += len(data)
        return place


class Script:
    """The state of one script: its objects by id, and what its roots held when written."""

    def __init__(self, adapter: Any, incoming: memoryview, payload: Payload, guard: Guard) -> None:
        self.adapter = adapter
        self.guard = guard
        self.incoming = incoming
        self.payload = payload
        self.objects: dict[int, Any] = {}
        self.roots: dict[int, Any] = {}
        self.written: dict[int, bytes] = {}
        self.stop = threading.Event()
        self.hammers: list[threading.Thread] = []
        self.threads_before: int | None = None
        self.interval = sys.getswitchinterval()

    def close(self) -> None:
        """End the threads that made load, and give back the number of threads."""
        self.stop.set()
        for hammer in self.hammers:
            hammer.join()
        if self.hammers:
            sys.setswitchinterval(self.interval)
        if self.threads_before is not None:
            self.adapter.set_threads(self.threads_before)

    def bytes_at(self, place: list[int]) -> bytes:
        return bytes(self.incoming[place[0] : place[0] + place[1]])

    # One method per step.

    def make(self, step: dict[str, Any]) -> None:
        """A tensor of any layout over a storage of its own, or over that of `base`."""
        key = step["id"]
        if step.get("base") is not None:
            root = self.roots[step["base"]]
        else:
            root = self.adapter.make_root(step["dtype"], step["elements"], step["device"])
            if step.get("data") is not None:
                self.written[key] = self.bytes_at(step["data"])
                self.adapter.write(root, self.written[key])
        self.roots[key] = root
        self.objects[key] = self.adapter.make_view(
            root, step["shape"], step["strides"], step["offset"]
        )

    def write(self, step: dict[str, Any]) -> None:
        """New bytes into an existing storage."""
        self.written[step["id"]] = self.bytes_at(step["data"])
        self.adapter.write(self.roots[step["id"]], self.written[step["id"]])

    def seed(self, step: dict[str, Any]) -> None:
        self.adapter.seed(step["value"])

    def generator(self, step: dict[str, Any]) -> None:
        self.objects[step["id"]] = self.adapter.generator(step["value"])

    def poison(self, step: dict[str, Any]) -> None:
        self.adapter.poison(step["sizes"], step["pattern"])

    def poke(self, step: dict[str, Any]) -> None:
        """Bytes into a storage from a byte offset on: a huge one is not written whole."""
        for offset, place in step["pieces"]:
            self.adapter.write(self.roots[step["id"]], self.bytes_at(place), offset)

    def load(self, step: dict[str, Any]) -> None:
        """Threads that make the same calls over and over until the script ends."""
        runs = [self.bound(call) for call in step["calls"]]
        for run in runs:
            run()
        sys.setswitchinterval(_LOADED_INTERVAL)
        for number in range(step["threads"]):
            hammer = threading.Thread(target=self._hammer, args=(runs[number % len(runs)],))
            hammer.start()
            self.hammers.append(hammer)

    def _hammer(self, run: Callable[[], Any]) -> None:
        while not self.stop.is_set():
            run()

    def threads(self, step: dict[str, Any]) -> None:
        """The number of threads for what follows."""
        before = self.adapter.set_threads(step["count"])
        if self.threads_before is None:
            self.threads_before = before

    def bound(self, step: dict[str, Any]) -> Callable[[], Any]:
        """A call that can be made many times."""
        args = [self.resolve(argument) for argument in step["args"]]
        kwargs = {name: self.resolve(value) for name, value in step["kwargs"].items()}
        target = self.target(step["via"], step["name"], args)
        return lambda: target(*args, **kwargs)

    def repeat(self, step: dict[str, Any]) -> dict[str, Any]:
        """Make one call many times; a digest of the results of each."""
        run, seed = self.bound(step["call"]), step["seed"]
        digests = []
        for _ in range(step["count"]):
            if seed is not None:
                self.adapter.seed(seed)
            try:
                result = run()
            except Exception as error:  # noqa: BLE001  # it is the answer
                return {"error": describe_error(error)}
            digests.append(self.digest(result))
        return {"values": [describe_scalar(digest) for digest in digests]}

    def digest(self, value: Any) -> str:
        """One short text for all bits of a result."""
        if isinstance(value, (tuple, list)) and not self.adapter.is_tensor(value):
            return " ".join(self.digest(item) for item in value)
        if not self.adapter.is_tensor(value):
            return repr(describe_scalar(value))
        fact, data = self.adapter.describe(value)
        return f"{fact['dtype']}{fact['shape']}{_digest(data, digest_size=8).hexdigest()}"

    def growth(self, step: dict[str, Any]) -> dict[str, Any]:
        """What rounds of one call, which may raise, leave behind: heap bytes, Python blocks."""
        found = memory.growth(self.forgiving(step["call"]), step["count"], step["rounds"])
        return {"values": [describe_scalar(number) for pair in found for number in pair]}

    def peak(self, step: dict[str, Any]) -> dict[str, Any]:
        """By how much one call raised the highest resident size."""
        return {"values": [describe_scalar(memory.peak(self.forgiving(step["call"])))]}

    def forgiving(self, step: dict[str, Any]) -> Callable[[], None]:
        """A call whose result and exception are dropped at once. Its arguments are decoded once:
        Python's free lists would count what decoding leaves in them."""
        made = self.bound(step)

        def run() -> None:
            try:
                made()
            except Exception:  # noqa: BLE001  # an error that is due is part of what is measured
                return

        return run

    def read(self, step: dict[str, Any]) -> dict[str, Any]:
        """Facts about an object as it is now."""
        return {"values": self.facts(self.resolve(step["of"]))}

    def call(self, step: dict[str, Any]) -> dict[str, Any]:
        """Call by public name; an exception of the candidate is a fact."""
        args = [self.resolve(argument) for argument in step["args"]]
        kwargs = {name: self.resolve(value) for name, value in step["kwargs"].items()}

        def run() -> Any:
            return self.target(step["via"], step["name"], args)(*args, **kwargs)

        return self.answer(step["id"], lambda: self.watched(run))

    def vmap(self, step: dict[str, Any]) -> dict[str, Any]:
        """A call on all slices of batches: inside, slices stand for them."""

        def of_slices(*slices: Any) -> Any:
            self.objects.update(zip(step["slices"], slices, strict=True))
            return self.watched(self.bound(step["call"]))

        def run() -> Any:
            function = of_slices
            for _ in range(step["levels"]):
                function = self.adapter.module.func.vmap(function, **step["options"])
            return function(*(self.objects[key] for key in step["wholes"]))

        return self.answer(step["id"], run)

    def watched(self, run: Callable[[], Any]) -> Any:
        """What a call gives that may not look at the stack."""
        self.guard.in_call = True
        try:
            return run()
        finally:
            self.guard.in_call = False

    def answer(self, key: int, run: Callable[[], Any]) -> dict[str, Any]:
        """Facts about what a call gives."""
        try:
            result = run()
        except Exception as error:  # noqa: BLE001  # whatever the candidate raises is the answer
            return {"error": describe_error(error)}
        self.objects[key] = result
        report = {"values": self.facts(result), "same_as": self.same_as(result)}
        return report | {"container": type(result).__name__}

    def target(self, via: str, name: str, args: list[Any]) -> Any:
        if via == "operator":
            return getattr(operator, name)
        if via == "method":
            return getattr(args.pop(0), name)
        if via == "attribute":
            holder = args.pop(0)
            return lambda: getattr(holder, name)
        return operator.attrgetter(name)(self.adapter.module)

    def same_as(self, result: Any) -> list[int]:
        """Ids of the made tensors that the result is, as an object."""
        results = result if isinstance(result, (tuple, list)) else (result,)
        found = []
        for item in results:
            found.append(next((key for key in self.roots if self.objects[key] is item), -1))
        return found

    def resolve(self, value: Any) -> Any:
        """Decode an argument: plain JSON stands for itself, a one-key object for the rest."""
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if not isinstance(value, dict):
            return value
        ((kind, content),) = value.items()
        if kind == "t":
            return self.objects[content]
        if kind == "item":
            return self.objects[content[0]][content[1]]
        if kind == "float":
            return float.fromhex(content)
        if kind == "complex":
            return complex(*map(float.fromhex, content))
        if kind == "tuple":
            return tuple(self.resolve(item) for item in content)
        if kind == "slice":
            return slice(*(self.resolve(item) for item in content))
        if kind == "is":
            return _SINGLETONS[content]
        return self.adapter.named(kind, content)

    def facts(self, value: Any) -> list[dict[str, Any]]:
        """Facts about a result, one entry per element of a tuple."""
        if isinstance(value, (tuple, list)) and not self.adapter.is_tensor(value):
            return [fact for item in value for fact in self.facts(item)]
        if self.adapter.is_tensor(value):
            fact, data = self.adapter.describe(value)
            fact["data"] = self.payload.put(data)
            return [fact]
        return [describe_scalar(value)]

    def inputs(self) -> dict[str, dict[str, Any]]:
        """For each written root: whether its bytes changed, its version, and its bytes if so."""
        report = {}
        for key, written in self.written.items():
            now = self.adapter.storage_bytes(self.roots[key])
            entry: dict[str, Any] = {"changed": now != written}
            entry["version"] = self.adapter.version(self.objects[key])
            entry["storage"] = self.adapter.describe(self.roots[key])[0].get("storage", 0)
            if entry["changed"]:
                entry["data"] = self.payload.put(now)
            report[str(key)] = entry
        return report


_STEPS = (
    "make", "write", "poke", "seed", "generator", "poison", "read", "call",
    "load", "threads", "repeat", "growth", "peak", "vmap",
)  # fmt: skip


def run_script(
    adapter: Any,
    script: dict[str, Any],
    incoming: memoryview,
    payload: Payload,
    guard: Guard,
) -> dict[str, Any]:
    """Run the steps in order up to the first that fails; facts per reporting step."""
    state = Script(adapter, incoming, payload, guard)
    reports: list[dict[str, Any]] = []
    trouble = None
    for number, step in enumerate(script["steps"]):
        if step["do"] not in _STEPS:
            trouble = f"step {number}: this driver has no step {step['do']!r}"
            break
        try:
            report = getattr(state, step["do"])(step)
        except Exception as error:  # noqa: BLE001  # sent to the judge, who decides
            described = describe_error(error)
            trouble = f"step {number} ({step['do']}): {described['class']}: {described['message']}"
            break
        if report is not None:
            reports.append(report)
            if "error" in report and not step.get("may_fail"):
                break
    state.close()
    return {"reports": reports, "inputs": state.inputs(), "trouble": trouble}


def describe_error(error: BaseException) -> dict[str, Any]:
    """Class, bases and message of an exception."""
    return {
        "class": type(error).__name__,
        "bases": [base.__name__ for base in type(error).__mro__],
        "message": str(error),
    }


def describe_scalar(value: Any) -> dict[str, Any]:
    """A Python number or other plain result, exactly."""
    if isinstance(value, float):
        return {"kind": "float", "value": value.hex()}
    if isinstance(value, complex):
        return {"kind": "complex", "value": [value.real.hex(), value.imag.hex()]}
    if value is None or isinstance(value, (bool, int, str)):
        return {"kind": type(value).__name__, "value": value}
    return {"kind": "other", "type": type(value).__name__, "value": repr(value)}
