"""`bench retrieval`: how well search finds, on a labelled set."""

from typing import Annotated, Any, NotRequired, TypedDict

import typer

from recollect.cli.bench_output import DataOption, SaveOption, fail, note
from recollect.cli.bench_rankings import chosen_strategies, ranking_row, show_rankings
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, say
from recollect.cli.progress import progress


class BenchRetrievalOutput(TypedDict):
    """`recollect bench retrieval`: for each strategy ndcg@10, recall@5, recall@10, mrr@10, p50_ms, p95_ms.

    With --database, those on PostgreSQL follow, and the `largest_difference` of the engines in nDCG@10.
    `intervals` has the bounds of each measure in 95 of 100 resamples of the queries.
    """

    set: str
    queries: int
    results: dict[str, dict[str, Any]]
    largest_difference: NotRequired[float]


_STRATEGIES = ("lexical", "hybrid", "hybrid-rank", "vector", "title_tags", "reranked")
MOST_DIFFERENCE = 0.01  # of nDCG@10 between the engines

app = typer.Typer()


@command(
    app,
    "retrieval",
    "recollect bench retrieval --data data/cranfield",
    "recollect bench retrieval --data data/cranfield --strategy hybrid --strategy vector",
    "recollect bench retrieval --data data/cranfield --save cranfield.json",
    output=BenchRetrievalOutput,
)
def retrieval(
    data: DataOption,
    strategy: Annotated[
        list[str] | None,
        choice_option(
            _STRATEGIES, "--strategy", metavar="NAME", help="Repeatable. Default: the first three."
        ),
    ] = None,
    save: SaveOption = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="A team's database, to be measured beside the embedded engine."
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure search quality on a labelled set, per strategy.

    Prints nDCG@10, recall and MRR with 95% bootstrap intervals, and latencies. hybrid, hybrid-rank and vector
    need an embedding model. Without one they are skipped with a line on standard error, or refused with exit
    code 3 when --strategy names them. reranked is hybrid with the reranker in use, which may take its time;
    without a reranker it is refused. With --save, a measure that falls below the saved interval fails with
    exit code 9. With --database both engines answer, and nDCG@10 may differ by 0.01 at most, or exit code 9.
    """
    from recollect.bench import saved_results
    from recollect.bench.data_sets import load
    from recollect.bench.retrieval import (
        NEED_MODEL,
        STRATEGIES,
        USUAL,
        largest_difference,
        measure,
    )

    names = chosen_strategies(strategy, STRATEGIES, USUAL, NEED_MODEL)
    data_set = load(data, note)
    before = saved_results.read(save, "retrieval", data_set.name) if save else None
    with progress("Measuring") as report:
        results = measure(data_set, names, report)
        team = measure(data_set, names, report, database) if database else {}
    queries = sum(bool(question.grades) for question in data_set.questions)
    out: BenchRetrievalOutput = {
        "set": data_set.name,
        "queries": queries,
        "results": {name: ranking_row(result) for name, result in results.items()}
        | {f"{name}, postgresql": ranking_row(result) for name, result in team.items()},
    }
    if team:
        out["largest_difference"] = round(largest_difference(results, team), 4)
    worse = saved_results.renew(save, before, {"bench": "retrieval", **out}) if save else []
    if as_json:
        print_json(out)
    else:
        show_rankings(f"{out['set']}: {queries} queries", out["results"])
        if team:
            say(f"nDCG@10 differs by {out['largest_difference']:.4f} at most between the engines")
    is_apart = out.get("largest_difference", 0.0) > MOST_DIFFERENCE
    fail("worse", [*worse, *(["the engines differ by more than 0.01 in nDCG@10"] if is_apart else [])])
