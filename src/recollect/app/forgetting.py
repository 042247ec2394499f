"""Forgetting a memory: its file, the links to it, and everything that was derived from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.app.library import memory_index
from recollect.app.memory_history import revisions
from recollect.app.project import Recollect
from recollect.app.state_source import state_of_root
from recollect.graph.causal import Edge
from recollect.ids import as_memory, unified
from recollect.records.body import body
from recollect.records.json_format import JsonObject
from recollect.records.links import superseded_ids
from recollect.records.record import Memory
from recollect.records.store import Stored
from recollect.storage.files.decisions import FileDecisions


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """What forgetting a memory would do.

    `holders` are the links of other memories to it, which are removed. Of the memories that it replaced,
    `ended` stay out of force, because their own file ends them, and `revived` come back into force. git has
    `commits` versions of its file, which stay.
    """

    stored: Stored
    holders: tuple[Edge, ...]
    ended: tuple[str, ...]
    revived: tuple[str, ...]
    commits: int


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was done. `remains` says what still has some of it, and until when."""

    plan: ForgetPlan
    drafts: tuple[str, ...]
    remains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Deletes memories of a project, or of its user, for good."""

    recollect: Recollect

    def plan(self, id: str) -> ForgetPlan:
        """What forgetting would do. Raises NotFoundError for an unknown memory."""
        stored = self.recollect.get(id)
        memory = stored.memory
        edges = self.recollect.graphs.edges()
        holders = [edge for edge in edges if edge.target == memory.unified_id]
        others = tuple(edge for edge in holders if edge.source != memory.unified_id)
        named = (self.recollect.graphs.memory(unified(id)) for id in superseded_ids(memory))
        older = [each for each in named if each is not None]
        ended = tuple(each.id for each in older if each.valid_to is not None)
        revived = tuple(each.id for each in older if each.valid_to is None)
        return ForgetPlan(stored, others, ended, revived, len(revisions(self.recollect, memory)))

    def forget(self, plan: ForgetPlan) -> Forgotten:
        """Delete it at once. The links to it go first, so that none is left that leads nowhere."""
        memory = plan.stored.memory
        self._unlink(plan.holders)
        home = self.recollect.home_of(memory.id)
        with home.store.writing():
            home.store.delete(home.get(memory.id))
        drafts = self._drop_drafts(memory)
        self._undismiss(memory.id)
        FileDecisions(self.recollect.state_folder).clear()
        is_shared = self.recollect.team is not None
        return Forgotten(plan, drafts, (*self._erase(memory), *_elsewhere(plan, is_shared=is_shared)))

    def _unlink(self, edges: Sequence[Edge]) -> None:
        for edge in edges:
            if (holder := as_memory(edge.source)) is not None:
                self.recollect.home_of(holder).unlink(holder, edge.type, edge.target)

    def _drop_drafts(self, memory: Memory) -> tuple[str, ...]:
        """Drop the drafts that say the same, and a newer draft of the session that it summarises."""
        sessions = self.recollect.sessions
        dropped = []
        for draft in sessions.drafts.all():
            is_its_session = bool(draft.session) and sessions.summary_of(draft.session) == memory.id
            if is_its_session or _repeats(draft.document, memory):
                sessions.drafts.drop(draft.name)
                dropped.append(draft.name)
        return tuple(dropped)

    def _undismiss(self, id: str) -> None:
        dismissals = self.recollect.state.dismissals()
        for key in dismissals.all():
            if id in key.split(" ") or f"mem:{id}" in key.split(" "):
                dismissals.remove(key)

    def _erase(self, memory: Memory) -> list[str]:
        """Erase it from the derived files and the sessions; what could not be."""
        recollect = self.recollect
        if recollect.team is not None:
            recollect.team.revisions.erase(f"{memory.category.folder}/{memory.id}.json")
        erased = recollect.finder.forget(memory.title, body(memory))
        user = recollect.user_space.store
        if user.root != recollect.project.root:
            index = memory_index([user])
            if index.exists():  # made by `--user` outside of any project
                erased &= index.rewrite()
                index.close()
        for state in (recollect.state, state_of_root(user.root)):
            erased &= state.erase(memory.id)
        if erased:
            return []
        return [
            "a process that has the index or the sessions open: run `recollect doctor` after it ends"
        ]


def _repeats(document: JsonObject, memory: Memory) -> bool:
    """Whether a draft says the same as a memory."""
    if document.get("category") != memory.category.value:
        return False
    return document.get("content") == memory.content or document.get("title") == memory.title


def _elsewhere(plan: ForgetPlan, *, is_shared: bool) -> list[str]:
    """What we do not delete, and say so."""
    remains = []
    if plan.commits:
        remains.append(f"git: {plan.commits} commits have earlier versions of its file")
    if is_shared:
        remains.append("the database's server until it is vacuumed, and its backups")
    if plan.holders or plan.ended:
        remains.append("the history of the memories that were linked to it: its id")
    return remains
