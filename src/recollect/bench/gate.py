"""When does the gate open? Prompts that memories answer, and prompts that are about something else."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.bench.corpora import LabelledCorpus, corpora, has_model, labelled, need_model
from recollect.bench.data_sets import DataSet, LabelledQuery, Note, load
from recollect.bench.metrics import Interval, bootstrap
from recollect.errors import RecollectError
from recollect.retrieval.gate import HYBRID, LEXICAL, Signals
from recollect.retrieval.request import Request
from recollect.retrieval.search import Strategy

MOST_UNRELATED = 300  # prompts put to each group
THRESHOLDS = tuple(step / 20 for step in range(1, 20))


@dataclass(frozen=True, slots=True)
class GateCase:
    """One prompt sent to the gate: its probability, and which of the hits to inject are relevant.

    `signals` are the gate's features, for fitting its weights; None when there were no hits.
    """

    probability: float
    hits: tuple[bool, ...]
    answerable: bool
    signals: Signals | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class KindOutcome:
    """How many prompts of one kind there are, and what the gate does to them."""

    prompts: int
    injected_rate: float
    precision: float | None


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """The rates at one threshold.

    `precision` is the share of injections with a relevant memory among the (at most three) injected;
    `relevant_share` is the share of injected memories that are relevant, at most a third in a set with
    one answer per query. Both are None when nothing was injected, and `false_inject_rate` is None
    without unrelated prompts.
    """

    threshold: float
    injected_rate: float
    precision: float | None
    relevant_share: float | None
    false_inject_rate: float | None
    silent_rate: float


def run_cases(
    data: DataSet, others: Iterable[DataSet], strategy: Strategy, seed: int = 1
) -> list[GateCase]:
    """Send a set's own queries to the gate, and queries of other groups and other sets.

    Raises NotFoundError when the strategy needs a model and none is installed.
    """
    questions, corpora_by_group = labelled(data), _ready(data, strategy)
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    request = _open_gate(strategy)
    strangers = [question for other in others for question in other.questions]
    result: list[GateCase] = []
    for group, corpus in sorted(corpora_by_group.items()):
        own = [question for question in questions if question.group == group]
        result += [_case(corpus, question, request, answerable=True) for question in own]
        pool = [*_of_other_groups(data, group), *strangers]
        share = chance.sample(pool, min(len(pool), max(MOST_UNRELATED // len(corpora_by_group), 20)))
        result += [_case(corpus, question, request, answerable=False) for question in share]
    return result


def run_kinds(data: DataSet, strategy: Strategy) -> list[GateCase]:
    """Send every prompt that has a kind to its own group, also those that no document answers.

    Raises NotFoundError when the strategy needs a model and none is installed.
    """
    questions = [question for question in data.questions if question.kind]
    if not questions:
        return []
    corpora_by_group, request = _ready(data, strategy), _open_gate(strategy)
    return [
        _case(corpora_by_group[question.group], question, request, answerable=bool(question.grades))
        for question in questions
        if question.group in corpora_by_group
    ]


def by_kind(cases: Sequence[GateCase], threshold: float) -> dict[str, KindOutcome]:
    """What the gate does to each kind of prompt at `threshold`."""
    outcomes = {}
    for kind in dict.fromkeys(case.kind for case in cases):
        own = [case for case in cases if case.kind == kind]
        injected = [case for case in own if _injects(case, threshold)]
        precision = _share([any(case.hits) for case in injected])
        outcomes[kind] = KindOutcome(len(own), len(injected) / len(own), precision)
    return outcomes


def run_unrelated(data: DataSet, texts: Iterable[str], strategy: Strategy) -> list[GateCase]:
    """Send unrelated prompts to each group of a set.

    Raises NotFoundError when the strategy needs a model and none is installed.
    """
    questions = [LabelledQuery(str(number), "", text, None, {}) for number, text in enumerate(texts)]
    return [
        _case(corpus, question, _open_gate(strategy), answerable=False)
        for _, corpus in sorted(_ready(data, strategy).items())
        for question in questions
    ]


def _ready(data: DataSet, strategy: Strategy) -> dict[str, LabelledCorpus]:
    corpora_by_group = corpora(data)
    if strategy == "hybrid":
        need_model(strategy)
        for corpus in corpora_by_group.values():
            corpus.embed()
    return corpora_by_group


def _open_gate(strategy: Strategy) -> Request:
    return Request("", mode="auto", strategy=strategy, threshold=0.0)


def _of_other_groups(data: DataSet, group: str) -> list[LabelledQuery]:
    """Queries of groups with other documents. Groups that are versions of one corpus do not count."""
    titles: dict[str, set[str]] = {}
    for text in data.texts:
        titles.setdefault(text.group, set()).add(text.title or text.text)
    own = titles[group]
    strangers = {
        name
        for name, some in titles.items()
        if name != group and len(own & some) <= 0.5 * min(len(own), len(some))
    }
    return [question for question in data.questions if question.group in strangers]


def _case(
    corpus: LabelledCorpus, question: LabelledQuery, request: Request, *, answerable: bool
) -> GateCase:
    query = question if answerable else LabelledQuery(question.id, "", question.text, None, {})
    answer = corpus.find(query, request).answer
    verdict = answer.verdict
    assert verdict is not None
    hits = tuple(question.grades.get(str(hit.document.id), 0) > 0 for hit in answer.hits)
    right = hits if answerable else tuple(False for _ in hits)
    return GateCase(verdict.probability, right, answerable, verdict.signals, question.kind)


def outcome(cases: list[GateCase], threshold: float, *, decisions: bool = False) -> GateOutcome:
    """The rates at `threshold`. For `decisions`, an injection is right when its prompt needed one."""
    injected_cases = [case for case in cases if case.answerable and _injects(case, threshold)]
    counted = _counted(cases, threshold, decisions=decisions)
    rates = {name: _share(values) for name, values in counted.items()}
    injected = rates["injected_rate"] or 0.0
    return GateOutcome(
        threshold,
        injected,
        rates["precision@3"],
        _share([hit for case in injected_cases for hit in case.hits]),
        rates["false_inject_rate"],
        1 - injected,
    )


def measures(
    cases: list[GateCase], threshold: float, *, decisions: bool = False
) -> dict[str, Interval]:
    """The rates that show whether the gate got worse, with intervals. Rates without cases are left out."""
    counted = _counted(cases, threshold, decisions=decisions)
    return {name: bootstrap(values) for name, values in counted.items() if values}


def _counted(cases: list[GateCase], threshold: float, *, decisions: bool) -> dict[str, list[bool]]:
    """The outcomes that each rate is the mean of."""
    related = [case for case in cases if case.answerable]
    injected = [case for case in cases if _injects(case, threshold)]
    if decisions:
        right = [case.answerable for case in injected]
    else:
        right = [any(case.hits) for case in injected if case.answerable]
    return {
        "injected_rate": [_injects(case, threshold) for case in related],
        "precision@3": right,
        "false_inject_rate": [_injects(case, threshold) for case in cases if not case.answerable],
    }


def _injects(case: GateCase, threshold: float) -> bool:
    return bool(case.hits) and case.probability >= threshold


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def other_sets(folder: Path, note: Note = lambda _: None) -> list[DataSet]:
    """The other sets in the same folder, whose queries are unrelated to this one.

    Unreadable sets are left out and reported to `note`.
    """
    data_sets = []
    for other in sorted(folder.resolve().parent.iterdir()):
        if other.name == folder.resolve().name:
            continue
        try:
            if (other / "queries.jsonl.gz").is_file():
                data_sets.append(load(other))
        except (RecollectError, OSError) as error:
            note(f"not used as unrelated prompts: {error}")
    return data_sets


def calibrated(strategy: Strategy) -> float:
    """The threshold that the product uses with a strategy."""
    return HYBRID.threshold if strategy == "hybrid" else LEXICAL.threshold


def best_strategy() -> Strategy:
    """Hybrid when a model is installed."""
    return "hybrid" if has_model() else "fts5_bm25"
