"""The driver's loop: receive call scripts, run them, return facts."""

from __future__ import annotations

import os
import sys
import traceback
import warnings

from . import wire
from .adapter import load_candidate
from .interpreter import Payload, run_script


def main(arguments: list[str]) -> int:
    """Serve scripts on standard input and output until the judge closes the stream."""
    if len(arguments) != 1:
        print("driver: give the implementation, pkg[:factory]", file=sys.stderr)
        return 2
    # The candidate may print: the protocol keeps private copies of the two descriptors.
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    try:
        adapter = load_candidate(arguments[0])
    except BaseException:
        wire.send(outgoing, {"version": wire.VERSION, "refused": traceback.format_exc()})
        raise
    wire.send(outgoing, {"version": wire.VERSION, "ready": arguments[0]})
    while True:
        try:
            header, payload = wire.receive(incoming)
        except wire.WireClosed:
            return 0
        # One frame per script: when the process dies, the judge knows which script killed it.
        for script in header["scripts"]:
            answer = Payload()
            result = run_script(adapter, script, payload, answer)
            wire.send(outgoing, {"version": wire.VERSION, "result": result}, answer.chunks)
