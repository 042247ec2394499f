"""A project's memory, opened: everything that a door may ask for."""

from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path

from recollect import user_paths
from recollect.agents.install import FileChange
from recollect.app.attention import boosts_of
from recollect.app.connections import Connections
from recollect.app.finder import Finder
from recollect.app.graphs import ProjectGraphs
from recollect.app.sessions import Sessions
from recollect.app.settings import set_value
from recollect.app.skills import Skills
from recollect.clock import from_text, to_text
from recollect.config import Config
from recollect.errors import (
    MemoryNotFoundError,
    NotFoundError,
    RefusedError,
)
from recollect.graph.skills import SkillGraph, SkillNode
from recollect.health import doctor
from recollect.health.finding import HealthFinding
from recollect.health.subject import Subject
from recollect.ids import parse_unified
from recollect.importing.export import export_document
from recollect.records.anchors import AnchorState
from recollect.records.memories import Memories
from recollect.records.record import Memory
from recollect.records.store import Broken, Progress, Scan, Stored
from recollect.retrieval.index import Filters
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Hit
from recollect.storage import backup, git
from recollect.storage import project as projects
from recollect.storage.files import atomic, setup
from recollect.storage.files.folder_times import times_of
from recollect.storage.files.setup import SetupChange
from recollect.storage.files.store import FileStore
from recollect.storage.files.worktree import WorkTree
from recollect.storage.models.installed import ModelFolder
from recollect.storage.project import Identity, Project
from recollect.values import replaced


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """The memories of one root, and the store below them for those who look after it."""

    memories: Memories
    store: FileStore


