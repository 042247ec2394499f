"""Results as files: adapter of the `Vault` port. One folder for each result, `vault/HANDLE/`.

`result.json` names the tool and the parts; each part is a file of its own, such as `1.json` or `2.png`.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from recollect.errors import StoreError, UnwritableError
from recollect.gateway.vault.content import (
    BinaryPart,
    JsonPart,
    Part,
    StoredPart,
    StoredResult,
    TablePart,
    TextPart,
    decoded,
    encoded,
)
from recollect.gateway.vault.retention import Limits, StoredSize, expired, refusal
from recollect.paths import open_folder, read_below
from recollect.storage import private
from recollect.storage.files import atomic
from recollect.storage.files.part_files import ending_of
from recollect.storage.result_handles import HANDLE, new_handle, unknown_result

VAULT_FOLDER = "vault"
_FILE = re.compile(r"[0-9]{1,4}\.[a-z0-9]{1,12}")
_DETAILS = "result.json"
_MOST_DETAILS, _MOST_PART = 1_000_000, 512 * 1024 * 1024  # bytes


class FileVault:
    """The results of one project, readable by their owner alone."""

    def __init__(
        self, state: Path, limits: Limits | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self._folder, self._limits, self._now = state / VAULT_FOLDER, limits or Limits(), now

    def put(self, tool: str, parts: Sequence[Part]) -> StoredResult:
        """Store a result in a new folder, which gets its name when it is complete."""
        handle = new_handle()
        files = [(f"{number}.{_ending(part)}", encoded(part)) for number, part in enumerate(parts, 1)]
        with atomic.opened(self._folder, private.FOLDER, shown=str(self._folder)) as vault:
            private.tighten_handle(vault)
            self._make_room(vault, sum(len(data) for _, data in files))
            stored = tuple(
                StoredPart(number, part, str(self._folder / handle / name), len(data))
                for number, (part, (name, data)) in enumerate(zip(parts, files, strict=True), 1)
            )
            result = StoredResult(handle, tool, stored)
            self._write(vault, handle, [*files, (_DETAILS, _details(result))])
        return result

    def get(self, handle: str) -> StoredResult:
        """A result. What is in its folder but not in `result.json` is not read."""
        if not HANDLE.fullmatch(handle):
            raise unknown_result(handle)
        try:
            folder = open_folder(str(self._folder / handle))
        except OSError:
            raise unknown_result(handle) from None
        try:
            details = json.loads(read_below(folder, _DETAILS, _MOST_DETAILS))
            parts = tuple(self._parts(folder, handle, details))
            return StoredResult(handle, str(details["tool"]), parts)
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            raise unknown_result(handle) from None
        finally:
            os.close(folder)

    def _parts(self, folder: int, handle: str, details: Any) -> Iterator[StoredPart]:
        for number, row in enumerate(details["parts"], 1):
            name = str(row["file"])
            if not _FILE.fullmatch(name):
                raise ValueError(name)
            data = read_below(folder, name, _MOST_PART)
            yield StoredPart(number, _part(row, data), str(self._folder / handle / name), len(data))

    def _make_room(self, vault: int, size: int) -> None:
        """Delete what has expired, and what killed writers left.

        Raises UnwritableError when that is not enough.
        """
        results = list(_sizes(vault))
        wanted = Limits(self._limits.age, self._limits.count - 1, self._limits.bytes - size)
        gone = set(expired(results, self._now(), wanted))
        for name in [*gone, *_abandoned(vault, self._now())]:
            _delete(vault, name)
        left = [result for result in results if result.handle not in gone]
        if reason := refusal(left, size, self._limits):
            raise UnwritableError(f"{reason}; call the tool again with a narrower request.")

    def _write(self, vault: int, handle: str, files: Sequence[tuple[str, bytes]]) -> None:
        temp = f".{handle}{atomic.TEMP_SUFFIX}"
        try:
            os.mkdir(temp, private.FOLDER, dir_fd=vault)
            with _opened_below(vault, temp) as folder:
                for name, data in files:
                    atomic.write_below(
                        folder, name, data, str(self._folder / handle / name), private=True
                    )
            os.rename(temp, handle, src_dir_fd=vault, dst_dir_fd=vault)
            os.fsync(vault)
        except OSError as error:
            _delete(vault, temp)
            raise StoreError(f"cannot write {str(self._folder)!r}: {atomic.advice(error)}") from error
        except StoreError:
            _delete(vault, temp)
            raise


def _ending(part: Part) -> str:
    match part:
        case JsonPart():
            return "json"
        case TablePart():
            return "tsv" if part.delimiter == "\t" else "csv"
        case TextPart():
            return "txt"
        case BinaryPart():
            return ending_of(part.mime)


def _details(result: StoredResult) -> bytes:
    rows = [
        {
            "file": Path(stored.file).name,
            "kind": stored.part.kind,
            "name": stored.part.name,
            "mime": stored.part.mime if isinstance(stored.part, BinaryPart) else "",
            "delimiter": stored.part.delimiter if isinstance(stored.part, TablePart) else "",
        }
        for stored in result.parts
    ]
    details = {"version": 1, "tool": result.tool, "parts": rows}
    return json.dumps(details, ensure_ascii=False).encode("utf-8", "replace")


def _part(row: Any, data: bytes) -> Part:
    mime, delimiter = str(row["mime"]), str(row["delimiter"])
    return decoded(str(row["kind"]), data, str(row["name"]), mime=mime, delimiter=delimiter)


@contextmanager
def _opened_below(vault: int, name: str) -> Iterator[int]:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    folder = os.open(name, flags, dir_fd=vault)
    try:
        yield folder
    finally:
        os.close(folder)


def _sizes(vault: int) -> Iterator[StoredSize]:
    """The results that are there, with their bytes; another process may delete some meanwhile."""
    for name in os.listdir(vault):
        if HANDLE.fullmatch(name):
            with suppress(OSError), _opened_below(vault, name) as folder:
                sizes = [
                    os.stat(file, dir_fd=folder, follow_symlinks=False).st_size
                    for file in os.listdir(folder)
                ]
                yield StoredSize(name, os.fstat(folder).st_mtime, sum(sizes))


def _abandoned(vault: int, now: float) -> Iterator[str]:
    """Folders of writers that were killed an hour ago or earlier."""
    for name in atomic.temp_files(vault):
        with suppress(OSError):
            if (
                now - os.stat(name, dir_fd=vault, follow_symlinks=False).st_mtime
                > atomic.ABANDONED_SECONDS
            ):
                yield name


def _delete(vault: int, name: str) -> None:
    """Delete a result; `result.json` goes first, so that a half deleted one is unknown."""
    with suppress(OSError), _opened_below(vault, name) as folder:
        for file in sorted(os.listdir(folder), key=lambda file: file != _DETAILS):
            atomic.remove(folder, file)
    with suppress(OSError):
        os.rmdir(name, dir_fd=vault)
