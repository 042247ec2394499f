"""How well are tools found? Discovery on labelled requests, beside what harnesses do on their own.

Strategies: `names`, `regex` and `bm25` are searches such as a harness has over tools that it hides;
`lexical`, `hybrid` and `discovery` are ours, each with one part more.
"""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.app.tool_search import ToolSearch, open_tool_search
from recollect.bench.corpora import need_model
from recollect.bench.data_sets import LabelledQuery, load, tools_of
from recollect.bench.json_lines import read
from recollect.bench.metrics import Interval, bootstrap, ndcg, percentile, recall, reciprocal_rank
from recollect.bench.tool_baselines import Ranker, by_bm25, by_names, by_regex
from recollect.errors import InvalidError
from recollect.gateway.discovery import Experience
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import ToolGraph, tool_graph

Progress = Callable[[int, int], None]
Note = Callable[[str], None]
STRATEGIES = ("names", "regex", "bm25", "lexical", "hybrid", "discovery")
NEED_MODEL = frozenset({"hybrid", "discovery"})
_AT = 10
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class ToolSet:
    """Tools, labelled requests, and requests that no tool of the set answers."""

    name: str
    tools: tuple[UpstreamTool, ...]
    questions: tuple[LabelledQuery, ...]
    no_tool: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolScores:
    """What one strategy reached, per measure, with intervals; latencies in milliseconds."""

    measures: Mapping[str, Interval]
    p50_ms: float
    p95_ms: float


def load_tool_set(folder: Path, note: Note = lambda _: None) -> ToolSet:
    """Read a tool set. Raises NotFoundError or InvalidError, which name the file and the line."""
    data = load(folder, note)
    tools = tuple(tools_of(folder))
    questions = tuple(question for question in data.questions if question.grades)
    if not questions:
        raise InvalidError(
            f"no query of {data.name!r} is labelled; its qrels name queries by their ids."
        )
    unanswerable = folder / "no_tool.jsonl.gz"
    no_tool = [line.text("text") for line in read(unanswerable)] if unanswerable.exists() else []
    return ToolSet(data.name, tools, questions, tuple(no_tool))


def measure(
    data: ToolSet, strategies: Sequence[str], progress: Progress | None = None
) -> dict[str, ToolScores]:
    """Run every labelled request with each strategy.

    Raises NotFoundError when one of them needs a model and none is installed.
    """
    for name in NEED_MODEL.intersection(strategies):
        need_model(name)
    rankers = _rankers(data, strategies)
    results = {}
    for done, name in enumerate(strategies, start=1):
        results[name] = _scores(data.questions, rankers[name])
        if progress:
            progress(done, len(strategies))
    return results


def no_tool_auroc(data: ToolSet) -> float:
    """How well the confidence tells requests that a tool answers from those that none does."""
    search = _searchable(data)
    answerable = [search.find(question.text).confidence for question in data.questions]
    return auroc(answerable, [search.find(text).confidence for text in data.no_tool])


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float:
    """The chance that a positive has a higher score than a negative; ties count half."""
    if not positives or not negatives:
        return 0.0
    ordered = sorted([(score, 1) for score in positives] + [(score, 0) for score in negatives])
    ranks, start = 0.0, 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        middle = (start + 1 + end) / 2
        ranks += middle * sum(is_positive for _, is_positive in ordered[start:end])
        start = end
    count = len(positives)
    return (ranks - count * (count + 1) / 2) / (count * len(negatives))


def graph_gain(data: ToolSet) -> tuple[Interval, Interval, int]:
    """NDCG of the other tools of a request whose first tool is in use: without the graph, and with it.

    The graph is made of the requests of the other folds, so that no request teaches itself.
    """
    several = [question for question in data.questions if len(question.grades) > 1]
    search = _searchable(data)
    without: list[float] = []
    with_graph: list[float] = []
    for number, question in enumerate(several):
        taught = [other for place, other in enumerate(several) if place % _FOLDS != number % _FOLDS]
        graph = _co_used(taught)
        first, *rest = sorted(question.grades)
        grades = {tool: question.grades[tool] for tool in rest}
        for known, values in ((Experience(), without), (Experience((first,), graph), with_graph)):
            hits = search.find(question.text, known, _AT + 1).hits
            ranking = [hit.tool.id for hit in hits if hit.tool.id != first]
            values.append(ndcg(ranking, grades, _AT))
    return bootstrap(without), bootstrap(with_graph), len(several)


def _searchable(data: ToolSet) -> ToolSearch:
    search = open_tool_search(data.tools)
    search.embed()
    return search


def _rankers(data: ToolSet, strategies: Sequence[str]) -> dict[str, Ranker]:
    search = open_tool_search(data.tools)
    if NEED_MODEL.intersection(strategies):
        search.embed()

    def ours(*, by_meaning: bool, stepwise: bool) -> Ranker:
        def rank(text: str) -> list[str]:
            discovery = search.find(text, limit=_AT, by_meaning=by_meaning, stepwise=stepwise)
            return [hit.tool.id for hit in discovery.hits]

        return rank

    return {
        "names": by_names(data.tools, _AT),
        "regex": by_regex(data.tools, _AT),
        "bm25": by_bm25(data.tools, _AT),
        "lexical": ours(by_meaning=False, stepwise=False),
        "hybrid": ours(by_meaning=True, stepwise=False),
        "discovery": ours(by_meaning=True, stepwise=True),
    }


def _scores(questions: Sequence[LabelledQuery], rank: Ranker) -> ToolScores:
    values: dict[str, list[float]] = {"ndcg@10": [], "recall@5": [], "recall@10": [], "mrr@10": []}
    times: list[float] = []
    for question in questions:
        start = time.perf_counter()
        ranking = rank(question.text)
        times.append((time.perf_counter() - start) * 1000)
        values["ndcg@10"].append(ndcg(ranking, question.grades, _AT))
        values["recall@5"].append(recall(ranking, question.grades, 5))
        values["recall@10"].append(recall(ranking, question.grades, _AT))
        values["mrr@10"].append(reciprocal_rank(ranking, question.grades, _AT))
    measures = {name: bootstrap(scores) for name, scores in values.items()}
    return ToolScores(measures, statistics.median(times or [0.0]), percentile(times, 0.95))


def _co_used(questions: Sequence[LabelledQuery]) -> ToolGraph:
    """A graph in which the tools of each request are next to each other."""
    return tool_graph(
        (first, second, 1.0)
        for question in questions
        for first in question.grades
        for second in question.grades
        if first < second
    )