@dataclass(frozen=True, slots=True)
class Recollect:
    """One project's memory, with the user's own beside it."""

    config: Config
    project: Project
    shelf: MemorySpace
    user_shelf: MemorySpace
    worktree: WorkTree
    finder: Finder
    models: ModelFolder
    connections: Connections
    skills: Skills

    @property
    def memories(self) -> Memories:
        """The project's memories."""
        return self.shelf.memories

    @property
    def user_memories(self) -> Memories:
        """The user's memories, the same in every project."""
        return self.user_shelf.memories

    @property
    def now(self) -> datetime:
        """This moment, by the project's clock."""
        return self.memories.clock()

    @property
    def in_force(self) -> Filters:
        """Only what holds at this moment."""
        return Filters(valid_at=to_text(self.now))

    @property
    def identity(self) -> Identity:
        """The name of the project."""
        return projects.identify(self.project)

    def folder_times(self) -> list[int]:
        """When something was last made, renamed or deleted in each folder, in nanoseconds."""
        return times_of(str(shelf.store.root.path) for shelf in (self.shelf, self.user_shelf))

    def home_of(self, id: str) -> Memories:
        """Whose memory `id` is: the project's, else the user's."""
        try:
            self.memories.get(id)
        except MemoryNotFoundError:
            try:
                self.user_memories.get(id)
            except MemoryNotFoundError:
                return self.memories  # whose error names near ids
            return self.user_memories
        return self.memories

    def get(self, id: str) -> Stored:
        """The memory of that id, the project's before the user's."""
        return self.home_of(id).get(id)

    def skill(self, id: str) -> tuple[SkillNode, SkillGraph]:
        """The page of a skill, and the graph it is in. Raises NotFoundError when there is none."""
        graph = self.skills.search().graph
        if (node := graph.find(parse_unified(id))) is None:
            near = get_close_matches(id, list(graph.nodes), n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "`recollect search` finds skills."
            raise NotFoundError(f"there is no skill {id!r} in the skill folders; {hint}")
        return node, graph

    def look(
        self, progress: Progress | None = None
    ) -> "list[tuple[MemorySpace, Subject, list[HealthFinding]]]":
        """Examine the project's root and, where there is one, the user's."""
        scan = self.memories.scan(progress)
        patients = [(self.shelf, self._patient(self.shelf, scan, self.user_shelf, in_project=True))]
        if self.user_shelf.store.root.path.is_dir():
            own = self._patient(self.user_shelf, self.user_memories.scan(), self.shelf)
            patients.append((self.user_shelf, own))
        return [(shelf, patient, doctor.examine(patient)) for shelf, patient in patients]

    def _patient(
        self, shelf: "MemorySpace", scan: Scan, other: "MemorySpace", *, in_project: bool = False
    ) -> Subject:
        return Subject(
            shelf.store,
            scan,
            self.worktree,
            shelf.memories.retention,
            shelf.memories.gate,
            shelf.memories.clock(),
            frozenset(other.store.taken()),
            self.project if in_project else None,
            self.identity if in_project else None,
            self.user_shelf.store.root.path.parent / user_paths.HOOK_LOG if in_project else None,
            self.skills.reread() if in_project else None,
        )

    def mend(
        self, shelf: "MemorySpace", patient: Subject, findings: list[HealthFinding]
    ) -> list[HealthFinding]:
        """Do what is safe about these findings; returns those that were dealt with."""
        return doctor.mend(patient, shelf.memories, findings)

    def back_up(self, target: Path | None) -> tuple[Path, int]:
        """Pack the project's memory into one file; where it went, and how many files it holds."""
        stamp = self.memories.clock().strftime("%Y%m%d-%H%M%S")
        name = f"{self.project.folder.name}-{stamp}.tar.gz"
        path = target or self.user_shelf.store.root.path.parent / "backups" / name
        path = path / name if path.is_dir() else path
        if path.exists():
            raise RefusedError(f"{str(path)!r} exists already; name another file.")
        return path, backup.back_up(self.shelf.store, path)

    def export(
        self, *, user: bool, progress: Progress | None = None
    ) -> tuple[bytes, int, tuple[Broken, ...]]:
        """Every memory of a root as one file's bytes; how many, and what could not be read."""
        memories = self.user_memories if user else self.memories
        scan = memories.scan(progress)
        found = [memories.cleaned(stored) for stored in scan.stored]
        data = export_document(found, self.identity.name, memories.clock())
        return data, len(found), scan.broken

    def write_file(self, path: Path, data: bytes) -> None:
        """Write a file for the user, whole or not at all."""
        atomic.write(path, data, str(path))

    def configure(self, key: str, value: str, *, user: bool) -> None:
        """Set one key in the project's configuration file, or in the user's."""
        root = self.user_shelf.store.root.path.parent if user else self.project.root.path
        set_value(root / user_paths.CONFIG_NAME, key, value)

    def uninstall(self) -> list[SetupChange]:
        """Take out what `init` put in; the memories stay."""
        steps = []
        for harness in self.connections.connected():
            changes = self.connections.disconnecting(harness)
            self.connections.apply(changes)
            steps += [_disconnected(harness, change) for change in changes]
        return [*steps, *setup.uninstall(self.project)]

    def find(self, request: Request, progress: Progress | None = None) -> SearchResult:
        """Search the project's memories and the user's.

        In `auto` mode the answer is what a prompt would be given: valid, trusted and not drifted, or
        nothing at all.
        """
        request = self._attended(request)
        if request.mode == "auto":
            strict = replaced(request.filters, valid_at=to_text(self.now), only_trusted=True)
            found = self.finder.find(replaced(request, filters=strict), progress)
            hits = tuple(hit for hit in found.answer.hits if not self.drifted(hit))
            withheld = len(found.answer.hits) - len(hits)
            return replaced(found, answer=replaced(found.answer, hits=hits), withheld=withheld)
        found = self.finder.find(request, progress)
        if found.answer.guessed:
            note = "no memory contains these words; showing the closest by meaning"
            return replaced(found, notes=(*found.notes, note))
        unaware = request.strategy is None and self.finder.embedder is None and not self.finder.missing
        if unaware and self._first_time("no-model"):
            note = "search goes by words only; `recollect model install` adds search by meaning"
            return replaced(found, notes=(*found.notes, note))
        return found

    def _first_time(self, what: str) -> bool:
        """Whether the user has not been told of something yet; they are now."""
        told = self.user_shelf.store.root.path.parent / "told" / what
        try:
            told.parent.mkdir(parents=True, exist_ok=True)
            told.touch(exist_ok=False)
        except OSError:
            return False
        return True

    def drifted(self, hit: Hit) -> bool:
        """Whether the code that a hit speaks of has changed or gone since it was written."""
        return self.worktree.drifted(hit.document.anchors)

    def moment(self, text: str | None, *, end_of_day: bool = False) -> str | None:
        """The moment that a date or a commit names, as the index writes it; of a date, its start or end."""
        if not text:
            return None
        moment = self._named_moment(text)
        if end_of_day and _is_day(text):
            moment = moment.replace(hour=23, minute=59, second=59)
        return to_text(moment)

    def _named_moment(self, text: str) -> datetime:
        try:
            return from_text(text)
        except ValueError:
            show = ("show", "-s", "--format=%cI", "--end-of-options")
            told = git.ask(self.project.folder, *show, f"{text}^{{commit}}")
            if not told:
                raise RefusedError(
                    f"{text!r} is neither a date such as 2026-01-31 nor a commit."
                ) from None
            return from_text(told.splitlines()[-1])

    @property
    def sessions(self) -> Sessions:
        """What is going on, and what prompts were given."""
        return Sessions(self.project.root.state, self.memories, self.memories.gate)

    def _attended(self, request: Request) -> Request:
        """A request with what the session seen last pays attention to, where that is switched on."""
        boosts = boosts_of(self.config)
        if request.attention is not None or not boosts:
            return request
        attention = self.sessions.attention(self.finder.index.update(), boosts)
        return replaced(request, attention=attention)

    @property
    def graphs(self) -> ProjectGraphs:
        """What leads to what."""
        return ProjectGraphs(self.finder.index, self.get, self.find, self.project.folder)

    def verdicts(self, memory: Memory) -> list[tuple[str, AnchorState]]:
        """What became of the code that a memory is anchored to: (path, verdict) for each anchor."""
        return [(anchor.path, self.worktree.verdict(anchor)) for anchor in memory.anchors]


def _is_day(text: str) -> bool:
    """Whether a text names a day, however ISO 8601 lets it be written, and no hour of it."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _disconnected(harness: str, change: FileChange) -> SetupChange:
    what = f"{harness}: {change.path}"
    if change.advice:
        return SetupChange(what, "kept", change.advice.split("\n")[0])
    if change.after is None:
        return SetupChange(what, "removed", "there was nothing else in it")
    return SetupChange(what, "changed", "our entries are out, the rest is as it was")
