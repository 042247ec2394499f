"""How well are tools found? Discovery on labelled requests, beside what harnesses do on their own.

Strategies: `names`, `regex` and `bm25` are searches such as a harness has over tools that it hides;
`lexical`, `hybrid` and `discovery` are ours, each with one part more.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from recollect.app.tool_search import ToolSearch, open_tool_search
from recollect.bench.corpora import labelled, need_model
from recollect.bench.data_sets import LabelledQuery, Note, load, tools_of
from recollect.bench.json_lines import read
from recollect.bench.metrics import Interval, auroc, bootstrap, ndcg
from recollect.bench.rankings import AT, RankingScores, ranking_scores
from recollect.bench.tool_baselines import Ranker, by_bm25, by_names, by_regex
from recollect.gateway.discovery import Experience
from recollect.gateway.tool import UpstreamTool
from recollect.gateway.tool_graph import ToolGraph, tool_graph

Progress = Callable[[int, int], None]
STRATEGIES = ("names", "regex", "bm25", "lexical", "hybrid", "discovery")
NEED_MODEL = frozenset({"hybrid", "discovery"})
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class ToolSet:
    """Tools, labelled requests, and requests that no tool of the set answers."""

    name: str
    tools: tuple[UpstreamTool, ...]
    questions: tuple[LabelledQuery, ...]
    no_tool: tuple[str, ...]


def load_tool_set(folder: Path, note: Note = lambda _: None) -> ToolSet:
    """Read a tool set. Raises NotFoundError or InvalidError, which name the file and the line."""
    data = load(folder, note)
    unanswerable = folder / "no_tool.jsonl.gz"
    no_tool = [line.text("text") for line in read(unanswerable)] if unanswerable.exists() else []
    return ToolSet(data.name, tuple(tools_of(folder)), tuple(labelled(data)), tuple(no_tool))


def searchable(data: ToolSet, strategies: Collection[str]) -> ToolSearch:
    """Search over the tools of a set, by meaning too if a strategy needs it.

    Raises NotFoundError when a strategy needs a model and none is installed.
    """
    for name in NEED_MODEL.intersection(strategies):
        need_model(name)
    search = open_tool_search(data.tools)
    if NEED_MODEL.intersection(strategies):
        search.embed()
    return search


def measure(
    data: ToolSet, search: ToolSearch, strategies: Sequence[str], progress: Progress | None = None
) -> dict[str, RankingScores]:
    """Run every labelled request with each strategy."""
    rankers = _rankers(data.tools, search)
    results = {}
    for done, name in enumerate(strategies, start=1):
        results[name] = _scores(data.questions, rankers[name])
        if progress:
            progress(done, len(strategies))
    return results


def no_tool_auroc(data: ToolSet, search: ToolSearch) -> float:
    """How well the confidence tells requests that a tool answers from those that none does."""
    search.embed()
    answerable = [search.find(question.text).confidence for question in data.questions]
    return auroc(answerable, [search.find(text).confidence for text in data.no_tool])


def graph_gain(data: ToolSet, search: ToolSearch) -> tuple[Interval, Interval, int]:
    """NDCG of the other tools of a request whose first tool is in use: without the graph, and with it.

    The graph is made of the requests of the other folds, so that no request teaches itself.
    """
    search.embed()
    several = [question for question in data.questions if len(question.grades) > 1]
    graphs = [
        _co_used([other for place, other in enumerate(several) if place % _FOLDS != fold])
        for fold in range(_FOLDS)
    ]
    without: list[float] = []
    with_graph: list[float] = []
    for number, question in enumerate(several):
        first, *rest = sorted(question.grades)
        grades = {tool: question.grades[tool] for tool in rest}
        taught = Experience((first,), graphs[number % _FOLDS])
        for known, values in ((Experience(), without), (taught, with_graph)):
            hits = search.find(question.text, known, AT + 1).hits
            ranking = [hit.tool.id for hit in hits if hit.tool.id != first]
            values.append(ndcg(ranking, grades, AT))
    return bootstrap(without), bootstrap(with_graph), len(several)


def _scores(questions: Sequence[LabelledQuery], rank: Ranker) -> RankingScores:
    return ranking_scores(questions, lambda question: rank(question.text))


def _rankers(tools: Sequence[UpstreamTool], search: ToolSearch) -> dict[str, Ranker]:
    def ours(*, by_meaning: bool, stepwise: bool) -> Ranker:
        def rank(text: str) -> list[str]:
            discovery = search.find(text, limit=AT, by_meaning=by_meaning, stepwise=stepwise)
            return [hit.tool.id for hit in discovery.hits]

        return rank

    return {
        "names": by_names(tools, AT),
        "regex": by_regex(tools, AT),
        "bm25": by_bm25(tools, AT),
        "lexical": ours(by_meaning=False, stepwise=False),
        "hybrid": ours(by_meaning=True, stepwise=False),
        "discovery": ours(by_meaning=True, stepwise=True),
    }


def _co_used(questions: Sequence[LabelledQuery]) -> ToolGraph:
    """A graph in which the tools of each request are next to each other."""
    edges = (
        (first, second, 1.0)
        for question in questions
        for first in question.grades
        for second in question.grades
        if first < second
    )
    return tool_graph(edges, Counter(tool for question in questions for tool in question.grades))
