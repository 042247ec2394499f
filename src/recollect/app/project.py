"""A project's memory, opened: everything that a door may ask for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.app.connections import Connections
from recollect.app.finder import Finder
from recollect.app.graphs import LatestMap, ProjectGraphs
from recollect.app.library import MemorySpace
from recollect.app.models import configured_reranker, missing_reranker
from recollect.app.past_sessions import PastSessions
from recollect.app.reranking import unlimited_reranking
from recollect.app.search import MemoryListing, ProjectSearch
from recollect.app.sessions import Sessions
from recollect.app.settings import retained_since
from recollect.app.skills import Skills
from recollect.app.state_source import StateSource
from recollect.app.thresholds import stored_thresholds
from recollect.app.traces import ProjectTraces
from recollect.app.upkeep import Upkeep
from recollect.clock import from_text, to_text
from recollect.config import Config
from recollect.errors import NotFoundError, RefusedError
from recollect.graph.skills import SkillGraph, SkillNode
from recollect.ids import parse_unified
from recollect.learning.thresholds import AdaptiveThreshold
from recollect.records.anchors import AnchorState
from recollect.records.in_force import Force, force_of
from recollect.records.links import closed_by
from recollect.records.memories import Memories
from recollect.records.record import Memory
from recollect.records.store import Progress, Stored
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.search import Hit
from recollect.storage import git, private
from recollect.storage import project as projects
from recollect.storage.files.store import FileStore
from recollect.storage.files.worktree import WorkTree
from recollect.storage.models.installed import ModelFolder
from recollect.storage.project import Identity, Project
from recollect.storage.sqlite.index_file import times_of
from recollect.values import replaced

if TYPE_CHECKING:
    from recollect.app.team_opening import TeamStores


@dataclass(frozen=True, slots=True)
class Recollect:
    """One project's memory, with the user's own beside it.

    A door asks for a use case and never reaches through to an adapter: `space`, `user_space`, `finder`
    and `state` are for the application.
    """

    config: Config
    project: Project
    space: MemorySpace
    user_space: MemorySpace
    worktree: WorkTree
    finder: Finder
    models: ModelFolder
    connections: Connections
    skills: Skills
    traces: ProjectTraces
    state: StateSource
    team: "TeamStores | None" = None  # where memories are in a team's database
    latest_map: LatestMap = field(default_factory=LatestMap)

    @property
    def folder(self) -> Path:
        """The project's folder, which paths in memories are relative to."""
        return self.project.folder

    @property
    def root(self) -> Path:
        """The folder of the project's memories."""
        return self.project.root.path

    @property
    def state_folder(self) -> Path:
        """The folder of databases, locks and sockets; `prepare_state_folder` makes it."""
        return self.project.root.state

    def prepare_state_folder(self) -> Path:
        """The state folder, made if it is missing. Raises StoreError where it cannot be made."""
        FileStore(self.project.root).prepare_state()
        return self.state_folder

    def use_reranker(self, user_file: str) -> None:
        """Rerank searches from now on, however long that takes, as only commands may that were told to.

        Raises NotFoundError where none is installed, or where it cannot be used.
        """
        model = configured_reranker(self.models, self.config, user_file)
        reason = missing_reranker(self.models, self.config, user_file)
        if model is None or reason:
            absent = "no reranker is installed; `recollect model install --role reranker` gets one"
            raise NotFoundError(f"{reason or absent}.")
        self.finder.reranking = unlimited_reranking(model)

    @property
    def memories(self) -> Memories:
        """The project's memories."""
        return self.space.memories

    @property
    def user_memories(self) -> Memories:
        """The user's memories, the same in every project."""
        return self.user_space.memories

    def memories_to_write(self, *, user: bool) -> Memories:
        """The project's memories, or the user's, whose folder is made if it is missing."""
        if not user:
            return self.memories
        private.make_folder(self.user_space.store.root.path)
        return self.user_memories

    @property
    def memory_count(self) -> int:
        """How many files the project's memories have, broken ones included."""
        return len(self.memories.store.taken())

    @property
    def inventory(self) -> str:
        """The project's memories as Markdown, a line each: `index.md`, or what it would say."""
        text = self.space.store.inventory_now()
        return self.space.store.inventory() if text is None else text

    @property
    def now(self) -> datetime:
        """This moment, by the project's clock."""
        return self.memories.clock()

    @property
    def in_force(self) -> Filters:
        """Only memories that are in force now."""
        return Filters(in_force_at=to_text(self.now))

    @property
    def current(self) -> Filters:
        """Only memories that are in force now and not past the retention of their category."""
        return replaced(self.in_force, retained_since=retained_since(self.config, self.now))

    def overdue(self, document: Document) -> str:
        """That a memory is past the retention of its category, so that no prompt gets it; '' if not."""
        since = dict(retained_since(self.config, self.now)).get(document.category)
        if since is None or (document.updated_at or document.created_at) >= since:
            return ""
        return f"past its {self.config.categories.retention_days(document.category)} days"

    @property
    def identity(self) -> Identity:
        """The name of the project."""
        return projects.identify(self.project)

    def folder_times(self) -> list[int]:
        """When a file was last made, renamed or deleted in each folder, in nanoseconds."""
        return times_of(str(space.store.root.path) for space in (self.space, self.user_space))

    def home_of(self, id: str) -> Memories:
        """The memories that `id` belongs to: the project's, else the user's."""
        return self._located(id)[0]

    def get(self, id: str) -> Stored:
        """The memory of that id, the project's before the user's."""
        return self._located(id)[1]

    def _located(self, id: str) -> tuple[Memories, Stored]:
        is_users = not self.memories.has(id) and self.user_memories.has(id)
        memories = self.user_memories if is_users else self.memories
        return memories, memories.get(id)  # if there is none, it suggests similar ids of the project

    def skill(self, id: str) -> tuple[SkillNode, SkillGraph]:
        """The page of a skill, and the graph it is in. Raises NotFoundError when there is none."""
        graph = self.skills.search().graph
        if (node := graph.find(parse_unified(id))) is None:
            similar = get_close_matches(id, list(graph.nodes), n=3)
            suggestion = f"did you mean {' or '.join(similar)}?"
            hint = suggestion if similar else "`recollect search` finds skills."
            raise NotFoundError(f"there is no skill {id!r} in the skill folders; {hint}")
        return node, graph

    @property
    def searched_skills(self) -> Skills | None:
        """The skills, if search includes them."""
        return self.skills if self.finder.graph else None

    @property
    def search(self) -> ProjectSearch:
        """Search, and the index that it uses."""
        hints = self.user_space.store.root.path.parent / "told"
        return ProjectSearch(
            self.finder,
            self.sessions,
            self.worktree,
            self.config,
            self.memories.clock,
            hints,
            self.traces,
        )

    def listing(
        self,
        filters: Filters,
        tags: Sequence[str],
        progress: Progress,
        *,
        offset: int = 0,
        limit: int | None = None,
    ) -> MemoryListing:
        """The project's memories that pass and have these tags; the last changed first."""
        store = self.space.store
        return self.search.newest_first(filters, tags, store, progress, offset=offset, limit=limit)

    def find(self, request: Request, progress: Progress | None = None) -> SearchResult:
        """Search the project's memories and the user's; see `ProjectSearch.find`."""
        return self.search.find(request, progress)

    def drifted(self, hit: Hit) -> bool:
        """Whether the code that a hit is anchored to has changed or gone since it was written."""
        return self.search.is_drifted(hit)

    @property
    def sessions(self) -> Sessions:
        """The sessions of the project, and the injections into their prompts."""
        return Sessions(self.state, self.memories, self.memories.gate)

    @property
    def thresholds(self) -> Sequence[AdaptiveThreshold]:
        """The thresholds that something was learned for, by kind. Raises StoreError."""
        return stored_thresholds(self.state)

    @property
    def past_sessions(self) -> PastSessions:
        """Past sessions, from transcripts on this machine."""
        return PastSessions(self.state_folder, self.prepare_state_folder)

    @property
    def graphs(self) -> ProjectGraphs:
        """The links between memories."""
        find = self.search.find_indexed
        return ProjectGraphs(
            self.finder.index, self.get, find, self.folder, self.skills, self.latest_map
        )

    @property
    def upkeep(self) -> Upkeep:
        """Health, derived files, backup, export, settings and removal."""
        return Upkeep(
            self.project,
            self.space,
            self.user_space,
            self.worktree,
            self.finder,
            self.connections,
            self.skills,
            self.config,
            self.sessions,
        )

    def moment(self, text: str | None, *, end_of_day: bool = False) -> str | None:
        """The moment that a date or a commit names, as the index stores it; of a date, its start or end."""
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
            output = git.ask(self.folder, *show, f"{text}^{{commit}}")
            if not output:
                raise RefusedError(
                    f"{text!r} is neither a date such as 2026-01-31 nor a commit."
                ) from None
            return from_text(output.splitlines()[-1])

    def force(self, memory: Memory) -> Force:
        """What decides whether a memory is in force, with who supersedes it as far as the index knows."""
        index, id = self.finder.index, memory.unified_id
        linked = index.attempt(lambda: index.reader().successors([id])) or {}
        successors = [(newer.removeprefix("mem:"), start) for newer, start in linked.get(id, ())]
        return force_of(memory, successors or closed_by(memory))

    def verdicts(self, memory: Memory) -> list[tuple[str, AnchorState]]:
        """The path and the state of the code at each anchor of a memory."""
        return [(anchor.path, self.worktree.verdict(anchor)) for anchor in memory.anchors]


def _is_day(text: str) -> bool:
    """Whether a text names a day without an hour, in any form of ISO 8601."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
