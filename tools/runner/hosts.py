"""Further hosts: each execnet gateway is one more worker, which runs tasks of the one plan.

The other end (remote.py) runs the same executor in a checkout of the same commit and sends its
events. When a gateway is lost, what it had not finished goes to the other workers, and the loss
stays in the books as an attempt that the machine failed.
"""

import json
import pickle
from collections.abc import Sequence
from dataclasses import replace

import execnet

from tools.runner.events import GOOD, Attempt, Event, Outcome, TestFinished, from_json
from tools.runner.executor import Emit, Task
from tools.runner.launch import Cancel
from tools.runner.settings import REPOSITORY, Settings

POLL = 0.5
PROGRAM = """
import os, sys
repository = channel.receive()
sys.path.insert(0, repository or os.getcwd())
from tools.runner.remote import serve
serve(channel)
"""


class Host:
    """One gateway."""

    def __init__(self, name: str, gateway: execnet.Gateway, settings: Settings) -> None:
        self.name = name
        self._gateway = gateway
        self._channel = gateway.remote_exec(PROGRAM)
        local = gateway.spec.popen is not None
        self._channel.send(str(REPOSITORY) if local else "")
        self._channel.send(str(settings.root) if local else "")
        self._channel.send(pickle.dumps(settings))

    def run(self, task: Task, emit: Emit, cancel: Cancel) -> Task | None:
        """Run a task over there. Returns what it left undecided when the gateway is lost."""
        undecided = dict.fromkeys(task.ids)
        try:
            self._channel.send(pickle.dumps(task))
            while undecided and not cancel.requested:
                for event in self._events():
                    if isinstance(event, TestFinished):
                        del undecided[event.id]
                    emit(event)
        except (EOFError, OSError, execnet.RemoteError) as error:
            self.loss = f"host {self.name} was lost: {error or type(error).__name__}"
            return replace(task, ids=tuple(undecided))
        for test in undecided:
            attempt = Attempt(Outcome.NOT_RUN, detail="the run was stopped before this test")
            emit(TestFinished(test, attempt.outcome, 0.0, (attempt,)))
        return None

    def close(self) -> None:
        """End the gateway and what it runs."""
        self._gateway.exit()

    def _events(self) -> list[Event]:
        try:
            return [from_json(json.loads(self._channel.receive(POLL)))]
        except self._channel.TimeoutError:
            return []


class Losses:
    """Tests that a lost host had; their later result carries the loss."""

    def __init__(self) -> None:
        self._attempts: dict[str, tuple[Attempt, ...]] = {}

    def note(self, task: Task, text: str) -> None:
        """Every test of `task` was lost once."""
        attempt = Attempt(Outcome.INFRASTRUCTURE, detail=text, how="on another host", cause="host")
        for test in task.ids:
            self._attempts[test] = (*self._attempts.get(test, ()), attempt)

    def mark(self, event: TestFinished) -> TestFinished:
        """A test that passed in the end met a fault of the machine; a failure stays one."""
        lost = self._attempts.get(event.id)
        if lost is None:
            return event
        outcome = Outcome.INFRASTRUCTURE if event.outcome in GOOD else event.outcome
        return replace(event, outcome=outcome, attempts=(*lost, *event.attempts))


def open_hosts(specifications: Sequence[str], settings: Settings) -> list[Host]:
    """Connect. `4*popen` are four gateways; a local one without chdir is in the run's root.

    Raises ValueError for a specification that leads nowhere.
    """
    hosts: list[Host] = []
    for text in specifications:
        count, _, specification = text.rpartition("*")
        for _ in range(int(count or 1)):
            name = f"{len(hosts) + 1} ({specification})"
            hosts.append(Host(name, _connect(specification, settings), settings))
    return hosts


def _connect(specification: str, settings: Settings) -> execnet.Gateway:
    if specification.startswith("popen") and "//chdir=" not in specification:
        specification += f"//chdir={settings.root}"
    try:
        return execnet.makegateway(specification)
    except (ValueError, AssertionError, OSError, EOFError, execnet.HostNotFound) as error:
        raise ValueError(
            f"--host: expected a reachable execnet specification, as ssh=NAME//chdir=CHECKOUT"
            f"//python=PYTHON or 2*popen; got {specification!r}: {error!r}"
        ) from error
