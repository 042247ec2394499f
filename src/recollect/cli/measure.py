"""`bench`: measurements anyone can repeat."""

from typing import Annotated

import typer

from recollect.cli import wire
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json


def register(app: typer.Typer) -> None:
    bench = typer.Typer(help="Measure Recollect on this machine.", no_args_is_help=True)
    app.add_typer(bench, name="bench")
    command(bench, "store", "recollect bench store", "recollect bench store --memories 1000 --json")(
        store
    )


def store(
    memories: Annotated[int, typer.Option(min=1, help="How many memories to measure with.")] = 10_000,
    as_json: JsonFlag = False,
) -> None:
    """Time list, doctor, index and save.

    Over memories made up for it, as ratios to reading and parsing the same files and nothing else.
    """
    from recollect.bench.store import measure

    rows = measure(memories)
    if as_json:
        out: wire.BenchStoreOutput = {
            "memories": memories,
            "results": {row.name: {"seconds": row.seconds, "ratio": row.ratio} for row in rows},
        }
        print_json(out)
        return
    from rich.table import Table

    table = Table(title=f"{memories:,} memories", box=None, pad_edge=False, title_justify="left")
    table.add_column("what")
    table.add_column("seconds", justify="right")
    table.add_column("x baseline", justify="right")
    for row in rows:
        table.add_row(row.name, f"{row.seconds:.3f}", f"{row.ratio:.1f}")
    console().print(table)
