"""What the checks examine: one root, read once."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from recollect.errors import InvalidError
from recollect.graph.skills import SkillGraph
from recollect.health.finding import HealthFinding
from recollect.records.json_format import line_among, lines
from recollect.records.lifecycle import Retention
from recollect.records.record import Memory
from recollect.records.redaction_port import RedactionGate
from recollect.records.store import Scan
from recollect.storage.files.store import FileStore
from recollect.storage.files.worktree import WorkTree
from recollect.storage.project import Identity, Project
from recollect.working.view import Session


@dataclass(frozen=True, slots=True)
class Subject:
    """One root and its surroundings. The user's own memories belong to no project."""

    store: FileStore
    scan: Scan
    worktree: WorkTree
    retention: Retention
    gate: RedactionGate
    now: datetime
    elsewhere: frozenset[str]  # ids in the other root, which links may point to
    project: Project | None = None
    identity: Identity | None = None
    hook_log: Path | None = None
    skills: SkillGraph | None = None
    config_problems: tuple[str, ...] = ()
    unknown_keys: tuple[str, ...] = ()
    sessions: tuple[Session, ...] = ()
    overlapping_rules: tuple[tuple[str, str], ...] = ()
    config_notes: tuple[str, ...] = ()
    broken_connections: tuple[tuple[str, str], ...] = ()  # a harness, and why what it runs cannot start
    _lines: dict[str, dict[str, int]] = field(default_factory=dict)  # of the last file asked for

    @property
    def memories(self) -> Mapping[str, Memory]:
        return {stored.memory.id: stored.memory for stored in self.scan.stored}

    def line(self, memory: Memory, name: str) -> int | None:
        """The line of a field in a memory's file; None when the file is gone or changed."""
        if memory.id not in self._lines:
            self._lines.clear()
            self._lines[memory.id] = self._read(memory)
        return line_among(self._lines[memory.id], name)

    def _read(self, memory: Memory) -> dict[str, int]:
        path = self.store.root.find(memory.id)
        try:
            return dict(lines(self.store.root.read(path).decode("utf-8-sig"))) if path else {}
        except (InvalidError, ValueError):
            return {}


Check = Callable[[Subject], Iterator[HealthFinding]]
