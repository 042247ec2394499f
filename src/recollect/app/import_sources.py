"""What can be imported: files, which `importing.sources` reads, and databases of other tools."""

from collections.abc import Iterator
from pathlib import Path

from recollect.errors import RefusedError
from recollect.importing import claude_mem, sources
from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.sources import SourceKind
from recollect.records.json_format import Json
from recollect.records.redaction_port import RedactionGate
from recollect.storage.sqlite import claude_mem as claude_mem_rows
from recollect.storage.sqlite.foreign import is_database


def detect(path: Path) -> SourceKind:
    """The kind of source at `path`. Raises RefusedError, which lists the supported ones."""
    return SourceKind.CLAUDE_MEM if is_database(path) else sources.detect(path)


def read(
    path: Path, kind: SourceKind, *, base: Path, gate: RedactionGate
) -> Iterator[Incoming | Skipped]:
    """The parts of a source. Origins below `base`, the project's folder, are relative to it."""
    if kind is not SourceKind.CLAUDE_MEM:
        return sources.read(path, kind, base=base, gate=gate)
    if not is_database(path):
        raise RefusedError(f"{str(path)!r} is not a SQLite database; claude-mem's is claude-mem.db.")
    return _claude_mem(path, base, gate)


def _claude_mem(path: Path, base: Path, gate: RedactionGate) -> Iterator[Incoming | Skipped]:
    """A database of claude-mem. Each row passes the gate before anything is cut out of it."""

    def clean() -> Iterator[tuple[str, dict[str, Json]]]:
        for table, row in claude_mem_rows.rows(path, claude_mem.TABLES):
            redacted, _ = gate(row)
            yield table, redacted if isinstance(redacted, dict) else {}

    origin = sources.origin_of(path, base)
    return claude_mem.read(clean(), str(gate(origin)[0]), base.name)
