"""Recordings of servers on the disk: written call by call behind the redaction gate, and read again."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.errors import NotFoundError, RefusedError, StoreError
from recollect.gateway.recording import RecordedCall, Recording, call_line, head_line, read_recording
from recollect.records.json_format import JsonObject
from recollect.records.redaction_port import RedactionGate


class RecordingFile:
    """A new file, readable by its owner alone. A process that is killed leaves complete calls behind."""

    def __init__(self, path: Path, gate: RedactionGate) -> None:
        self._path, self._gate = path, gate
        self._file = -1
        if path.exists():
            raise self._exists()

    def _exists(self) -> RefusedError:
        return RefusedError(
            f"{str(self._path)!r} already exists; remove it, or record to another file."
        )

    def begin(self, server: str, tools: list[JsonObject]) -> None:
        """Make the file, and write which tools the server lists. Raises RefusedError and StoreError."""
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._file = os.open(self._path, flags, 0o600)
        except FileExistsError:
            raise self._exists() from None
        except OSError as error:
            raise StoreError(f"cannot write {str(self._path)!r}: {error.strerror}.") from None
        clean, _ = self._gate(list(tools))
        self._write(head_line(server, clean if isinstance(clean, list) else []))  # type: ignore[arg-type]

    def add(self, tool: str, arguments: Mapping[str, Any], result: JsonObject) -> None:
        """Write one call. Raises StoreError."""
        clean = redacted_arguments(arguments, self._gate)
        clean_result, _ = self._gate(result)
        assert isinstance(clean_result, dict)
        self._write(call_line(RecordedCall(tool, clean, clean_result)))

    def _write(self, line: str) -> None:
        """Write a line, or nothing."""
        data, size = line.encode(), os.fstat(self._file).st_size
        try:
            if os.write(self._file, data) == len(data):
                return
            reason = "the disk is full"
        except OSError as error:
            reason = str(error.strerror)
        os.ftruncate(self._file, size)
        raise StoreError(f"cannot write {str(self._path)!r}: {reason}.")

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def redacted_arguments(arguments: Mapping[str, Any], gate: RedactionGate) -> JsonObject:
    """Arguments as a recording has them: a call with the same secret is the same call."""
    clean, _ = gate(dict(arguments))
    assert isinstance(clean, dict)
    return clean


def open_recording(path: Path) -> Recording:
    """A recording. Raises NotFoundError, and InvalidError for a file that is none."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise NotFoundError(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        text = ""
    return read_recording(text.splitlines(keepends=True))
