"""JUnit XML: one case a planned test, with the evidence of every attempt.

`properties` has the level of a conformance cell and lists all attempts in order. A bad one has an
element of its own: the first of a failed test is `failure`, further ones `rerunFailure`; those of a
test that is flaky, depends on the order, met a fault of the machine or is in quarantine are
`flakyFailure`.
"""

import re
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement

from tools.runner.events import GOOD, Attempt, Event, Outcome, RunFinished, TestFinished

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNSTEADY = frozenset({Outcome.FLAKY, Outcome.ORDER_DEPENDENT, Outcome.INFRASTRUCTURE})


class JUnit:
    """Collects the outcomes and writes `junit.xml` at the end."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "junit.xml"
        self._tests: list[TestFinished] = []

    def take(self, event: Event) -> None:
        """Note outcomes; write on RunFinished."""
        if isinstance(event, TestFinished):
            self._tests.append(event)
        if isinstance(event, RunFinished):
            tree = ElementTree(self._document(event))
            tree.write(self._path, encoding="utf-8", xml_declaration=True)

    def _document(self, finished: RunFinished) -> Element:
        totals = {
            "tests": str(len(self._tests)),
            "failures": str(finished.failed),
            "errors": "0",
            "skipped": str(finished.skipped),
            "time": f"{finished.seconds:.3f}",
        }
        root = Element("testsuites", totals)
        suite = SubElement(root, "testsuite", {"name": "cepheid", **totals})
        for test in sorted(self._tests, key=lambda event: event.id):
            suite.append(_case(test))
        return root


def _case(test: TestFinished) -> Element:
    file, _, name = test.id.partition("::")
    case = Element(
        "testcase", {"classname": clean(file), "name": clean(name), "time": f"{test.seconds:.3f}"}
    )
    _list_properties(case, test)
    _verdict(case, test)
    for attempt in _further_failures(test):
        tag = "flakyFailure" if _is_unsteady(test) else "rerunFailure"
        element = _detail(case, tag, attempt, attempt.outcome.value)
        if attempt.output:
            SubElement(element, "system-out").text = clean(attempt.output)
    if test.attempts[0].output:
        SubElement(case, "system-out").text = clean(test.attempts[0].output)
    return case


def _is_unsteady(test: TestFinished) -> bool:
    return bool(test.quarantined) or test.outcome in _UNSTEADY


def _further_failures(test: TestFinished) -> list[Attempt]:
    """Bad attempts that the verdict's own element does not show."""
    shown = 0 if _is_unsteady(test) else 1
    return [attempt for attempt in test.attempts[shown:] if attempt.outcome not in GOOD]


def _verdict(case: Element, test: TestFinished) -> None:
    """The element that decides how the case is counted; a pass has none."""
    first = test.attempts[0]
    if test.quarantined:
        SubElement(case, "skipped", {"type": "quarantined", "message": clean(test.quarantined)})
    elif test.outcome in (Outcome.SKIPPED, Outcome.XFAILED):
        _detail(case, "skipped", first, test.outcome.value)
    elif test.outcome in _UNSTEADY:
        bad = sum(attempt.outcome not in GOOD for attempt in test.attempts)
        message = test.note or f"{bad} of {len(test.attempts)} attempts failed"
        SubElement(case, "failure", {"type": test.outcome.value, "message": clean(message)})
    elif test.outcome not in GOOD:
        _detail(case, "failure", first, test.outcome.value)


def _list_properties(case: Element, test: TestFinished) -> None:
    """The level of its cell, and its attempts where there are several."""
    cells = [value for name, value in test.properties if name == "cell"]
    found = [("level", str(cell["level"])) for cell in map(dict, cells) if cell.get("level")]
    for number, attempt in enumerate(test.attempts if len(test.attempts) > 1 else (), 1):
        value = f"{attempt.outcome} {attempt.how}, {attempt.seconds:.3f} s"
        found.append((f"attempt {number}", value))
    properties = SubElement(case, "properties") if found else case
    for name, value in found:
        SubElement(properties, "property", {"name": name, "value": clean(value)})


def _detail(case: Element, tag: str, attempt: Attempt, kind: str) -> Element:
    lines = attempt.detail.strip().splitlines() or [""]
    element = SubElement(case, tag, {"type": kind, "message": clean(lines[-1])})
    element.text = clean("\n".join(filter(None, [attempt.detail, attempt.stacks])))
    return element


def clean(text: str) -> str:
    """`text` without the characters that XML 1.0 does not know."""
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
