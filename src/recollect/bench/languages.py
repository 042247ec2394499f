"""Do other languages work? Five memories and ten prompts each of seven, four of them about something else.

The data is in `handmade/languages.json` and was written for this. All memories are in one project.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from recollect.app.opening import open_corpus
from recollect.bench.gate import GateCase
from recollect.ids import MemoryId, UnifiedId, unified
from recollect.retrieval.index import Document
from recollect.retrieval.request import Request
from recollect.retrieval.search import Strategy

_FILE = Path(__file__).parent / "handmade" / "languages.json"
OTHER = "_other"  # end of the kind of prompts that no memory answers


@dataclass(frozen=True, slots=True)
class LanguagePrompt:
    """A prompt in a language, and the memory it needs; None if it is about something else."""

    language: str
    text: str
    relevant: UnifiedId | None

    @property
    def kind(self) -> str:
        return self.language if self.relevant else f"{self.language}{OTHER}"


@cache
def _pages() -> dict[str, dict[str, list[list[str]]]]:
    pages: dict[str, dict[str, list[list[str]]]] = json.loads(_FILE.read_text("utf-8"))
    return pages


def memories() -> list[Document]:
    """The memories of all languages."""
    return [
        Document(
            id=unified(MemoryId(id)),
            title=title,
            tags=(),
            body=body,
            created_at="2026-01-01T00:00:00Z",
            category="decision",
        )
        for page in _pages().values()
        for id, title, body in page["memories"]
    ]


def prompts() -> list[LanguagePrompt]:
    """The prompts of all languages."""
    return [
        LanguagePrompt(language, text, unified(MemoryId(id)) if id else None)
        for language, page in _pages().items()
        for text, id in page["prompts"]
    ]


def cases(strategy: Strategy) -> list[GateCase]:
    """What the gate makes of each prompt; their kinds are the languages."""
    finder = open_corpus(memories())
    finder.update()
    if strategy == "hybrid":
        finder.embed()
    outcomes = []
    for prompt in prompts():
        chosen = (
            None if strategy == "hybrid" else strategy
        )  # the best for the text, if there is a model
        request = Request(prompt.text, mode="auto", strategy=chosen, threshold=0.0)
        answer = finder.find(request).answer
        assert answer.verdict is not None
        hits = tuple(hit.document.id == prompt.relevant for hit in answer.hits)
        verdict = answer.verdict
        outcomes.append(
            GateCase(verdict.probability, hits, bool(prompt.relevant), verdict.signals, prompt.kind)
        )
    return outcomes
