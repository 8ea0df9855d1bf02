"""From the messages of one process to the attempts of its tests, faults attributed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tools.runner.events import GOOD, Attempt, Outcome
from tools.runner.launch import Message

_ORDER = (Outcome.PASSED, Outcome.SKIPPED, Outcome.XFAILED, Outcome.FAILED)
_CAUSES = {
    "timeout": Outcome.TIMEOUT,
    "memory": Outcome.MEMORY,
    "idle": Outcome.TIMEOUT,
    "exit_hang": Outcome.LEAK,
}


@dataclass
class Draft:
    """A test that has started."""

    number: int
    properties: list[Any]
    outcome: Outcome = Outcome.PASSED
    seconds: float = 0.0
    details: list[str] = field(default_factory=list)
    body_ran: bool = False
    machine: str = ""  # the exception that speaks of the machine, not of the test

    def take(self, message: Message) -> None:
        """Add one phase; the worst outcome of all phases counts."""
        outcome, note = _phase_outcome(message)
        self.outcome = max(self.outcome, outcome, key=_ORDER.index)
        self.seconds += message["seconds"]
        self.properties = message["properties"] or self.properties
        self.body_ran |= message["when"] == "call"
        self.machine = self.machine or message.get("infrastructure", "")
        text = "\n".join(filter(None, [note, message["longrepr"]]))
        if text and outcome is not Outcome.PASSED:
            phase = "" if message["when"] == "call" else f"[{message['when']}] "
            self.details.append(phase + text)

    def attempt(self, replaced: Sequence[str] = ()) -> Attempt:
        """The finished attempt. A pass without a body, or with a judge left patched, is none."""
        outcome, details = self.outcome, self.details
        if outcome is Outcome.PASSED and not self.body_ran:
            outcome, details = Outcome.FAILED, ["reported as passed, but its body never ran"]
        if replaced:
            outcome = max(outcome, Outcome.FAILED, key=_ORDER.index)
            details = [*details, f"left replaced: {', '.join(replaced)}"]
        if outcome is Outcome.FAILED and self.machine:
            outcome, details = Outcome.INFRASTRUCTURE, [*details, self.machine]
        return Attempt(
            outcome, self.seconds, "\n".join(details), properties=_pairs(self.properties)
        )


def _phase_outcome(message: Message) -> tuple[Outcome, str]:
    expected = message["expected"]
    if expected is None:
        return Outcome(message["outcome"]), ""
    if message["outcome"] == "passed":
        return Outcome.FAILED, f"passed, but was expected to fail: {expected}"
    return Outcome.XFAILED, expected


def _pairs(properties: list[Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((str(name), value) for name, value in properties)


class Record:
    """Takes the messages of one process; `attempts` are final after `exit`."""

    def __init__(self, ids: tuple[str, ...], workers: int = 0) -> None:
        self.attempts: dict[str, Attempt] = {}
        self.numbers: dict[str, int] = {}
        self.before: dict[str, tuple[str, ...]] = {}
        """Test -> tests that began before it in the same process."""
        self.exit: Message = {}
        self.ids = ids
        self._parallel = workers > 1
        self._drafts: dict[str, Draft] = {}
        self._collected: set[str] | None = None
        self._collecting: list[str] = []
        self._errors: dict[str, str] = {}
        self._threads: dict[str, str] = {}  # test -> threads it left
        self._begun: dict[int, list[str]] = {}  # process -> its tests in order
        self._last = ""
        self._aborted = ""
        self._internal = ""
        self._ended = False

    def take(self, message: Message) -> None:
        """Dispatch on the message's name; messages that only inform are passed over."""
        handler = getattr(self, f"_on_{message['event']}", None)
        if handler is not None:
            handler(message)

    def _on_collected(self, message: Message) -> None:
        self._collecting += message["ids"]

    def _on_collection_end(self, _: Message) -> None:
        self._collected = (self._collected or set()) | set(self._collecting)

    def _on_collect_error(self, message: Message) -> None:
        self._errors[message["file"]] = message["longrepr"]

    def _on_start(self, message: Message) -> None:
        self._drafts[message["id"]] = Draft(message["number"], message["properties"])
        self.numbers[message["id"]] = message["number"]
        begun = self._begun.setdefault(message.get("pid", 0), [])
        self.before[message["id"]] = tuple(begun)
        begun.append(message["id"])

    def _on_phase(self, message: Message) -> None:
        if message["id"] in self._drafts:
            self._drafts[message["id"]].take(message)

    def _on_finish(self, message: Message) -> None:
        test = self._last = message["id"]
        draft = self._drafts.pop(test, None)
        if draft is None or self._aborted:
            return
        self.attempts[test] = draft.attempt(message.get("replaced", []))
        if message["threads"]:
            self._threads[test] = ", ".join(message["threads"])

    def _on_left(self, message: Message) -> None:
        self._threads.pop(message["id"], None)  # its process has ended, and they with it

    def _on_worker_crash(self, message: Message) -> None:
        self._blame(message["id"], Outcome.CRASHED, "its pytest-xdist worker ended")

    def _on_aborted(self, message: Message) -> None:
        self._aborted = message["reason"]

    def _on_internal_error(self, message: Message) -> None:
        self._internal = message["longrepr"]

    def _on_session_end(self, _: Message) -> None:
        self._ended = True

    def _on_exit(self, message: Message) -> None:
        self.exit = message
        if message["cause"] != "stopped":
            self._attribute()
        if message["cause"] not in ("stopped", "exit_hang"):
            self._undecide(message["suspects"])
        for leak in message["leaks"]:
            self._leak(leak["test"] or self._last, f"left a process running: {leak['process']}")
        self._add_missing()

    def _undecide(self, suspects: list[str]) -> None:
        """Take back good attempts of tests that may have leaked; they run again."""
        for test in suspects:
            if test in self.attempts and self.attempts[test].outcome in GOOD:
                del self.attempts[test]

    def _attribute(self) -> None:
        """Name the test that ended the process, when one did."""
        running = [test for test in self._drafts if test not in self.attempts]
        outcome, detail = self.fault()
        cause = self.exit["cause"]
        if cause == "exit_hang":
            self._exit_hang(detail)
        elif cause in ("timeout", "memory") and self.exit["test"]:
            # Even if the test has a finish event by now: a signal can end what it waited for.
            self._blame(self.exit["test"], outcome, detail)
        elif len(running) == 1 or (running and not self._parallel):
            self._blame(running[0], outcome, detail)
        elif self._died_outside(running):
            self._blame(self._last, outcome, f"after the end of this test: {detail}")

    def _died_outside(self, running: list[str]) -> bool:
        """True when the process went wrong between two tests or behind the last one."""
        abnormal = bool(self.exit["signal"] or self.exit["cause"]) or not self._ended
        return bool(self._last) and not running and abnormal

    def _exit_hang(self, detail: str) -> None:
        """The session was over: whoever left a thread or a process kept the process alive."""
        owners = dict.fromkeys(self.exit["suspects"], "a process")
        owners |= {test: f"thread {names}" for test, names in self._threads.items()}
        for test, what in (owners or {self._last: "nothing that is known"}).items():
            self._leak(test, f"{detail}; left running: {what}")

    def fault(self) -> tuple[Outcome, str]:
        """Outcome and sentence for what ended the process."""
        message = self.exit
        if self._aborted:
            return Outcome.FAILED, f"ended the pytest session: {self._aborted}"
        match message["cause"]:
            case "timeout":
                detail = f"still running after {message['seconds']:.1f} s; killed"
            case "memory":
                detail = f"resident memory reached {message['mib']:.0f} MiB; killed"
            case "idle":
                detail = f"no event for {message['seconds']:.1f} s outside of tests; killed"
            case "exit_hang":
                detail = f"process did not end within {message['seconds']:.1f} s of its last test"
            case "supervisor":
                detail = f"its supervisor ended ({message['signal'] or message['code']})"
            case _:
                detail = self._ending()
        return _CAUSES.get(message["cause"], Outcome.CRASHED), detail

    def _ending(self) -> str:
        if self.exit["signal"]:
            return f"process ended by {self.exit['signal']}"
        internal = f"\n{self._internal}" if self._internal else ""
        return f"process ended with status {self.exit['code']} before the test did{internal}"

    def _blame(self, test: str, outcome: Outcome, detail: str) -> None:
        """Give `test` the outcome of the fault; failures it had reported stay in the detail."""
        draft = self._drafts.pop(test, None)
        before = self.attempts.get(test) or (draft.attempt() if draft else Attempt(outcome))
        own = draft.details if draft else [before.detail]
        self.attempts[test] = replace(
            before,
            outcome=outcome,
            seconds=max(before.seconds, self.exit.get("seconds", 0.0)),
            detail="\n".join(filter(None, [detail, *own])),
            stacks=self.exit.get("stacks", ""),
            cause=self.exit.get("cause", ""),
        )

    def _leak(self, test: str, detail: str) -> None:
        """A leak turns a good attempt into a bad one, and adds to the detail of a bad one."""
        before = self.attempts.get(test)
        if before is None:
            return
        outcome = Outcome.LEAK if before.outcome in GOOD else before.outcome
        text = "\n".join(filter(None, [before.detail, detail]))
        stacks = before.stacks or self.exit["stacks"]
        self.attempts[test] = replace(before, outcome=outcome, detail=text, stacks=stacks)

    def _add_missing(self) -> None:
        """Planned ids that this process did not collect, or could not."""
        for test in self.ids:
            error = self._errors.get(test.split("::")[0])
            if test in self.attempts:
                continue
            if error is not None:
                self.attempts[test] = Attempt(Outcome.ERROR, detail=error)
            elif self._collected is not None and test not in self._collected:
                detail = "planned, but its file does not collect it any more"
                self.attempts[test] = Attempt(Outcome.MISSING, detail=detail)
