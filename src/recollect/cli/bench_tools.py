"""`bench tools`: how well tools are found for requests, on a labelled set."""

from typing import Annotated, Any, NotRequired, TypedDict

import typer

from recollect.cli.bench_output import DataOption, SaveOption, fail, note
from recollect.cli.bench_rankings import chosen_strategies, ranking_row, show_rankings
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, say
from recollect.cli.progress import progress


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


_STRATEGIES = ("names", "regex", "bm25", "lexical", "hybrid", "discovery")

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
        choice_option(
            _STRATEGIES,
            "--strategy",
            metavar="NAME",
            help="Repeatable. The first three are what harnesses do. Default: all.",
        ),
    ] = None,
    graph: Annotated[
        bool, typer.Option("--graph", help="Also measure what the tool graph adds (slow).")
    ] = False,
    save: SaveOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure how well tools are found for requests.

    Compared with the harnesses' own searches.

    hybrid and discovery need an embedding model. Without one they are skipped with a line on standard error,
    or refused with exit code 3 when --strategy names them. With --save, a measure that falls below the saved
    interval fails with exit code 9.
    """
    from recollect.bench import saved_results
    from recollect.bench.tools import (
        NEED_MODEL,
        STRATEGIES,
        graph_gain,
        load_tool_set,
        measure,
        no_tool_auroc,
        searchable,
    )

    names = chosen_strategies(strategy, STRATEGIES, STRATEGIES, NEED_MODEL)
    tool_set = load_tool_set(data, note)
    before = saved_results.read(save, "tools", tool_set.name) if save else None
    with progress("Measuring") as report:
        search = searchable(tool_set, names)
        results = measure(tool_set, search, names, report)
    out: BenchToolsOutput = {
        "set": tool_set.name,
        "queries": len(tool_set.questions),
        "tools": len(tool_set.tools),
        "results": {name: ranking_row(result) for name, result in results.items()},
    }
    worse = saved_results.renew(save, before, {"bench": "tools", **out}) if save else []
    if tool_set.no_tool:
        out["no_tool_auroc"] = round(no_tool_auroc(tool_set, search), 4)
    if graph:
        without, with_graph, requests = graph_gain(tool_set, search)
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


def _show(out: BenchToolsOutput) -> None:
    title = f"{out['set']}: {out['queries']} requests, {out['tools']} tools"
    show_rankings(title, out["results"])
    if "no_tool_auroc" in out:
        say(f"recognising that no tool fits: AUROC {out['no_tool_auroc']:.3f}")
    if "graph" in out:
        gain = out["graph"]
        say(
            f"tools of {gain['requests']} requests when one is in use: nDCG@10 {gain['without']:.3f} "
            f"without the graph, {gain['with_graph']:.3f} with it"
        )
