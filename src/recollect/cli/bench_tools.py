"""`bench tools`: how well tools are found for requests, on a labelled set."""

from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

import typer

from recollect.cli.bench_output import DataOption, SaveOption, fail, note, rounded, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, progress, say, warn
from recollect.errors import RefusedError

if TYPE_CHECKING:
    from recollect.bench.tools import ToolScores

_MEASURES = ("ndcg@10", "recall@5", "recall@10", "mrr@10")


class GraphGainOutput(TypedDict):
    """nDCG@10 of a request's other tools when one is in use, without the tool graph and with it."""

    requests: int
    without: float
    with_graph: float


class BenchToolsOutput(TypedDict):
    """`recollect bench tools`: for each strategy ndcg@10, recall@5, recall@10, mrr@10, p50_ms, p95_ms.

    `no_tool_auroc` is there when the set has requests that no tool answers, `graph` with --graph.
    """

    set: str
    queries: int
    tools: int
    results: dict[str, dict[str, Any]]
    no_tool_auroc: NotRequired[float]
    graph: NotRequired[GraphGainOutput]


app = typer.Typer()


@command(
    app,
    "tools",
    "recollect bench tools --data data/tools-bfcl",
    "recollect bench tools --data data/tools-bfcl --strategy bm25 --strategy discovery",
    "recollect bench tools --data data/tools-stabletoolbench --graph",
    output=BenchToolsOutput,
)
def tools(
    data: DataOption,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="names, regex, bm25 (what harnesses do), lexical, hybrid or discovery (ours); "
            "repeatable. [all]"
        ),
    ] = None,
    graph: Annotated[
        bool, typer.Option("--graph", help="Also measure what the tool graph adds (slow).")
    ] = False,
    save: SaveOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure how well tools are found for requests, beside searches that harnesses have of their own.

    hybrid and discovery need an embedding model. Without one they are skipped with a line on standard error,
    or refused with exit code 3 when --strategy names them. With --save, a measure that falls below the saved
    interval fails with exit code 9.
    """
    from recollect.bench import saved_results
    from recollect.bench.tools import graph_gain, load_tool_set, measure, no_tool_auroc

    names = _strategies(strategy)
    tool_set = load_tool_set(data, note)
    before = saved_results.read(save, "tools", tool_set.name) if save else None
    with progress("Measuring", worth=1) as report:
        results = measure(tool_set, names, report)
    out: BenchToolsOutput = {
        "set": tool_set.name,
        "queries": len(tool_set.questions),
        "tools": len(tool_set.tools),
        "results": {name: _result(result) for name, result in results.items()},
    }
    worse = saved_results.renew(save, before, {"bench": "tools", **out}) if save else []
    if tool_set.no_tool:
        out["no_tool_auroc"] = round(no_tool_auroc(tool_set), 4)
    if graph:
        without, with_graph, requests = graph_gain(tool_set)
        out["graph"] = {
            "requests": requests,
            "without": round(without.mean, 4),
            "with_graph": round(with_graph.mean, 4),
        }
    if as_json:
        print_json(out)
    else:
        _show(out)
    fail("worse", worse)


def _strategies(requested: list[str] | None) -> list[str]:
    """The strategies to measure: the requested ones, or all that can run here."""
    from recollect.bench.corpora import has_model
    from recollect.bench.tools import NEED_MODEL, STRATEGIES

    if unknown := [name for name in requested or () if name not in STRATEGIES]:
        raise RefusedError(f"there is no strategy {unknown[0]!r}; there are {', '.join(STRATEGIES)}.")
    if requested or has_model():
        return requested or list(STRATEGIES)
    skipped = ", ".join(sorted(NEED_MODEL))
    warn(f"skipped: {skipped}; no embedding model is installed, `recollect model install` gets one")
    return [name for name in STRATEGIES if name not in NEED_MODEL]


def _result(result: "ToolScores") -> dict[str, Any]:
    times = {"p50_ms": round(result.p50_ms, 2), "p95_ms": round(result.p95_ms, 2)}
    return {**rounded(result.measures), **times}


def _show(out: BenchToolsOutput) -> None:
    title = f"{out['set']}: {out['queries']} requests, {out['tools']} tools"
    results = table(title, "strategy", *_MEASURES, "p50 ms", "p95 ms")
    for name, row in out["results"].items():
        cells = []
        for measure in _MEASURES:
            low, high = row["intervals"][measure]
            cells.append(f"{row[measure]:.3f} [dim]{low:.3f}-{high:.3f}[/]")
        results.add_row(name, *cells, f"{row['p50_ms']:.1f}", f"{row['p95_ms']:.1f}")
    console().print(results)
    if "no_tool_auroc" in out:
        say(f"telling that no tool fits: AUROC {out['no_tool_auroc']:.3f}")
    if "graph" in out:
        gain = out["graph"]
        say(
            f"tools of {gain['requests']} requests when one is in use: nDCG@10 {gain['without']:.3f} "
            f"without the graph, {gain['with_graph']:.3f} with it"
        )
