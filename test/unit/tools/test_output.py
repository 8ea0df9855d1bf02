"""The log of a test process's output."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.runner import run_this_file
from tools.runner.output import HEAD, RECORD, TAIL, TOKEN_BYTES, OutputLog, mark

TOKEN = "0123456789abcdef"


def sections(path: Path, chunks: list[bytes]) -> dict[int, bytes]:
    log = OutputLog(path, TOKEN)
    for chunk in chunks:
        log.feed(chunk)
    log.close()
    data = path.read_bytes()
    return {number: data[at : at + size] for number, (at, size) in log.sections.items()}


PIECES = st.lists(st.sampled_from([b"", b"a", RECORD, RECORD + TOKEN.encode(), b"\n\xff" * 9]))


@given(parts=st.lists(PIECES, min_size=1, max_size=5), cuts=st.lists(st.integers(0, 400)))
def test_any_chunking_gives_the_same_sections(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[bytes]], cuts: list[int]
) -> None:
    texts = [b"".join(part) + b"." for part in parts]
    stream = texts[0] + b"".join(
        mark(TOKEN, number) + text for number, text in enumerate(texts[1:], 1)
    )
    edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    chunks = [stream[a:b] for a, b in itertools.pairwise(edges)]
    found = sections(tmp_path_factory.mktemp("log") / "log", chunks)
    assert found == dict(enumerate(texts))


def test_token_is_as_long_as_the_mark_expects() -> None:
    assert len(TOKEN) == TOKEN_BYTES


def test_middle_of_a_large_section_is_left_out(tmp_path: Path) -> None:
    chunks = [b"b" * 1000] * 1000
    found = sections(tmp_path / "log", [mark(TOKEN, 1), b"start", *chunks, b"end", mark(TOKEN, 2)])
    assert found[1].startswith(b"startb") and found[1].endswith(b"bend")
    dropped = 1_000_008 - HEAD - TAIL
    assert b"[... %d bytes left out ...]" % dropped in found[1]
    assert found[2] == b""


if __name__ == "__main__":
    run_this_file()
