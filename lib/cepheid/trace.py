"""Show what happened in a program: `python -m cepheid.trace script.py [--chrome out.json]`.

The script runs in a process of its own with CEPHEID_TRACE_FILE set, so that its import of cepheid
is part of the trace. Its stages are printed as text; `--chrome` also writes them for a trace
viewer. The exit status is the script's.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from cepheid._trace import Event
from cepheid._trace_file import read

NAMES = {1: "import", 8: "test run", 9: "code generation"}


def main(arguments: list[str] | None = None) -> int:
    """Run the script, print its stages, return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m cepheid.trace", description=__doc__)
    parser.add_argument("--chrome", type=Path, help="also write a Chrome-trace file")
    parser.add_argument("script", help="the script; unknown arguments are passed to it")
    options, rest = parser.parse_known_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "trace.jsonl")
        environment = {**os.environ, "CEPHEID_TRACE_FILE": file}
        done = subprocess.run([sys.executable, options.script, *rest], env=environment)
        events = read(file)
    print("\n".join(as_text(events)))
    if options.chrome:
        options.chrome.write_text(json.dumps(as_chrome(events), indent=1))
    return done.returncode


def as_text(events: Iterable[Event]) -> Iterator[str]:
    """One line a stage under its flow's name; times in ms since the flow's first stage."""
    for (pid, flow), stages in _by_process_and_flow(events):
        yield f"flow {flow}: {NAMES.get(flow, '?')} (process {pid})"
        start = _time(stages[0])
        for event in stages:
            what = f"absent: {event['reason']}" if event["status"] == "absent" else _facts(event)
            line = f"  {(_time(event) - start) * 1e3:8.2f} ms  {event['stage']}  {what}"
            yield line.rstrip()


def as_chrome(events: Iterable[Event]) -> dict[str, object]:
    """The Chrome-trace object: a stage lasts until the next one of its flow begins."""
    out: list[dict[str, object]] = []
    for (pid, flow), stages in _by_process_and_flow(events):
        ends = [_time(event) for event in stages[1:]] + [_time(stages[-1])]
        for event, end in zip(stages, ends, strict=True):
            out.append(
                {
                    "name": event["stage"],
                    "cat": NAMES.get(flow, "?"),
                    "ph": "X",
                    "ts": _time(event) * 1e6,
                    "dur": (end - _time(event)) * 1e6,
                    "pid": pid,
                    "tid": flow,
                    "args": {key: event[key] for key in ("status", "reason", "facts")},
                }
            )
    return {"traceEvents": out, "displayTimeUnit": "ms"}


def _by_process_and_flow(events: Iterable[Event]) -> list[tuple[tuple[int, int], list[Event]]]:
    """[((process, flow), its events in order)]."""

    def key(event: Event) -> tuple[int, int]:
        return int(str(event["pid"])), int(str(event["flow"]))

    return [(pair, list(group)) for pair, group in groupby(sorted(events, key=key), key)]


def _time(event: Event) -> float:
    return float(str(event["t"]))


def _facts(event: Event) -> str:
    facts = event.get("facts")
    return " ".join(f"{k}={v}" for k, v in facts.items()) if isinstance(facts, dict) else ""


if __name__ == "__main__":
    sys.exit(main())
