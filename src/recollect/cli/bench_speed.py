"""`bench speed`: whether search, prompt, update, open and vectors stay within their budgets."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from recollect.cli.bench_output import budget_mark, fail, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, warn
from recollect.views.benches import BenchSpeedOutput, SpeedRow

app = typer.Typer()


@command(
    app,
    "speed",
    "recollect bench speed",
    "recollect bench speed --memories 1000",
    output=BenchSpeedOutput,
)
def speed(
    memories: Annotated[int, typer.Option(min=100, help="Memories to search and to update.")] = 10_000,
    large: Annotated[
        int, typer.Option(min=100, help="Memories and vectors of the large index.")
    ] = 100_000,
    as_json: JsonFlag = False,
) -> None:
    """Measure the speed of search, prompts and updates.

    Also of opening a project and of vectors, against their budgets.

    Each is compared with a baseline of the same run, because machines differ and are busy. A long prompt is
    measured when a model is installed, vectors when numpy is. Exit code 9 when a budget is missed. There is
    no --save, because one run cannot tell how much the load of the machine varies.
    """
    from recollect.bench.speed import measure

    rows = list(reported(measure(memories, large), quiet=as_json))
    if as_json:
        out: BenchSpeedOutput = {"results": rows}
        print_json(out)
    else:
        show_budgets(rows)
    fail_missed(rows)


def reported(rows: Iterable[SpeedRow], *, quiet: bool) -> Iterator[SpeedRow]:
    """The rows; unless `quiet`, each is reported on standard error when it is measured."""
    for row in rows:
        if not quiet:
            warn(f"[dim]measured: {row['name']}[/]")
        yield row


def show_budgets(rows: list[SpeedRow]) -> None:
    """Print the budgets as a table."""
    budgets = table("Budgets", "what", "p50 ms", "p95 ms", "budget ms", "", "x baseline", "baseline")
    for row in rows:
        budgets.add_row(
            row["name"],
            f"{row['p50_ms']:.2f}",
            f"{row['p95_ms']:.2f}",
            f"{row['budget_ms']:.0f}",
            budget_mark(met=row["kept"]),
            f"{row['ratio']:.2f}",
            row["baseline"],
        )
    console().print(budgets)


def fail_missed(rows: list[SpeedRow]) -> None:
    """Exit with the code for a regression if a budget was missed, and name each that was."""
    missed = [row for row in rows if not row["kept"]]
    fail(
        "missed", [f"{row['name']}: {row['p95_ms']:.1f} ms of {row['budget_ms']:.0f}" for row in missed]
    )
