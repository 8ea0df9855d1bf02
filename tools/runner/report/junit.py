"""JUnit XML: one case a planned test; every attempt of a test that needed more than one."""

import re
from pathlib import Path
from xml.etree import ElementTree

from tools.runner.events import GOOD, Attempt, Event, Outcome, RunFinished, TestFinished

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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
            tree = ElementTree.ElementTree(self._document(event))
            tree.write(self._path, encoding="utf-8", xml_declaration=True)

    def _document(self, finished: RunFinished) -> ElementTree.Element:
        totals = {
            "tests": str(len(self._tests)),
            "failures": str(finished.failed),
            "errors": "0",
            "skipped": str(finished.skipped),
            "time": f"{finished.seconds:.3f}",
        }
        root = ElementTree.Element("testsuites", totals)
        suite = ElementTree.SubElement(root, "testsuite", {"name": "cepheid", **totals})
        for test in sorted(self._tests, key=lambda event: event.id):
            suite.append(_case(test))
        return root


def _case(test: TestFinished) -> ElementTree.Element:
    file, _, name = test.id.partition("::")
    case = ElementTree.Element(
        "testcase", {"classname": clean(file), "name": clean(name), "time": f"{test.seconds:.3f}"}
    )
    first, *retries = test.attempts
    if test.outcome in (Outcome.SKIPPED, Outcome.XFAILED):
        _detail(case, "skipped", first, test.outcome)
    elif test.outcome not in GOOD:
        _detail(case, "failure", first, test.outcome)
    for attempt in retries:
        tag = "rerunFailure" if attempt.outcome not in GOOD else "rerunSuccess"
        _detail(case, tag, attempt, attempt.outcome)
    if first.output:
        ElementTree.SubElement(case, "system-out").text = clean(first.output)
    return case


def _detail(case: ElementTree.Element, tag: str, attempt: Attempt, outcome: Outcome) -> None:
    lines = attempt.detail.strip().splitlines() or [""]
    attributes = {"type": outcome.value, "message": clean(lines[-1])}
    element = ElementTree.SubElement(case, tag, attributes)
    element.text = clean("\n".join(filter(None, [attempt.detail, attempt.stacks])))


def clean(text: str) -> str:
    """`text` without the characters that XML 1.0 does not know."""
    return _ILLEGAL.sub("\N{REPLACEMENT CHARACTER}", text)
