"""The tests of a run as the page holds them: columns for all, details for those worth a look."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tools.runner.events import GOOD, Outcome, TestFinished
from tools.runner.report.grid import shared_prefixes
from tools.runner.report.rerun import rerun_command

TEXT_LIMIT = 12_000
"""Characters of one text in the page; events.jsonl has all of it."""

FULL_DETAILS = 500
"""Tests whose texts are kept up to TEXT_LIMIT; further ones keep LAST_LINES."""

LAST_LINES = 600
_MARK = "reproduce:"
_TONES = {
    Outcome.PASSED: "good",
    Outcome.SKIPPED: "quiet",
    Outcome.XFAILED: "known",
    Outcome.FLAKY: "unsteady",
    Outcome.ORDER_DEPENDENT: "unsteady",
    Outcome.INFRASTRUCTURE: "unsteady",
}


def outcome_kinds() -> list[dict[str, str]]:
    """Name and tone of each outcome; one that is new here looks bad."""
    return [{"name": outcome.value, "tone": _TONES.get(outcome, "bad")} for outcome in Outcome]


def columns(tests: Sequence[TestFinished], implementation: str) -> dict[str, Any]:
    """Columns in the order of `tests`, which are sorted by id, and details by number."""
    kinds = {outcome: number for number, outcome in enumerate(Outcome)}
    noted = [number for number, test in enumerate(tests) if _is_noted(test)]
    return {
        "ids": shared_prefixes([test.id for test in tests]),
        "outcomes": [kinds[test.outcome] for test in tests],
        "ms": [round(test.seconds * 1000) for test in tests],
        "slow": [number for number, test in enumerate(tests) if test.slow],
        "details": {
            number: {
                **_details(tests[number], TEXT_LIMIT if place < FULL_DETAILS else LAST_LINES),
                "rerun": rerun_command(tests[number].id, implementation),
            }
            for place, number in enumerate(noted)
        },
    }


def _is_noted(test: TestFinished) -> bool:
    return test.outcome not in GOOD or bool(test.note or test.quarantined)


def _details(test: TestFinished, limit: int) -> dict[str, Any]:
    attempts = [asdict(attempt) for attempt in test.attempts]
    for attempt in attempts:
        del attempt["properties"]
        message, snippet = split_snippet(attempt["detail"])
        attempt |= {"detail": clip(message, limit), "snippet": snippet}
        for name in ("output", "stacks"):
            attempt[name] = clip(attempt[name], limit)
    return {"note": test.note, "quarantined": test.quarantined, "attempts": attempts}


def split_snippet(detail: str) -> tuple[str, str]:
    """What went wrong, and the lines to paste that reproduce it, if the judge gave some."""
    lines = detail.splitlines()
    places = [number for number, line in enumerate(lines) if line.strip() == _MARK]
    if not places:
        return detail, ""
    message = "\n".join(lines[: places[0]]).rstrip()
    return message, "\n".join(lines[places[0] + 1 :]).strip()


def describe(detail: str) -> dict[str, str]:
    """A failure's text as the page shows it: the message and the snippet."""
    message, snippet = split_snippet(detail)
    return {"detail": clip(message, TEXT_LIMIT), "snippet": snippet}


def clip(text: str, limit: int) -> str:
    """The start and the end of a long text, with a line between that says what is missing."""
    if len(text) <= limit:
        return text
    head, tail = limit // 3, limit - limit // 3
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[{left_out} characters are in events.jsonl only]\n{text[-tail:]}"
