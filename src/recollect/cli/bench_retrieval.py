"""`bench retrieval`: how well search finds, on a labelled set."""

from typing import Annotated, Any, TypedDict

import typer

from recollect.cli.bench_output import DataOption, SaveOption, fail, note
from recollect.cli.bench_rankings import chosen_strategies, ranking_row, show_rankings
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, progress


class BenchRetrievalOutput(TypedDict):
    """`recollect bench retrieval`: for each strategy ndcg@10, recall@5, recall@10, mrr@10, p50_ms, p95_ms.

    `intervals` has the bounds of each measure in 95 of 100 resamples of the queries.
    """

    set: str
    queries: int
    results: dict[str, dict[str, Any]]


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
        typer.Option(
            help="lexical, hybrid, hybrid-rank, vector or title_tags; repeatable. [first three]"
        ),
    ] = None,
    save: SaveOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure search quality on a labelled set, per strategy.

    Prints nDCG@10, recall and MRR with 95% bootstrap intervals, and latencies. hybrid, hybrid-rank and vector
    need an embedding model. Without one they are skipped with a line on standard error, or refused with exit
    code 3 when --strategy names them. With --save, a measure that falls below the saved interval fails with
    exit code 9.
    """
    from recollect.bench import saved_results
    from recollect.bench.data_sets import load
    from recollect.bench.retrieval import NEED_MODEL, STRATEGIES, USUAL, measure

    names = chosen_strategies(strategy, STRATEGIES, USUAL, NEED_MODEL)
    data_set = load(data, note)
    before = saved_results.read(save, "retrieval", data_set.name) if save else None
    with progress("Measuring") as report:
        results = measure(data_set, names, report)
    queries = sum(bool(question.grades) for question in data_set.questions)
    out: BenchRetrievalOutput = {
        "set": data_set.name,
        "queries": queries,
        "results": {name: ranking_row(result) for name, result in results.items()},
    }
    worse = saved_results.renew(save, before, {"bench": "retrieval", **out}) if save else []
    if as_json:
        print_json(out)
    else:
        show_rankings(f"{out['set']}: {queries} queries", out["results"])
    fail("worse", worse)
