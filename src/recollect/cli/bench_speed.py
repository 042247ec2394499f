"""`bench speed`: whether search, prompt, update, open and vectors stay within their budgets."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from recollect.cli.bench_output import budget_mark, fail, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, warn

if TYPE_CHECKING:
    from recollect.bench.timing import SpeedMeasurement


class SpeedRow(TypedDict):
    """One budget: its times, and how many times its baseline the median is."""

    name: str
    p50_ms: float
    p95_ms: float
    budget_ms: float
    kept: bool
    baseline: str
    ratio: float


class BenchSpeedOutput(TypedDict):
    """`recollect bench speed`."""

    results: list[SpeedRow]


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
    """Measure search, prompt, update, open and vectors against their budgets.

    Each is compared with a baseline of the same run, because machines differ and are busy. A long prompt is
    measured when a model is installed, vectors when numpy is. Exit code 9 when a budget is missed. There is
    no --save, because one run cannot tell how much the load of the machine varies.
    """
    from recollect.bench.speed import measure

    rows = speed_rows(measure(memories, large), digits=2, quiet=as_json)
    if as_json:
        out: BenchSpeedOutput = {"results": rows}
        print_json(out)
    else:
        show_budgets(rows)
    fail_missed(rows)


def speed_rows(
    measurements: "Iterable[SpeedMeasurement]", *, digits: int, quiet: bool
) -> list[SpeedRow]:
    """Each measurement as a row, its ratio rounded to `digits`; unless `quiet`, reports each when done."""
    rows: list[SpeedRow] = []
    for measured in measurements:
        if not quiet:
            warn(f"[dim]measured: {measured.name}[/]")
        rows.append(
            {
                "name": measured.name,
                "p50_ms": round(measured.p50_ms, 3),
                "p95_ms": round(measured.p95_ms, 3),
                "budget_ms": measured.budget_ms,
                "kept": measured.within_budget,
                "baseline": measured.baseline,
                "ratio": round(measured.ratio, digits),
            }
        )
    return rows


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
