"""The driver's loop: receive call scripts, run them, return facts."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from typing import Any, BinaryIO

from . import mutants, wire
from .adapter import load_candidate
from .guard import Guard
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
    guard = Guard(arguments[0])
    guard.remember()
    try:
        adapter = load_candidate(arguments[0])
    except BaseException:
        wire.send(outgoing, {"version": wire.VERSION, "refused": traceback.format_exc()})
        raise
    wire.send(outgoing, {"version": wire.VERSION, "ready": arguments[0]})
    return _serve(adapter, guard, incoming, outgoing)


def _serve(adapter: Any, guard: Guard, incoming: BinaryIO, outgoing: BinaryIO) -> int:
    """Answer frames until the stream or, in a forked child, the mutant's turn ends."""
    while True:
        try:
            header, payload = wire.receive(incoming)
        except wire.WireClosed:
            return 0
        if "mutant" in header:
            if header["mutant"] is None:
                return 0
            _serve_mutant(adapter, guard, header["mutant"], incoming, outgoing)
        elif header.get("reached"):
            frame = {"version": wire.VERSION, "reached": True}
            wire.send(outgoing, frame, [mutants.take_reached(adapter.module)])
        else:
            _run_scripts(adapter, guard, header, payload, outgoing)


def _run_scripts(
    adapter: Any, guard: Guard, header: dict[str, Any], payload: memoryview, outgoing: BinaryIO
) -> None:
    # One frame per script: when the process dies, the judge knows which script killed it. The
    # token comes back with each, so that a frame that the candidate writes is no answer.
    for number, script in enumerate(header["scripts"]):
        answer = Payload()
        result = run_script(adapter, script, payload, answer, guard)
        result["trouble"] = guard.trouble() or result["trouble"]
        frame = {"version": wire.VERSION, "token": f"{header['token']} {number}", "result": result}
        wire.send(outgoing, frame, answer.chunks)


def _serve_mutant(
    adapter: Any, guard: Guard, mutant: str, incoming: BinaryIO, outgoing: BinaryIO
) -> None:
    """Fork a child that becomes the mutant and serves on the same pipes; tell how it ended.

    The streams must hold no byte read ahead: the judge waits for the answer to each frame.
    """
    child = os.fork()
    if child == 0:
        status = 1
        try:
            mutants.activate(adapter.module, mutant)
            wire.send(outgoing, {"version": wire.VERSION, "ready": mutant})
            guard.watching = False
            status = _serve(adapter, guard, incoming, outgoing)
        except BaseException:  # noqa: BLE001  # a forked child must not return into its parent
            traceback.print_exc()
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    wire.send(outgoing, {"version": wire.VERSION, "ended": ended})
