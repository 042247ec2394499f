"""Secrets in memories that did not come through the gate: found, and taken out when asked."""

from contextlib import nullcontext
from dataclasses import dataclass

from recollect.records.memories import Memories
from recollect.records.record import Memory
from recollect.records.redaction_port import SecretFinding
from recollect.records.store import Progress, Stored


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A memory with secrets in it: where it is, what was found, whether that is out of the file now."""

    path: str
    findings: tuple[SecretFinding, ...]
    fixed: bool


def scrub(memories: Memories, *, fix: bool, progress: Progress | None = None) -> list[Scrubbed]:
    """Look for secrets in every memory, and with `fix` write it anew without them.

    Nothing else of a memory changes, its times included. Files that cannot be read are not looked at.
    """
    with memories.store.writing() if fix else nullcontext():
        looked = [_looked(memories, one, fix=fix) for one in memories.scan(progress).stored]
    return [one for one in looked if one.findings]


def _looked(memories: Memories, stored: Stored, *, fix: bool) -> Scrubbed:
    document, findings = memories.gated(stored.memory.document)
    if findings and fix:
        memories.store.replace(stored, Memory.parse(document, stored.path))
    return Scrubbed(stored.path, tuple(findings), fix)
