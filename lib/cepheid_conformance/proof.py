"""Makes the lines that reproduce a finding judge themselves: they end in an assertion that fails
where the failure is there, and holds where it isn't."""

from __future__ import annotations

import re
import zlib
from typing import Any

from .facts import Outcome, Report, Result
from .script import Script
from .snippet import snippet

# Properties of storages, of sharing, and of two runs: what came is what must not come again.
_OF_INPUTS = ("purity", "version", "partial write")
_SEEN = """def seen(x):
    if not hasattr(x, 'stride'):
        return repr(x)
    values = zlib.crc32(repr(x.tolist()).encode())
    return str(x.dtype).split('.')[-1], tuple(x.shape), tuple(x.stride()), values"""
_RAW = """def raw(x):
    storage = x.untyped_storage()
    return zlib.crc32(ctypes.string_at(storage.data_ptr(), storage.nbytes()))"""


class Told(str):
    """The text of a finding, with Python over the result `it` that holds where it is right, and
    which of several results is meant."""

    holds: str
    item: int | None

    def __new__(cls, text: object, holds: str = "", item: int | None = None) -> Told:
        told = super().__new__(cls, text)
        told.holds, told.item = holds, item
        return told


def worded(told: str, text: str) -> str:
    """Another text with the condition of the first."""
    return Told(text, told.holds, told.item) if isinstance(told, Told) else text


def judging_snippet(script: Script, what: str, text: str, outcome: Outcome | None) -> str:
    """The script as Python that fails where the finding shows. A crash, a hang and an exception
    where none is due show by themselves."""
    lines = _kept(snippet(script).split("\n"), script, what)
    if outcome is None or outcome.crash is not None or not outcome.reports:
        return "\n".join([*lines, f"raise AssertionError({str(text)!r})"])
    raised = outcome.reports[-1].error
    if what in ("error", "class", "wording") and not text.startswith("raised"):
        return "\n".join(_refusal(lines, script, text, raised.name if raised else None))
    if raised is not None and what != "partial write":
        return "\n".join(lines)
    if what in _OF_INPUTS:
        lines = _caught(lines, script, "pass") if raised is not None else lines
        return "\n".join(lines + _inputs(outcome, text))
    return "\n".join(lines + _result(script, what, text, outcome))


def _kept(lines: list[str], script: Script, what: str) -> list[str]:
    """What must be compared later is kept when it comes."""
    if what == "freshness":
        first = next(step["id"] for step in script.steps if step["do"] == "call")
        listed = f"r{first} if isinstance(r{first}, (tuple, list)) else [r{first}]"
        place = lines.index(f"print(r{first})") + 1
        keep = f"before = repr([x.tolist() for x in ({listed})])"
        return [*lines[:place], keep, *lines[place:]]
    if what == "determinism":
        called = re.compile(r"print\((\[.* for _ in range\(\d+\)\])\)$")
        return [called.sub(r"results = \1", line) for line in lines]
    return lines


def _last_call(script: Script) -> int:
    calls = (step["id"] for step in reversed(script.steps) if step["do"] in ("call", "vmap"))
    return int(next(calls))


def _caught(lines: list[str], script: Script, answer: str) -> list[str]:
    """The last call inside a try; `answer` stands in the branch of the exception."""
    start = f"r{_last_call(script)} = "
    place = max(number for number, line in enumerate(lines) if line.startswith(start))
    made = [f"    {line}" for line in lines[place:]]
    return [*lines[:place], "try:", *made, "except Exception as error:", f"    {answer}"]


def _refusal(lines: list[str], script: Script, text: str, name: str | None) -> list[str]:
    """A call that must be refused, in the right words: returned, or refused in the wrong ones."""
    if name is None:
        caught = _caught(lines, script, "print('refused:', error)")
        return [*caught, "else:", f"    raise AssertionError({str(text)!r})"]
    pattern = re.search(r"expected ('.*'|\".*\"|\w+); got", text)
    wanted = pattern.group(1) if pattern else "''"
    if text.startswith("wording"):
        test = f"assert re.search({wanted}, str(error)), {str(text)!r}"
    else:
        classes = "[kind.__name__ for kind in type(error).__mro__]"
        test = f"assert {wanted!r} in {classes}, {str(text)!r}"
    return ["import re", *_caught(lines, script, test)]


