"""`bench retrieval`: how well search finds, on a labelled set."""

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from recollect.cli.bench_output import DataOption, SaveOption, fail, note, rounded, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, progress, warn
from recollect.errors import RefusedError

if TYPE_CHECKING:
    from recollect.bench.retrieval import RetrievalScores

_MEASURES = ("ndcg@10", "recall@5", "recall@10", "mrr@10")


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
    from recollect.bench.retrieval import measure

    names = _strategies(strategy)
    data_set = load(data, note)
    before = saved_results.read(save, "retrieval", data_set.name) if save else None
    with progress("Measuring") as report:
        results = measure(data_set, names, report)
    queries = sum(bool(question.grades) for question in data_set.questions)
    out: BenchRetrievalOutput = {
        "set": data_set.name,
        "queries": queries,
        "results": {name: _result(result) for name, result in results.items()},
    }
    worse = saved_results.renew(save, before, {"bench": "retrieval", **out}) if save else []
    if as_json:
        print_json(out)
    else:
        _show_results(out)
    fail("worse", worse)


def _strategies(requested: list[str] | None) -> list[str]:
    """The strategies to measure: the requested ones, or the usual ones that can run here."""
    from recollect.bench.corpora import has_model
    from recollect.bench.retrieval import NEED_MODEL, STRATEGIES, USUAL

    if unknown := [name for name in requested or () if name not in STRATEGIES]:
        raise RefusedError(f"there is no strategy {unknown[0]!r}; there are {', '.join(STRATEGIES)}.")
    if requested or has_model():
        return requested or list(USUAL)
    skipped = ", ".join(name for name in USUAL if name in NEED_MODEL)
    warn(f"skipped: {skipped}; no embedding model is installed, `recollect model install` gets one")
    return [name for name in USUAL if name not in NEED_MODEL]


def _result(result: "RetrievalScores") -> dict[str, Any]:
    times = {"p50_ms": round(result.p50_ms, 2), "p95_ms": round(result.p95_ms, 2)}
    return {**rounded(result.measures), **times}


def _show_results(out: BenchRetrievalOutput) -> None:
    title = f"{out['set']}: {out['queries']} queries"
    results = table(title, "strategy", *_MEASURES, "p50 ms", "p95 ms")
    for name, row in out["results"].items():
        cells = []
        for measure in _MEASURES:
            low, high = row["intervals"][measure]
            cells.append(f"{row[measure]:.3f} [dim]{low:.3f}-{high:.3f}[/]")
        results.add_row(name, *cells, f"{row['p50_ms']:.1f}", f"{row['p95_ms']:.1f}")
    console().print(results)
