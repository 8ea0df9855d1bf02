"""Frames between judge and driver: a JSON header and raw bytes, each with its length in front."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from typing import Any, BinaryIO, Protocol

VERSION = 1
_MOST = (1 << 28, 1 << 36)  # bytes of header and payload: more is no frame of ours
_LENGTHS = struct.Struct("<IQ")


class Source(Protocol):
    """What frames are read from: up to `size` bytes at once, none at the end."""

    def read(self, size: int, /) -> bytes | memoryview: ...


class WireClosed(Exception):
    """The other side closed the stream, between frames or inside one."""


def send(stream: BinaryIO, header: dict[str, Any], chunks: Iterable[bytes] = ()) -> None:
    """Write one frame: `header` as JSON, then the chunks joined as its payload."""
    payload = b"".join(chunks)
    text = json.dumps(header, separators=(",", ":")).encode()
    stream.write(_LENGTHS.pack(len(text), len(payload)))
    stream.write(text)
    stream.write(payload)
    stream.flush()


def receive(stream: Source) -> tuple[dict[str, Any], memoryview]:
    """Read one frame; raises WireClosed at the end of the stream."""
    header_size, payload_size = _LENGTHS.unpack(_read_exactly(stream, _LENGTHS.size))
    if header_size > _MOST[0] or payload_size > _MOST[1]:
        raise ValueError(f"wire: a frame of {header_size} + {payload_size} bytes is no frame")
    header = json.loads(_read_exactly(stream, header_size))
    if header.get("version") != VERSION:
        raise ValueError(
            f"wire: version must be {VERSION}; got {header.get('version')}; "
            "use judge and driver of one release"
        )
    return header, memoryview(_read_exactly(stream, payload_size))


def _read_exactly(stream: Source, size: int) -> bytes:
    parts = []
    while size > 0:
        part = stream.read(size)
        if not part:
            raise WireClosed
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