def _inputs(outcome: Outcome, text: str) -> list[str]:
    """The storages and versions that came must not come again."""
    lines = ["import ctypes", _RAW]
    found = [
        (f"(raw(s{key}), t{key}._version)", (zlib.crc32(state.raw or b""), state.version))
        for key, state in outcome.inputs.items()
        if state.changed
    ]
    found += [
        (f"t{key}._version", state.version)  # type: ignore[misc]  # a number, or a pair with one
        for key, state in outcome.inputs.items()
        if not state.changed
    ]
    names = ", ".join(name for name, _ in found)
    values = ", ".join(repr(value) for _, value in found)
    return [*lines, f"assert [{names}] != [{values}], {str(text)!r}"]


def _result(script: Script, what: str, text: str, outcome: Outcome) -> list[str]:
    """The result has the property that the oracle asks for; or isn't what came."""
    message = repr(str(text))
    if what == "freshness":
        return _freshness(script, message)
    steps = [step for step in script.steps if step["do"] in ("call", "read", "repeat", "vmap")]
    # Sharing is told by the first result, the rest by the last.
    place = 0 if what == "alias" else len(outcome.reports) - 1
    step, report = steps[place], outcome.reports[place]
    if step["do"] == "repeat":
        return [f"assert len({{repr(x.tolist()) for x in results}}) == 1, {message}"]
    name = _name(script, step["id"] if "id" in step else next(iter(step["of"].values())))
    holds = text.holds if isinstance(text, Told) else ""
    if holds:
        item = text.item if isinstance(text, Told) else None
        chosen = name if item is None else f"{name}[{item}]"
        return ["import math", f"it = {chosen}", f"assert {holds}, {message}"]
    if what == "alias":
        return _sharing(outcome, name, report, message)
    observed = [_seen(value) for value in report.values]
    listed = f"list({name})" if report.container in ("tuple", "list") else f"[{name}]"
    return [_SEEN, f"assert [seen(x) for x in {listed}] != {observed!r}, {message}"]


def _name(script: Script, key: int) -> str:
    made = any(step["do"] == "make" and step["id"] == key for step in script.steps)
    return f"{'t' if made else 'r'}{key}"


def _freshness(script: Script, message: str) -> list[str]:
    """The first result as it was printed, and as it is after the second call."""
    first, second = [step["id"] for step in script.steps if step["do"] == "call"][:2]
    return [
        f"one, two = (r if isinstance(r, (tuple, list)) else [r] for r in (r{first}, r{second}))",
        f"assert [x.tolist() for x in one].__repr__() == before, {message}",
        "for x, y in zip(one, two):",
        "    shared = x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()",
        f"    assert not (shared and x.untyped_storage().nbytes()), {message}",
    ]


def _sharing(outcome: Outcome, name: str, report: Report, message: str) -> list[str]:
    """Which inputs share the result's storage, which one it is, and their versions, as they came
    must not come again."""
    (first, *_) = report.values
    keys = list(outcome.inputs)
    shares = [first.storage == state.storage for state in outcome.inputs.values()]
    versions = [state.version for state in outcome.inputs.values()]
    same = [report.same_as[:1] == (key,) for key in keys]
    lines = [
        f"first = {name}[0] if isinstance({name}, (tuple, list)) else {name}",
        "place = first.untyped_storage().data_ptr()",
        f"inputs = [{', '.join(f't{key}' for key in keys)}]",
        "shares = [place == x.untyped_storage().data_ptr() for x in inputs]",
        "facts = shares, [x is first for x in inputs], [x._version for x in inputs]",
    ]
    return [*lines, f"assert facts != {(shares, same, versions)!r}, {message}"]


def _seen(value: Result) -> Any:
    """What `seen` of the snippet gives for a result."""
    if value.kind != "tensor":
        return repr(value.python_value())
    crc = zlib.crc32(repr(value.array().tolist()).encode())
    return value.dtype, value.shape, value.strides, crc
