"""Does it work on a real project? Sixty memories of a shop platform, and what developers ask beside them.

The data is in `handmade/`: `memories.jsonl`, one record to a line, and `prompts.json`, each prompt with the
memories that bear on it, judged strictly. Everything in it was written for this set.
"""

import json
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.app import open_corpus
from recollect.bench.gate import Case
from recollect.bench.metrics import recall, reciprocal_rank
from recollect.errors import InvalidError
from recollect.ids import MemoryId, unified
from recollect.records.record import Memory
from recollect.records.store import Stored
from recollect.retrieval.documents import document_of
from recollect.retrieval.enrich import enriched
from recollect.retrieval.gate import judge
from recollect.retrieval.index import Document
from recollect.retrieval.request import Request
from recollect.retrieval.search import Answer, Strategy
from recollect.storage.finder import Finder

FOLDER = Path(__file__).parent / "handmade"
ANSWERABLE = ("category", "cross", "specific", "vague", "follow_up", "partial", "typed")
NEGATIVE = ("unrelated", "generic", "near_miss")
_DEPTH = 10
_FIRST = 3  # where a forbidden memory must not be


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a developer types, after `turns`; the ids that bear on it, and some that plainly do not."""

    id: str
    kind: str
    text: str
    turns: tuple[str, ...]
    relevant: frozenset[str]
    forbidden: frozenset[str]

    @property
    def query(self) -> str:
        """What a prompt hook would search for."""
        return enriched(self.text, self.turns)


@dataclass(frozen=True, slots=True)
class Tried:
    """One prompt, put to search and to the gate. `shown` is what an open gate would inject."""

    prompt: Prompt
    ranking: tuple[str, ...]
    shown: tuple[str, ...]
    probability: float
    passed: bool

    @property
    def injected(self) -> tuple[str, ...]:
        return self.shown if self.passed else ()

    @property
    def useful(self) -> bool:
        return not self.prompt.relevant.isdisjoint(self.injected)


@dataclass(frozen=True, slots=True)
class Searched:
    """How well search answers. `precision` is the share of relevant among the first three hits."""

    prompts: int
    recall: float
    mrr: float
    precision: float
    forbidden_rate: float


@dataclass(frozen=True, slots=True)
class Injected:
    """What a prompt hook would do.

    `precision` is the share of injections to answerable prompts that hold a relevant memory,
    `relevant_share` that of all memories injected there; `silent_rate` is over all prompts.
    """

    injected_rate: float
    precision: float
    relevant_share: float
    silent_rate: float
    false_inject_rate: float
    false_by_kind: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measured:
    """Both, for one strategy, and recall at ten for each kind of prompt."""

    search: Searched
    auto: Injected
    recall_by_kind: Mapping[str, float]
    injected_by_kind: Mapping[str, float]


def measure(strategy: Strategy) -> Measured:
    """Put every prompt to search and to the gate."""
    tried = try_all(strategy)
    own = [one for one in tried if one.prompt.kind in ANSWERABLE]
    return Measured(
        _searched(own),
        _injected(own, [one for one in tried if one.prompt.kind in NEGATIVE]),
        {kind: _mean(_recall, _of(own, kind)) for kind in ANSWERABLE},
        {kind: _mean(lambda one: float(one.passed), _of(own, kind)) for kind in ANSWERABLE},
    )


def try_all(strategy: Strategy) -> list[Tried]:
    """Every prompt with what it found."""
    finder = open_corpus(memories())
    return [_tried(prompt, finder, strategy) for prompt in prompts()]


def cases(tried: Iterable[Tried], *kinds: str) -> list[Case]:
    """These as cases of the gate, of some kinds only when any are named."""
    return [
        Case(
            one.probability,
            tuple(id in one.prompt.relevant for id in one.shown),
            one.prompt.kind in ANSWERABLE,
        )
        for one in tried
        if not kinds or one.prompt.kind in kinds
    ]


def memories() -> list[Document]:
    """The memories, as an index takes them."""
    path = FOLDER / "memories.jsonl"
    lines = path.read_text("utf-8").splitlines()
    return [_document(json.loads(line), f"{path.name}:{n}") for n, line in enumerate(lines, start=1)]


def prompts() -> list[Prompt]:
    """The prompts. Raises InvalidError when one is of no kind or names a memory that is not there."""
    known = {str(document.id) for document in memories()}
    rows = json.loads((FOLDER / "prompts.json").read_text("utf-8"))
    return [_prompt(row, known) for row in rows]


def _document(record: dict[str, Any], where: str) -> Document:
    memory = Memory.parse(record, where)
    return document_of(Stored(memory, f"{memory.category.value}/{memory.id}.json", ""))


def _prompt(row: dict[str, Any], known: set[str]) -> Prompt:
    relevant, forbidden = (
        frozenset(unified(MemoryId(id)) for id in row.get(name, ()))
        for name in ("relevant", "forbidden")
    )
    if row["kind"] not in (ANSWERABLE if relevant else NEGATIVE):
        raise InvalidError(f"prompt {row['id']!r} cannot be of kind {row['kind']!r}; see `relevant`.")
    if strange := (relevant | forbidden) - known:
        raise InvalidError(
            f"prompt {row['id']!r} names {min(strange)!r}, which is no memory of the set."
        )
    return Prompt(row["id"], row["kind"], row["text"], tuple(row.get("turns", ())), relevant, forbidden)


def _tried(prompt: Prompt, finder: Finder, strategy: Strategy) -> Tried:
    asked = Request(prompt.query, strategy=strategy, limit=_DEPTH)
    found = finder.find(asked).answer
    given = finder.find(Request(prompt.query, "auto", strategy=strategy, threshold=0.0)).answer
    verdict = judge(given.verdict.signals if given.verdict else None)
    return Tried(prompt, _ids(found), _ids(given), verdict.probability, verdict.passed)


def _ids(answer: Answer) -> tuple[str, ...]:
    return tuple(str(hit.document.id) for hit in answer.hits)


def _searched(tried: list[Tried]) -> Searched:
    return Searched(
        len(tried),
        _mean(_recall, tried),
        _mean(lambda one: reciprocal_rank(one.ranking, _grades(one), _DEPTH), tried),
        _mean(lambda one: len(one.prompt.relevant.intersection(one.ranking[:_FIRST])) / _FIRST, tried),
        _mean(
            lambda one: float(not one.prompt.forbidden.isdisjoint(one.ranking[:_FIRST])),
            [one for one in tried if one.prompt.forbidden],
        ),
    )


def _injected(own: list[Tried], strange: list[Tried]) -> Injected:
    spoken = [one for one in own if one.injected]
    shares = [id in one.prompt.relevant for one in spoken for id in one.injected]
    wrong: Callable[[Tried], float] = lambda one: float(bool(one.injected))  # noqa: E731
    return Injected(
        injected_rate=_mean(wrong, own),
        precision=_mean(lambda one: float(one.useful), spoken),
        relevant_share=statistics.fmean(shares) if shares else 0.0,
        silent_rate=1 - _mean(wrong, own + strange),
        false_inject_rate=_mean(wrong, strange),
        false_by_kind={kind: _mean(wrong, _of(strange, kind)) for kind in NEGATIVE},
    )


def _of(tried: list[Tried], kind: str) -> list[Tried]:
    return [one for one in tried if one.prompt.kind == kind]


def _recall(one: Tried) -> float:
    return recall(one.ranking, _grades(one), _DEPTH)


def _grades(one: Tried) -> dict[str, int]:
    return dict.fromkeys(one.prompt.relevant, 1)


def _mean(value: Callable[[Tried], float], tried: list[Tried]) -> float:
    return statistics.fmean(map(value, tried)) if tried else 0.0
