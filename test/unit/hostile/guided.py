"""`python guided.py [CORPUS] [-max_total_time=600 ...]`: the hostile caller, guided by coverage.

libFuzzer (by way of atheris) makes up the bytes that decide every draw, and keeps those that reach
an edge of the binding which none had reached. It needs a build with CEPHEID_FUZZ. An input that
ends the process, hangs or gets a forbidden answer is written to a file; `python guided.py FILE`
makes its calls again and prints each before it is made.
"""

from __future__ import annotations

import ctypes
import functools
import random
import resource
import sys
import warnings
from pathlib import Path

import atheris
from atheris import core_with_libfuzzer

with atheris.instrument_imports(include=["cepheid"]):
    import caller
from arguments import Arguments

MEMORY = 2 << 30  # as in test_random_calls.py
CALLS = 8  # of one input: enough for a tensor to come back as an argument


class BytesRandom(random.Random):
    """Draws from given bytes; when they end, nothing but zeros."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self.data = data
        self.place = 0

    @property
    def is_spent(self) -> bool:
        return self.place >= len(self.data)

    def getrandbits(self, k: int, /) -> int:
        size = (k + 7) // 8
        piece = self.data[self.place : self.place + size]
        self.place += size
        return int.from_bytes(piece, "little") & ((1 << k) - 1)

    def random(self) -> float:
        return self.getrandbits(16) / 2**16


def make_calls(data: bytes, tell: bool = False) -> None:
    """The calls that the bytes decide; raises where an answer must not be."""
    rng = BytesRandom(data)
    draw = Arguments(rng, hostility=0.1)
    functions, weights = zip(*caller.KINDS, strict=True)
    for _ in range(CALLS):
        if rng.is_spent:
            return
        call = rng.choices(functions, weights)[0](draw)
        if call is None:
            continue
        if tell:
            print(ascii(call.text()), flush=True)
        if bad := caller.make(call, draw):
            raise AssertionError(f"{call.text()} -> {bad}")


def count_edges() -> None:
    """Hand the library's counters to libFuzzer."""
    folders = [Path(folder) / "lib" for folder in caller.torch.__path__]
    library = ctypes.CDLL(str(next(f for at in folders if (f := at / "libcepheid.so").is_file())))
    count = ctypes.c_size_t()
    library.cepheid_fuzz_counters.restype = ctypes.c_void_p
    begin = library.cepheid_fuzz_counters(ctypes.byref(count))
    fuzzer = ctypes.CDLL(core_with_libfuzzer.__file__)
    fuzzer.__sanitizer_cov_8bit_counters_init(
        ctypes.c_void_p(begin), ctypes.c_void_p(begin + count.value)
    )


def main(arguments: list[str]) -> None:
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    count_edges()
    again = any(Path(name).is_file() for name in arguments[1:])
    atheris.Setup(arguments, functools.partial(make_calls, tell=again))
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
