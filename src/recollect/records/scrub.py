"""Find secrets in memories that were written without the gate, and remove them on request."""

from contextlib import nullcontext
from dataclasses import dataclass

from recollect.records.memories import Memories
from recollect.records.record import Memory
from recollect.records.redaction_port import SecretFinding
from recollect.records.store import Progress, Stored


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A memory that contains secrets: its path, the secrets, and whether they were removed from the file."""

    path: str
    findings: tuple[SecretFinding, ...]
    fixed: bool


def scrub(memories: Memories, *, fix: bool, progress: Progress | None = None) -> list[Scrubbed]:
    """Scan every memory for secrets, and with `fix` rewrite it without them.

    Nothing else in a memory changes, its times included. Unreadable files are skipped.
    """
    with memories.store.writing() if fix else nullcontext():
        scanned = [_scrubbed(memories, stored, fix=fix) for stored in memories.scan(progress).stored]
    return [memory for memory in scanned if memory.findings]


def _scrubbed(memories: Memories, stored: Stored, *, fix: bool) -> Scrubbed:
    document, findings = memories.gated(stored.memory.document)
    if findings and fix:
        memories.store.replace(stored, Memory.parse(document, stored.path))
    return Scrubbed(stored.path, tuple(findings), fix)
