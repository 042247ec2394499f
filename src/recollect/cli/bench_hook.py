"""`bench hook`: how long a prompt waits for its hook."""

from math import inf
from typing import Annotated

import typer

from recollect.cli.bench_output import budget_mark, fail, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json
from recollect.views.benches import BenchHookOutput

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
    rounds: Annotated[int, typer.Option(min=3, help="How many times each runs.")] = 30,
    as_json: JsonFlag = False,
) -> None:
    """Measure how long a prompt waits for its hook.

    Times the whole process of the prompt hook, and `python3 -c "import json, sqlite3"` in the same run, by
    the interpreter that runs Recollect. On a busy machine, compare processor time. Exit code 9 when the hook
    takes more than 1.5 times as long at 500, 10,000 or 100,000 memories.
    """
    from recollect.bench.hook import BUDGETS, measure

    out = measure(size or list(BUDGETS), rounds)
    if as_json:
        print_json(out)
    else:
        _show_hook(out)
    missed = [
        f"{int(size):,} memories: {times['ratio']:.2f} of {BUDGETS[int(size)]}"
        for size, times in out["sizes"].items()
        if times["ratio"] > BUDGETS.get(int(size), inf)
    ]
    fail("missed", missed)


def _show_hook(out: BenchHookOutput) -> None:
    from recollect.bench.hook import BUDGETS

    title = f"python3 with json and sqlite3: {out['base_ms']:.1f} ms"
    times = table(title, "memories", "p50 ms", "p95 ms", "x python3", "by CPU", "budget", "")
    for size, row in out["sizes"].items():
        budget = BUDGETS.get(int(size))
        times.add_row(
            f"{int(size):,}",
            f"{row['p50_ms']:.1f}",
            f"{row['p95_ms']:.1f}",
            f"{row['ratio']:.2f}",
            f"{row['cpu_ratio']:.2f}",
            f"{budget:.1f}" if budget else "",
            budget_mark(met=row["ratio"] <= budget) if budget else "",
        )
    console().print(times)
