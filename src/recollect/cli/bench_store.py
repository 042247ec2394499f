"""`bench store`: how long list, doctor, index and save take."""

from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json
from recollect.views.benches import BenchStoreOutput

app = typer.Typer()


@command(
    app,
    "store",
    "recollect bench store",
    "recollect bench store --memories 1000 --json",
    output=BenchStoreOutput,
)
def store(
    memories: Annotated[int, typer.Option(min=1, help="How many memories to measure with.")] = 10_000,
    as_json: JsonFlag = False,
) -> None:
    """Measure list, doctor, index and save.

    Uses generated memories. The baseline only reads and parses the same files.
    """
    from recollect.bench.store import measure

    out: BenchStoreOutput = {"memories": memories, "results": measure(memories)}
    if as_json:
        print_json(out)
        return
    times = table(f"{memories:,} memories", "what", "seconds", "x baseline")
    for name, row in out["results"].items():
        times.add_row(name, f"{row['seconds']:.3f}", f"{row['ratio']:.1f}")
    console().print(times)
