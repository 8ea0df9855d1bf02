"""What a test process writes: kept per test, head and tail, whatever its size."""

from pathlib import Path

RECORD = b"\x1e"
TOKEN_BYTES = 16
MARK_BYTES = 1 + TOKEN_BYTES + 1 + 8 + 1
HEAD = 64 * 1024
TAIL = 64 * 1024
TOTAL = 64 * 2**20


def mark(token: str, number: int) -> bytes:
    """The bytes that start section `number` of the stream; section 0 is between tests."""
    return RECORD + f"{token}:{number:08d}".encode() + RECORD


class OutputLog:
    """Splits a stream at marks and writes each section, its middle left out, to one file."""

    def __init__(self, path: Path, token: str) -> None:
        self.sections: dict[int, tuple[int, int]] = {}
        """Number -> (offset, size) in the file; the last section of a number counts."""
        self.received = 0
        self._start = RECORD + token.encode() + b":"
        self._file = path.open("wb")
        self._carry = b""
        self._number = 0
        self._begin()

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self.received += len(data)
        data = self._carry + data
        self._carry = b""
        while (at := data.find(self._start)) >= 0:
            self._write(data[:at])
            if len(data) < at + MARK_BYTES:
                self._carry = data[at:]
                return
            self._end()
            self._number = int(data[at + len(self._start) : at + MARK_BYTES - 1])
            self._begin()
            data = data[at + MARK_BYTES :]
        cut = self._possible_mark(data)
        self._write(data[:cut])
        self._carry = data[cut:]

    def close(self) -> None:
        """Write what is held back and close the file."""
        self._write(self._carry)
        self._carry = b""
        self._end()
        self._file.close()

    def _possible_mark(self, data: bytes) -> int:
        """Where a mark that is not complete yet may begin."""
        at = data.rfind(RECORD, max(0, len(data) - len(self._start) + 1))
        return at if at >= 0 and self._start.startswith(data[at:]) else len(data)

    def _begin(self) -> None:
        self._offset = self._file.tell()
        self._room = HEAD if self._offset < TOTAL else 0
        self._tail = bytearray()
        self._dropped = 0

    def _write(self, data: bytes) -> None:
        head = data[: self._room]
        if head:
            self._room -= len(head)
            self._file.write(head)
            self._file.flush()
        self._tail += data[len(head) :]
        if len(self._tail) > 2 * TAIL:
            self._drop(len(self._tail) - TAIL)

    def _drop(self, count: int) -> None:
        del self._tail[:count]
        self._dropped += count

    def _end(self) -> None:
        limit = TAIL if self._offset < TOTAL else 0
        if len(self._tail) > limit:
            self._drop(len(self._tail) - limit)
        if self._dropped:
            self._file.write(b"\n[... %d bytes left out ...]\n" % self._dropped)
        self._file.write(self._tail)
        self._file.flush()
        self.sections[self._number] = (self._offset, self._file.tell() - self._offset)
