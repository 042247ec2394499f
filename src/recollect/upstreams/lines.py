"""Lines out of chunks of bytes."""

MOST_BYTES = 64 * 1024 * 1024  # of a line: more is no message, and would fill the memory


class LineBuffer:
    """Collects chunks until a line is complete. Empty lines are left out."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0

    def lines(self, chunk: bytes) -> list[bytes]:
        """The lines that this chunk completes. Raises OverflowError for one that is too long."""
        *complete, rest = chunk.split(b"\n")
        if complete:
            complete[0] = b"".join((*self._parts, complete[0]))
            self._parts, self._size = [], 0
        self._parts.append(rest)
        self._size += len(rest)
        if self._size > self._most:
            self._parts, self._size = [], 0
            raise OverflowError(f"a line of more than {self._most} bytes")
        return [line for line in complete if line.strip()]
