"""`bench store`: how long list, doctor, index and save take."""

from typing import Annotated, TypedDict

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json


class BenchRow(TypedDict):
    """Seconds at the median, and how many times the baseline of the same run that is."""

    seconds: float
    ratio: float


class BenchStoreOutput(TypedDict):
    """`recollect bench store`."""

    memories: int
    results: dict[str, BenchRow]


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

    rows = measure(memories)
    if as_json:
        out: BenchStoreOutput = {
            "memories": memories,
            "results": {row.name: {"seconds": row.seconds, "ratio": row.ratio} for row in rows},
        }
        print_json(out)
        return
    times = table(f"{memories:,} memories", "what", "seconds", "x baseline")
    for row in rows:
        times.add_row(row.name, f"{row.seconds:.3f}", f"{row.ratio:.1f}")
    console().print(times)
