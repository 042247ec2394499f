"""What people said in past sessions that still binds: drafts with the place where they said it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from recollect.app.project import Recollect
from recollect.errors import NotFoundError
from recollect.importing.transcripts.past_session import Turn
from recollect.retrieval.index import Document, Filters
from recollect.text.stemming import stems
from recollect.text.tokens import tokens
from recollect.working.draft import StoredDraft
from recollect.working.statement_draft import Evidence, draft_statements, is_held
from recollect.working.statements import find_statements

if TYPE_CHECKING:
    from recollect.working.redacted import Redact

_CLOSEST = 8  # memories that are compared with a statement
_LONGEST_TURN = 20_000  # characters; a longer one is pasted
_MOST_TURNS = 200  # of one session, whose statements are remembered while it is read


class CollectedDrafts:
    """A `DraftStore` that writes nothing: the drafts that wait, and those that an import would add."""

    def __init__(self, waiting: Iterable[StoredDraft]) -> None:
        self._drafts = {draft.name: draft for draft in waiting}
        self._changed: dict[str, dict[str, Any]] = {}

    def put(self, name: str, document: dict[str, Any]) -> str:
        before = self._drafts.get(name)
        if before is None or not _is_repeated(before, document):
            self._drafts[name] = StoredDraft(name, document)
            self._changed[name] = document
        return name

    def all(self) -> list[StoredDraft]:
        return list(self._drafts.values())

    def get(self, name: str) -> StoredDraft:
        if name not in self._drafts:
            raise NotFoundError(f"there is no draft {name!r}.")
        return self._drafts[name]

    def drop(self, name: str) -> None:
        del self._drafts[self.get(name).name]

    def take_changes(self) -> dict[str, dict[str, Any]]:
        """What was put since the last call."""
        changed, self._changed = self._changed, {}
        return changed


def _is_repeated(before: StoredDraft, document: dict[str, Any]) -> bool:
    """Whether the evidence that is added was there: a hook may count lines and turns in another way."""
    known = {(row.get("session"), row.get("text")) for row in before.evidence}
    rows = StoredDraft(before.name, document).evidence
    return bool(rows) and all((row.get("session"), row.get("text")) in known for row in rows)


@dataclass(slots=True)
class TurnsWithStatements:
    """The turns of a session that state something, as they are read; the first ones of a long session."""

    turns: list[Turn] = field(default_factory=list)

    def hear(self, turn: Turn) -> None:
        if len(self.turns) >= _MOST_TURNS or len(turn.text) > _LONGEST_TURN:
            return
        if find_statements(turn.text):
            self.turns.append(turn)


def statement_drafts(
    turns: Sequence[Turn],
    session: str,
    transcript: str,
    drafts: CollectedDrafts,
    redact: "Redact",
    holds: Callable[[str], bool],
) -> dict[str, dict[str, Any]]:
    """The drafts that these turns of a session make, or add evidence to, by name."""
    for turn in turns:
        evidence = Evidence(session, turn.at, turn.number, transcript, turn.line)
        draft_statements(turn.text, evidence, drafts, redact, holds)
    return drafts.take_changes()


def memory_holds(recollect: Recollect) -> Callable[[str], bool]:
    """Whether a memory in force says a sentence already."""
    index = recollect.finder.index

    def holds(sentence: str) -> bool:
        terms = [(stem, 1) for stem in dict.fromkeys(stems(tokens(sentence)))]

        def closest() -> list[Document]:
            reader = index.reader()
            hits = reader.by_words(terms, recollect.in_force, _CLOSEST)
            ids = [fact.id for fact in reader.facts([key for key, _ in hits]).values()]
            return list(reader.by_ids(ids, Filters()).values())

        return any(
            is_held(sentence, [document.title, *document.body.splitlines()])
            for document in index.updated(closest)
        )

    return holds
