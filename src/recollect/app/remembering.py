"""Remembering a sentence: what it becomes, what says the same or the opposite already, and writing it."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import cast

from recollect.app.project import Recollect
from recollect.errors import InvalidError, MemoryNotFoundError
from recollect.records.categories import Category
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject
from recollect.records.links import superseded_ids
from recollect.records.memories import Memories, Saved
from recollect.records.record import Memory
from recollect.records.sentence.conflict import contradiction, statements
from recollect.records.sentence.derivation import NOT_STATED, derive
from recollect.records.sentence.proposal import Contradicts, Outcome, SentenceProposal
from recollect.records.store import Stored
from recollect.retrieval.request import Request

_COMPARED = 8  # memories that the search finds closest


@dataclass(frozen=True, slots=True)
class Remembering:
    """Sentences that become memories of the project, or of the user."""

    recollect: Recollect
    user: bool = False

    @property
    def memories(self) -> Memories:
        """Where they are saved."""
        return self.recollect.memories_to_write(user=self.user)

    def propose(self, sentence: str, category: Category | None = None) -> SentenceProposal:
        """What a sentence would become. Secrets are removed before anything is derived from it."""
        clean, findings = self.memories.gate(sentence, "sentence")
        return SentenceProposal(derive(cast("str", clean), category), tuple(findings))

    def save(
        self,
        proposal: SentenceProposal,
        document: JsonObject | None = None,
        *,
        allow_repeat: bool = False,
    ) -> Outcome:
        """Save a proposal, or the record that a person made of it.

        A memory that says the same or may say the opposite is named, and nothing is written, unless that is
        allowed or the record supersedes it.
        """
        draft = Draft(document or proposal.document)
        if not allow_repeat and (opposite := self._opposite(draft)):
            return opposite
        outcome = self.memories.save(draft, allow_repeat=allow_repeat)
        if isinstance(outcome, Saved):
            return replace(outcome, redacted=(*proposal.redacted, *outcome.redacted))
        return outcome

    def update(self, id: str, sentence: str, document: JsonObject | None = None) -> Saved:
        """Let a memory say what a sentence says. What the sentence does not answer stays as it is."""
        home = self.recollect.home_of(id)
        old = home.get(id)
        proposal = self.propose(sentence, old.memory.category)
        fields = update_fields(old.memory, proposal.document | (document or {}))
        saved = home.replace(old, lambda _: fields, "Restated in one sentence")
        return replace(saved, redacted=(*proposal.redacted, *saved.redacted))

    def _opposite(self, draft: Draft) -> Contradicts | None:
        memory = draft.as_memory(draft.proposed_id(), self.recollect.now)
        replaced, new = set(superseded_ids(memory)), statements(memory)
        for stored in self._closest(memory.title, replaced):
            if reason := contradiction(new, statements(stored.memory)):
                return Contradicts(stored, reason)
        return None

    def _closest(self, text: str, replaced: Collection[str]) -> list[Stored]:
        """The memories of the same root in force that are closest to a text."""
        request = Request(text, filters=self.recollect.current, limit=_COMPARED)
        hits = self.recollect.search.find(request, traced=False).answer.hits
        ids = [hit.document.id.removeprefix("mem:") for hit in hits]
        stored = [self._readable(id) for id in ids if id not in replaced]
        return [memory for memory in stored if memory is not None]

    def _readable(self, id: str) -> Stored | None:
        try:
            return self.memories.get(id) if self.memories.has(id) else None
        except (InvalidError, MemoryNotFoundError):
            return None


def update_fields(old: Memory, document: JsonObject) -> JsonObject:
    """The fields of a memory that a derived record changes; what it says nothing about stays."""
    content = document.get("content")
    stated = {
        name: value
        for name, value in (content if isinstance(content, dict) else {}).items()
        if value not in (NOT_STATED, [NOT_STATED])
    }
    tags = document.get("tags")
    added = [tag for tag in (tags if isinstance(tags, list) else []) if tag not in old.tags]
    fields: JsonObject = {
        "title": document.get("title"),
        "tags": [*list[Json](old.tags), *added],
        "content": old.content | stated,
    }
    return fields
