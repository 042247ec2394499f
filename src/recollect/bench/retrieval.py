"""How well does search find? nDCG, recall and MRR of each strategy on a labelled set."""

from collections.abc import Callable, Mapping, Sequence

from recollect.app.reranking import Reranking
from recollect.bench.corpora import (
    LabelledCorpus,
    corpora,
    installed_reranking,
    labelled,
    need_model,
)
from recollect.bench.data_sets import DataSet, LabelledQuery
from recollect.bench.rankings import AT, RankingScores, ranking_scores
from recollect.retrieval.request import Request
from recollect.values import replaced

Progress = Callable[[int, int], None]

# The strategies, then single channels and the other fusion, to see what each part earns.
STRATEGIES: dict[str, tuple[Request, str]] = {
    "lexical": (Request("", strategy="fts5_bm25"), "score"),
    "hybrid": (Request("", strategy="hybrid"), "score"),
    "hybrid-rank": (Request("", strategy="hybrid"), "rank"),
    "vector": (Request("", strategy="hybrid", channels=frozenset({"vector"})), "score"),
    "title_tags": (Request("", strategy="title_tags"), "score"),
    "reranked": (Request("", strategy="hybrid"), "score"),
}
RERANKED = "reranked"  # hybrid, with the reranker that the user has installed
USUAL = ("lexical", "hybrid", "hybrid-rank")
NEED_MODEL = frozenset(
    name for name, (request, _) in STRATEGIES.items() if request.strategy == "hybrid"
)


def measure(
    data: DataSet, strategies: list[str], progress: Progress | None = None, database: str = ""
) -> dict[str, RankingScores]:
    """Run every labelled query of a set with each strategy, on the embedded engine or a team's database.

    Raises NotFoundError when one of them needs a model or a reranker and none is installed.
    """
    for name in NEED_MODEL.intersection(strategies):
        need_model(name)
    reranking = installed_reranking(RERANKED) if RERANKED in strategies else None
    questions, corpora_by_group = labelled(data), corpora(data, database)
    results = {}
    for done, name in enumerate(strategies, start=1):
        used = reranking if name == RERANKED else None
        results[name] = _result(questions, corpora_by_group, *STRATEGIES[name], used)
        if progress:
            progress(done, len(strategies))
    for corpus in corpora_by_group.values():
        corpus.search.close()
    return results


def largest_difference(
    embedded: Mapping[str, RankingScores], team: Mapping[str, RankingScores]
) -> float:
    """By how much nDCG@10 differs between two engines, at most."""
    means = [
        (embedded[name].measures["ndcg@10"].mean, team[name].measures["ndcg@10"].mean)
        for name in embedded
    ]
    return max(abs(ours - theirs) for ours, theirs in means)


def _result(
    questions: Sequence[LabelledQuery],
    corpora_by_group: Mapping[str, LabelledCorpus],
    request: Request,
    fusion: str,
    reranking: Reranking | None,
) -> RankingScores:
    request = replaced(request, limit=AT)
    for corpus in corpora_by_group.values():
        corpus.search.fusion, corpus.search.reranking = fusion, reranking
        corpus.search.update()  # made before the clock starts
        if request.strategy == "hybrid":
            corpus.embed()

    def rank(question: LabelledQuery) -> list[str]:
        answer = corpora_by_group[question.group].find(question, request).answer
        return [str(hit.document.id) for hit in answer.hits]

    return ranking_scores(questions, rank)
