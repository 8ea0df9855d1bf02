"""The flows as docs/flows.md lists them, and the trace of a command."""

import json
import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def stages(flow):
    """The stage names of one flow, in the order of the page."""
    page = (ROOT / "docs" / "flows.md").read_text()
    section = re.search(rf"^## {flow}\. .*?(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    return re.findall(r"^\d+\. (.+)$", section.group(), re.MULTILINE)


def traced(command, flow, file, **variables):
    """The recorded stages of `flow` while a command runs, which has to succeed."""
    environment = {**os.environ, "CEPHEID_TRACE_FILE": str(file), **variables}
    done = subprocess.run(
        [str(word) for word in command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    events = [json.loads(line) for line in file.read_text().splitlines()]
    for event in events:
        assert event["status"] in ("done", "absent"), event
        assert bool(event["reason"]) == (event["status"] == "absent"), event
    return [event for event in events if event["flow"] == flow]


def first_seen(events):
    """Stage names in the order in which they were first reached."""
    return list(dict.fromkeys(event["stage"] for event in sorted(events, key=lambda e: e["t"])))
