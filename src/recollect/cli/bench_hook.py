"""`bench hook`: how long a prompt waits for its hook."""

from math import inf
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from recollect.cli.bench_output import budget_mark, fail, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json

if TYPE_CHECKING:
    from recollect.bench.hook import HookMeasurement


class HookTimes(TypedDict):
    """Milliseconds of the whole process, and how many times the baseline the median is."""

    p50_ms: float
    p95_ms: float
    ratio: float


class BenchHookOutput(TypedDict):
    """`recollect bench hook`, by the number of memories.

    `base_ms` is `python3 -c "import json, sqlite3"` by the interpreter that runs Recollect.
    """

    base_ms: float
    sizes: dict[str, HookTimes]


app = typer.Typer()


@command(
    app,
    "hook",
    "recollect bench hook",
    "recollect bench hook --size 500 --json",
    output=BenchHookOutput,
)
def hook(
    size: Annotated[
        list[int] | None,
        typer.Option("--size", min=1, help="How many memories; repeatable. [500 to 100,000]"),
    ] = None,
    rounds: Annotated[int, typer.Option(min=3, help="How often each runs.")] = 30,
    as_json: JsonFlag = False,
) -> None:
    """Measure how long a prompt waits for its hook.

    Times the whole process of the prompt hook, and `python3 -c "import json, sqlite3"` in the same run, by
    the interpreter that runs Recollect. Exit code 9 when the hook takes more than 1.5 times as long at 500,
    10,000 or 100,000 memories.
    """
    from recollect.bench.hook import BUDGETS, measure

    measured = measure(size or list(BUDGETS), rounds)
    if as_json:
        out: BenchHookOutput = {
            "base_ms": round(measured.base_ms, 2),
            "sizes": {
                str(row.size): {
                    "p50_ms": round(row.p50_ms, 2),
                    "p95_ms": round(row.p95_ms, 2),
                    "ratio": round(row.ratio, 3),
                }
                for row in measured.rows
            },
        }
        print_json(out)
    else:
        _show_hook(measured)
    missed = [row for row in measured.rows if row.ratio > BUDGETS.get(row.size, inf)]
    fail("missed", [f"{row.size:,} memories: {row.ratio:.2f} of {BUDGETS[row.size]}" for row in missed])


def _show_hook(measured: "HookMeasurement") -> None:
    from recollect.bench.hook import BUDGETS

    title = f"python3 with json and sqlite3: {measured.base_ms:.1f} ms"
    times = table(title, "memories", "p50 ms", "p95 ms", "x python3", "budget", "")
    for row in measured.rows:
        budget = BUDGETS.get(row.size)
        times.add_row(
            f"{row.size:,}",
            f"{row.p50_ms:.1f}",
            f"{row.p95_ms:.1f}",
            f"{row.ratio:.2f}",
            f"{budget:.1f}" if budget else "",
            budget_mark(met=row.ratio <= budget) if budget else "",
        )
    console().print(times)
