"""Does it work on a real project? Sixty memories of a shop platform, and what developers ask beside them.

The data is in `handmade/`: `memories.jsonl`, one record to a line, `prompts.json`, each prompt with the
memories that bear on it, judged strictly, and `long/`, prompts too long to be searched for whole (a pasted
issue, a stack trace, a log, a diff, a wandering request), each a page with its kind and the relevant ids on
top. Everything in it was written for this set.
"""

import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.app.finder import Finder
from recollect.app.opening import open_corpus
from recollect.bench.gate import GateCase
from recollect.bench.metrics import recall, reciprocal_rank
from recollect.errors import InvalidError
from recollect.ids import MemoryId, unified
from recollect.records.record import Memory
from recollect.records.store import Stored
from recollect.retrieval.documents import document_of
from recollect.retrieval.enrich import enriched
from recollect.retrieval.gate import GateVerdict, judge
from recollect.retrieval.index import Document
from recollect.retrieval.request import Request
from recollect.retrieval.search import Answer, Strategy

FOLDER = Path(__file__).parent / "handmade"
ANSWERABLE = ("category", "cross", "specific", "vague", "follow_up", "partial", "typed", "long")
NEGATIVE = ("unrelated", "generic", "near_miss", "long_unrelated", "long_near_miss")
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
class PromptRun:
    """One prompt, put to search and to the gate. `shown` is what an open gate would inject."""

    prompt: Prompt
    ranking: tuple[str, ...]
    shown: tuple[str, ...]
    verdict: GateVerdict

    @property
    def injected(self) -> tuple[str, ...]:
        return self.shown if self.verdict.passed else ()

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
class SampleScores:
    """Both, for one strategy, and recall at ten for each kind of prompt."""

    search: Searched
    auto: Injected
    recall_by_kind: Mapping[str, float]
    injected_by_kind: Mapping[str, float]


def measure(strategy: Strategy) -> SampleScores:
    """Put every prompt to search and to the gate."""
    runs = run_prompts(strategy)
    own = [run for run in runs if run.prompt.kind in ANSWERABLE]
    return SampleScores(
        _searched(own),
        _injected(own, [run for run in runs if run.prompt.kind in NEGATIVE]),
        {kind: _mean(_recall, _of(own, kind)) for kind in ANSWERABLE},
        {kind: _mean(_speaks, _of(own, kind)) for kind in ANSWERABLE},
    )


def run_prompts(strategy: Strategy, selected: Iterable[Prompt] | None = None) -> list[PromptRun]:
    """Every prompt with what it found; of the set's own, unless others are to be asked."""
    finder = open_corpus(memories())
    return [_run(prompt, finder, strategy) for prompt in (prompts() if selected is None else selected)]


def strangers(texts: Iterable[str]) -> list[Prompt]:
    """Prompts that have nothing to do with the memories."""
    return [
        Prompt(str(number), "unrelated", text, (), frozenset(), frozenset())
        for number, text in enumerate(texts)
    ]


def cases(runs: Iterable[PromptRun], *kinds: str) -> list[GateCase]:
    """These as cases of the gate, of some kinds only when any are named."""
    return [
        GateCase(
            run.verdict.probability,
            tuple(id in run.prompt.relevant for id in run.shown),
            run.prompt.kind in ANSWERABLE,
            run.verdict.signals,
        )
        for run in runs
        if not kinds or run.prompt.kind in kinds
    ]


def by_kind(runs: Sequence[PromptRun]) -> dict[str, tuple[int, float]]:
    """Of each kind there is, how many prompts there are and what share of them is given something."""
    kinds = {kind: _of(runs, kind) for kind in (*ANSWERABLE, *NEGATIVE)}
    return {kind: (len(some), _mean(_speaks, some)) for kind, some in kinds.items() if some}


def memories() -> list[Document]:
    """The memories, as an index takes them."""
    path = FOLDER / "memories.jsonl"
    lines = path.read_text("utf-8").splitlines()
    return [_document(json.loads(line), f"{path.name}:{n}") for n, line in enumerate(lines, start=1)]


def prompts() -> list[Prompt]:
    """The prompts. Raises InvalidError when one is of no kind or names a memory that is not there."""
    known = {str(document.id) for document in memories()}
    rows = json.loads((FOLDER / "prompts.json").read_text("utf-8"))
    pages = sorted((FOLDER / "long").glob("*.txt"))
    return [_prompt(row, known) for row in (*rows, *map(_page, pages))]


def _page(path: Path) -> dict[str, Any]:
    """A prompt that is a page: `name: value` lines, an empty one, and what was typed."""
    head, _, text = path.read_text("utf-8").partition("\n\n")
    fields = {name: value for name, _, value in (line.partition(": ") for line in head.splitlines())}
    relevant = fields.get("relevant", "").split()
    return {"id": path.stem, "kind": fields.get("kind"), "text": text.rstrip(), "relevant": relevant}


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


def _run(prompt: Prompt, finder: Finder, strategy: Strategy) -> PromptRun:
    request = Request(prompt.query, strategy=strategy, limit=_DEPTH)
    search_answer = finder.find(request).answer
    prompt_answer = finder.find(Request(prompt.query, "auto", strategy=strategy, threshold=0.0)).answer
    verdict = judge(prompt_answer.verdict.signals if prompt_answer.verdict else None)
    return PromptRun(prompt, _ids(search_answer), _ids(prompt_answer), verdict)


def _ids(answer: Answer) -> tuple[str, ...]:
    return tuple(str(hit.document.id) for hit in answer.hits)


def _searched(runs: list[PromptRun]) -> Searched:
    return Searched(
        len(runs),
        _mean(_recall, runs),
        _mean(lambda run: reciprocal_rank(run.ranking, _grades(run), _DEPTH), runs),
        _mean(lambda run: len(run.prompt.relevant.intersection(run.ranking[:_FIRST])) / _FIRST, runs),
        _mean(
            lambda run: float(not run.prompt.forbidden.isdisjoint(run.ranking[:_FIRST])),
            [run for run in runs if run.prompt.forbidden],
        ),
    )


def _injected(own: list[PromptRun], strange: list[PromptRun]) -> Injected:
    spoken = [run for run in own if run.injected]
    shares = [id in run.prompt.relevant for run in spoken for id in run.injected]
    return Injected(
        injected_rate=_mean(_speaks, own),
        precision=_mean(lambda run: float(run.useful), spoken),
        relevant_share=statistics.fmean(shares) if shares else 0.0,
        silent_rate=1 - _mean(_speaks, own + strange),
        false_inject_rate=_mean(_speaks, strange),
        false_by_kind={kind: _mean(_speaks, _of(strange, kind)) for kind in NEGATIVE},
    )


def _speaks(run: PromptRun) -> float:
    return float(bool(run.injected))


def _of(runs: Sequence[PromptRun], kind: str) -> list[PromptRun]:
    return [run for run in runs if run.prompt.kind == kind]


def _recall(run: PromptRun) -> float:
    return recall(run.ranking, _grades(run), _DEPTH)


def _grades(run: PromptRun) -> dict[str, int]:
    return dict.fromkeys(run.prompt.relevant, 1)


def _mean(value: Callable[[PromptRun], float], runs: list[PromptRun]) -> float:
    return statistics.fmean(map(value, runs)) if runs else 0.0
