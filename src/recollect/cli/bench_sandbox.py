"""`bench sandbox`: what code costs before, between and after its calls."""

from typing import Annotated

import typer

from recollect.cli.bench_output import note, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json
from recollect.views.benches import BenchSandboxOutput

app = typer.Typer()


@command(
    app,
    "sandbox",
    "recollect bench sandbox",
    "recollect bench sandbox --calls 50 --json",
    output=BenchSandboxOutput,
)
def sandbox(
    calls: Annotated[int, typer.Option(min=10, max=1_000, help="Sequential calls.")] = 100,
    rounds: Annotated[int, typer.Option(min=1, help="How many times each start is timed.")] = 5,
    as_json: JsonFlag = False,
) -> None:
    """Time code in the sandbox.

    Starts, calls of tools that do nothing, and code that does not stop.

    A call is timed from one to the next, in the sandbox alone and as a task of a run with its journal.
    """
    from recollect.bench.sandbox import measure

    out = measure(calls, rounds)
    if as_json:
        print_json(out)
        return
    rows = table("sandbox", "what", "samples", "p50 ms", "p95 ms")
    for row in out["results"]:
        rows.add_row(row["what"], str(row["samples"]), f"{row['p50_ms']:.2f}", f"{row['p95_ms']:.2f}")
    draw(rows)
    note(f"10 gathered calls of 100 ms take {out['gathered_ratio']:.2f} x one of them.")
    note(f"Code that does not stop lasts at most {out['longest_overrun']:.2f} x its limit.")
