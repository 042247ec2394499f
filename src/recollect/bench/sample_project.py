"""Does it work on a realistic project? Sixty memories of a shop platform, and prompts of its developers.

The data is in `handmade/`: `memories.jsonl`, one record per line; `prompts.json`, each prompt with its
relevant memories, judged strictly; and `long/`, prompts that the query parser shortens (a pasted issue, a
stack trace, a log, a diff, a rambling request), each a page that starts with its kind and the relevant ids.
Everything in it was written for this set.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.app.finder import Finder
from recollect.app.opening import open_corpus
from recollect.bench.corpora import documents_of, read_memories
from recollect.bench.gate import GateCase
from recollect.errors import InvalidError
from recollect.ids import MemoryId, unified
from recollect.retrieval.gate import GateVerdict, judge
from recollect.retrieval.index import Document
from recollect.retrieval.query import enriched
from recollect.retrieval.request import Request
from recollect.retrieval.search import Strategy

FOLDER = Path(__file__).parent / "handmade"
ANSWERABLE = (
    *("category", "cross", "specific", "vague", "follow_up", "partial", "typed", "long"),
    *("file", "touched"),  # a memory shares a file with the prompt and few words or none
)
NEGATIVE = (
    *("unrelated", "generic", "near_miss", "long_unrelated", "long_near_miss"),
    *("other_file", "touched_generic"),  # no memory is about the file; the prompt is about any work
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that a developer types after `turns`, with relevant ids and some clearly irrelevant ones.

    `touched` are files that the agent's tools touched before.
    """

    id: str
    kind: str
    text: str
    turns: tuple[str, ...]
    relevant: frozenset[str]
    forbidden: frozenset[str]
    touched: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        """What a prompt hook would search for."""
        return enriched(self.text, self.turns)


@dataclass(frozen=True, slots=True)
class PromptRun:
    """One prompt with the verdict of the gate. `shown` are the hits that an open gate would inject."""

    prompt: Prompt
    shown: tuple[str, ...]
    verdict: GateVerdict

    @property
    def injected(self) -> tuple[str, ...]:
        return self.shown if self.verdict.passed else ()


def run_prompts(strategy: Strategy, selected: Iterable[Prompt] | None = None) -> list[PromptRun]:
    """Run every prompt of the set, or those of `selected`."""
    finder = open_corpus(memories())
    if strategy == "hybrid":
        finder.update()
        finder.embed()
    return [_run(prompt, finder, strategy) for prompt in (prompts() if selected is None else selected)]


def strangers(texts: Iterable[str]) -> list[Prompt]:
    """Prompts that have nothing to do with the memories."""
    return [
        Prompt(str(number), "unrelated", text, (), frozenset(), frozenset())
        for number, text in enumerate(texts)
    ]


def cases(runs: Iterable[PromptRun], *kinds: str) -> list[GateCase]:
    """The runs as cases of the gate; with `kinds`, only runs of these kinds."""
    return [
        GateCase(
            run.verdict.probability,
            tuple(id in run.prompt.relevant for id in run.shown),
            run.prompt.kind in ANSWERABLE,
            run.verdict.signals,
            run.prompt.kind,
        )
        for run in runs
        if not kinds or run.prompt.kind in kinds
    ]


def memories() -> list[Document]:
    """The documents of the memories."""
    return documents_of(read_memories(FOLDER / "memories.jsonl"))


def prompts() -> list[Prompt]:
    """The prompts. Raises InvalidError for an unknown kind or memory."""
    known = {str(document.id) for document in memories()}
    rows = json.loads((FOLDER / "prompts.json").read_text("utf-8"))
    pages = sorted((FOLDER / "long").glob("*.txt"))
    return [_prompt(row, known) for row in (*rows, *map(_page, pages))]


def _page(path: Path) -> dict[str, Any]:
    """A prompt from a page: `name: value` lines, an empty line, and the text."""
    head, _, text = path.read_text("utf-8").partition("\n\n")
    fields = {name: value for name, _, value in (line.partition(": ") for line in head.splitlines())}
    relevant = fields.get("relevant", "").split()
    return {"id": path.stem, "kind": fields.get("kind"), "text": text.rstrip(), "relevant": relevant}


def _prompt(row: dict[str, Any], known: set[str]) -> Prompt:
    relevant, forbidden = (
        frozenset(unified(MemoryId(id)) for id in row.get(name, ()))
        for name in ("relevant", "forbidden")
    )
    if row["kind"] not in (ANSWERABLE if relevant else NEGATIVE):
        raise InvalidError(f"prompt {row['id']!r} cannot be of kind {row['kind']!r}; see `relevant`.")
    if strange := (relevant | forbidden) - known:
        raise InvalidError(
            f"prompt {row['id']!r} names {min(strange)!r}, which is not a memory of the set."
        )
    turns, touched = tuple(row.get("turns", ())), tuple(row.get("touched", ()))
    return Prompt(row["id"], row["kind"], row["text"], turns, relevant, forbidden, touched)


def _run(prompt: Prompt, finder: Finder, strategy: Strategy) -> PromptRun:
    request = Request(prompt.query, "auto", strategy=strategy, files=prompt.touched, threshold=0.0)
    answer = finder.find(request).answer
    shown = tuple(str(hit.document.id) for hit in answer.hits)
    return PromptRun(prompt, shown, judge(answer.verdict.signals if answer.verdict else None))
