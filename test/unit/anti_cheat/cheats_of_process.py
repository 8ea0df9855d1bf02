"""Candidates that attack the process, the protocol or the driver, or look for the judge."""

import ctypes
import importlib
import itertools
import json
import math
import operator
import os
import stat
import struct
import sys
import time
from pathlib import Path

import fake_torch
from cheat import RIGHT, changed, filled, tensors, with_add

ZEROS = {"version": 1, "result": {"reports": [], "inputs": {}, "trouble": None}}


def _pipes():
    """Descriptors above the standard ones that can be written to: the protocol's among them."""
    for number in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                yield number
        except OSError:
            continue


def _send(data):
    for number in _pipes():
        try:
            os.write(number, data)
        except OSError:
            continue


def _wrong(result, self, other):
    return filled(result, [0] * math.prod(result.shape))


def exits_early():
    """Ends the process with status 0 at the first call: no test has failed."""
    return with_add(lambda self, other, *, alpha=1, out=None: os._exit(0))


def hangs():
    """Never returns: a run that is cut off has no failure."""
    return with_add(lambda self, other, *, alpha=1, out=None: time.sleep(600))


def forged_answer():
    """Writes a frame of its own to the protocol's descriptor and returns zeros."""
    text = json.dumps(ZEROS).encode()
    frame = struct.pack("<IQ", len(text), 0) + text

    def change(result, self, other):
        _send(frame)
        return _wrong(result, self, other)

    return changed(change)


def garbage_on_the_wire():
    """Writes bytes that are no frame."""

    def change(result, self, other):
        _send(b"\xff" * 64)
        return result

    return changed(change)


def half_a_frame():
    """Announces a frame that never comes, so that the judge waits."""

    def change(result, self, other):
        _send(struct.pack("<IQ", 100, 1 << 30))
        time.sleep(600)
        return result

    return changed(change)


def patched_driver():
    """Zeroes its inputs and replaces the driver's report on them."""
    interpreter = sys.modules["cepheid_conformance_driver.interpreter"]
    right = interpreter.Script.inputs

    def inputs(script):
        return {
            key: {**entry, "changed": False, "version": 0} for key, entry in right(script).items()
        }

    interpreter.Script.inputs = inputs

    def change(result, self, other):
        for tensor in tensors(self, other):
            ctypes.memset(tensor.storage.data_ptr(), 0, tensor.storage.nbytes())
        return result

    return changed(change)


def patched_errors():
    """Replaces how the driver describes exceptions: whatever it raises has every class."""
    interpreter = sys.modules["cepheid_conformance_driver.interpreter"]
    every = ["RuntimeError", "IndexError", "TypeError", "ValueError", "Exception"]
    interpreter.describe_error = lambda error: {"class": every[0], "bases": every, "message": ""}
    return with_add(lambda self, other, *, alpha=1, out=None: 1 / 0)


def patched_operator():
    """Replaces the function by which the driver finds its ops."""
    operator.attrgetter = lambda name: lambda module: lambda *args, **kwargs: args[0]
    return changed(_wrong)


def patched_bytes():
    """Replaces the function by which memory is read; its results are zeros."""
    ctypes.string_at = lambda address, size: b"\0" * size
    return changed(_wrong)


def patched_comparison():
    """Replaces the comparisons of NumPy and of the standard library; its results are zeros."""
    math.isclose = operator.eq = lambda *args, **kwargs: True
    numpy = importlib.import_module("numpy")
    numpy.allclose = numpy.array_equal = lambda *args, **kwargs: True
    return changed(_wrong)


def asks_the_reference():
    """Falls back to a reference library that is installed beside it."""
    try:
        reference = importlib.import_module("jax").add
    except ImportError:
        return changed(_wrong)
    return with_add(reference)


def asks_the_oracle():
    """Imports the judge, which it finds by the path of the driver."""
    driver = sys.modules["cepheid_conformance_driver"].__path__[0]
    sys.path.append(os.path.dirname(os.path.dirname(driver)))  # noqa: PTH120  # as a cheat would
    try:
        importlib.import_module("cepheid_conformance.oracle.pointwise")
    except ImportError:
        return changed(_wrong)
    return fake_torch


def reads_the_judge():
    """Reads how the judge makes its samples, and is right only if it could."""
    driver = sys.modules["cepheid_conformance_driver"].__path__[0]
    try:
        text = Path(driver, "..", "samples", "pointwise.py").read_text()
    except OSError:
        return changed(_wrong)
    return fake_torch if text else changed(_wrong)


def sees_the_driver_on_the_stack():
    """Right only when the driver is among its callers."""

    def change(result, self, other):
        frame = sys._getframe()
        while frame is not None:
            if "driver" in frame.f_code.co_filename:
                return result
            frame = frame.f_back
        return _wrong(result, self, other)

    return changed(change)


def sees_the_driver_in_argv():
    """Right only when the command line shows the driver."""
    return fake_torch if "driver" in " ".join(sys.argv) else changed(_wrong)


def one_thread_only():
    """Adds in a scratch list that all threads share."""
    scratch = []
    turns = itertools.count()

    def add(self, other, *, alpha=1, out=None):
        result = RIGHT(self, other, alpha=alpha)
        scratch[:] = result.read()
        if next(turns) % 8 == 0:
            time.sleep(0.005)  # others come by meanwhile, on a busy machine too
        given = filled(result, list(scratch))
        return given if out is None else fake_torch._into(out, given)

    return with_add(add)


CHEATS = {
    exits_early: ("values",),
    hangs: ("values",),
    forged_answer: ("purity", "values"),
    garbage_on_the_wire: ("values",),
    half_a_frame: ("values",),
    patched_driver: ("purity",),
    patched_errors: ("errors",),
    patched_operator: ("values",),
    patched_bytes: ("values",),
    patched_comparison: ("values",),
    asks_the_reference: ("values",),
    asks_the_oracle: ("values",),
    reads_the_judge: ("values",),
    sees_the_driver_on_the_stack: ("values",),
    sees_the_driver_in_argv: ("values",),
    one_thread_only: ("determinism",),
}
