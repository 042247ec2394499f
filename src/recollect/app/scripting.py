"""The Python API: what a script needs of a project's memory, as plain values.

`recollect.open` returns a `ProjectMemory`; the functions of the same names open the project of a folder for
one call. Nothing here asks a person: a script that saves does so in its user's name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recollect.app.opening import open_project, open_user
from recollect.app.project import Recollect
from recollect.app.remembering import Remembering
from recollect.records.categories import Category
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject
from recollect.records.memories import Repeats, Saved
from recollect.records.record import Memory
from recollect.records.sentence.proposal import Contradicts, Outcome
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.snippet import snippet

_LIMIT = 10


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A memory or skill that a search returned; a higher `score` is better, within one search."""

    id: str
    title: str
    category: str
    path: str
    tags: tuple[str, ...]
    score: float
    snippet: str


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What came of a save. A duplicate or a contradiction was not written; `id` is the other memory."""

    action: Literal["created", "updated", "unchanged", "duplicate", "contradiction"]
    id: str
    path: str
    superseded: tuple[str, ...] = ()

    @property
    def is_written(self) -> bool:
        """Whether the memory `id` says it now."""
        return self.action in ("created", "updated", "unchanged")


@dataclass(frozen=True, slots=True)
class Reason:
    """One step back from a memory: how it relates to the memory `id`, with the evidence for it."""

    relation: str
    id: str
    title: str
    evidence: str
    depth: int


@dataclass(frozen=True, slots=True)
class WhyResult:
    """The memory that a question is about, and its reasons, the nearest first."""

    memory: Memory
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class ProjectMemory:
    """The memory of one project, or with `user` the user's own. Not for two threads at once."""

    recollect: Recollect
    user: bool = False

    def get(self, id: str) -> Memory:
        """The memory of an id. Raises NotFoundError."""
        return self.recollect.get(id).memory

    def search(self, text: str, *, limit: int = _LIMIT) -> list[FoundMemory]:
        """What a person or an agent finds, best first."""
        return _hits(self.recollect.find(Request(text, limit=limit)))

    def recall(self, prompt: str) -> list[FoundMemory]:
        """What the hook would add to a prompt: in force, trusted, worth it; often nothing."""
        return _hits(self.recollect.find(Request(prompt, mode="auto")))

    def save(
        self,
        category: str,
        title: str,
        content: Mapping[str, Json],
        *,
        tags: Sequence[str],
        supersedes: Sequence[str] = (),
        allow_duplicate: bool = False,
    ) -> SaveResult:
        """Save a memory. Raises InvalidMemoryError that lists every problem of the record."""
        document: JsonObject = {
            "category": Category(category).value,
            "title": title,
            "tags": list[Json](tags),
            "content": dict(content),
            **self._links(supersedes),
        }
        memories = self.recollect.memories_to_write(user=self.user)
        return _result(memories.save(Draft(document), allow_repeat=allow_duplicate))

    def remember(
        self, sentence: str, *, supersedes: Sequence[str] = (), allow_duplicate: bool = False
    ) -> SaveResult:
        """Save one sentence; category, title, tags and fields are derived from its words."""
        remembering = Remembering(self.recollect, self.user)
        proposal = remembering.propose(sentence)
        document = proposal.document | self._links(supersedes)
        return _result(remembering.save(proposal, document, allow_repeat=allow_duplicate))

    def why(self, question: str) -> WhyResult:
        """The reasons of the memory that an id or a question names. Raises NotFoundError."""
        answer = self.recollect.graphs.why(question).why
        reasons = [
            Reason(
                step.relation,
                step.there.removeprefix("mem:"),
                answer.known[step.there].title if step.there in answer.known else "",
                step.edge.evidence or "",
                step.depth,
            )
            for step in answer.steps
        ]
        return WhyResult(answer.memory, tuple(reasons))

    def _links(self, superseded: Sequence[str]) -> JsonObject:
        targets = [self.recollect.get(id).memory.unified_id for id in superseded]
        links: list[Json] = [{"type": "supersedes", "target": target} for target in targets]
        return {"links": links} if links else {}


def open(folder: Path | str = ".", *, user: bool = False) -> ProjectMemory:
    """The memory of the project that a folder is in; with `user` the user's own, from any folder.

    Raises NoProjectError where there is none.
    """
    return ProjectMemory(open_user(folder) if user else open_project(folder), user)


def search(text: str, *, folder: Path | str = ".", limit: int = _LIMIT) -> list[FoundMemory]:
    """Search the memory of the project that a folder is in."""
    return open(folder).search(text, limit=limit)


def recall(prompt: str, *, folder: Path | str = ".") -> list[FoundMemory]:
    """What the hook would add to a prompt in a folder."""
    return open(folder).recall(prompt)


def save(
    category: str,
    title: str,
    content: Mapping[str, Json],
    *,
    tags: Sequence[str],
    folder: Path | str = ".",
) -> SaveResult:
    """Save a memory in the project that a folder is in."""
    return open(folder).save(category, title, content, tags=tags)


def remember(sentence: str, *, folder: Path | str = ".") -> SaveResult:
    """Save one sentence in the project that a folder is in."""
    return open(folder).remember(sentence)


def why(question: str, *, folder: Path | str = ".") -> WhyResult:
    """The reasons of a memory of the project that a folder is in."""
    return open(folder).why(question)


def _hits(result: SearchResult) -> list[FoundMemory]:
    return [
        FoundMemory(
            hit.document.id.removeprefix("mem:"),
            hit.document.title,
            hit.document.category,
            hit.document.path,
            hit.document.tags,
            hit.score,
            snippet(hit.document.body, result.matches),
        )
        for hit in result.answer.hits
    ]


def _result(outcome: Outcome) -> SaveResult:
    match outcome:
        case Saved(action, stored):
            return SaveResult(action, stored.memory.id, stored.path, tuple(outcome.superseded))
        case Repeats(existing):
            return SaveResult("duplicate", existing.memory.id, existing.path)
        case Contradicts(existing):
            return SaveResult("contradiction", existing.memory.id, existing.path)
