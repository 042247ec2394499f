"""`bench workflow`: what the scheduler costs, beside LangGraph and beside calls one after another."""

from typing import Annotated

import typer

from recollect.cli.bench_output import note, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json
from recollect.installation import how_to_add
from recollect.views.benches import BenchWorkflowOutput

app = typer.Typer()


@command(
    app,
    "workflow",
    "recollect bench workflow",
    "recollect bench workflow --tasks 200 --json",
    output=BenchWorkflowOutput,
)
def workflow(
    tasks: Annotated[int, typer.Option(min=10, help="Tasks of the large graphs.")] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, help="How many times each graph is run.")] = 3,
    as_json: JsonFlag = False,
) -> None:
    """Time graphs of tasks that only wait.

    With our scheduler, one after another, and with LangGraph.

    The ratio is to the longest path through the graph, which nothing can beat. LangGraph is measured
    where it is installed (`pip install 'recollect[bench]'`), in memory and without checkpoints.
    """
    from recollect.bench.workflow import measure

    out = measure(tasks, rounds)
    if as_json:
        print_json(out)
        return
    rows = table("workflow", "graph", "way", "seconds", "x longest path", "ms per task above it")
    for row in out["results"]:
        rows.add_row(
            row["graph"],
            row["way"],
            f"{row['seconds']:.3f}",
            f"{row['ratio']:.2f}" if row["ratio"] else "",
            f"{row['overhead_ms_per_task']:.3f}",
        )
    draw(rows)
    if all(row["way"] != "LangGraph" for row in out["results"]):
        note(f"LangGraph is not installed; {how_to_add('bench')} adds it.")
