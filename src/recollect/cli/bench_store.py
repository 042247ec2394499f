"""`bench store`: how long the first build, prompts meanwhile, search, list, save and upkeep take."""

from typing import Annotated

import typer

from recollect.cli.bench_output import budget_mark, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json
from recollect.views.benches import BenchStoreOutput

app = typer.Typer()


@command(
    app,
    "store",
    "recollect bench store",
    "recollect bench store --size 100000",
    "recollect bench store --size 1000 --json",
    output=BenchStoreOutput,
)
def store(
    memories: Annotated[
        int,
        typer.Option("--size", "--memories", min=1, help="How many memories to measure with."),
    ] = 10_000,
    as_json: JsonFlag = False,
) -> None:
    """Measure the index build, search, list, save and upkeep.

    Prompts are measured during the first build of the index, too.

    Uses generated memories. Search, list and save are compared with listing the same files, prompts with
    starting Python, the rest with reading and parsing the files. 100,000 memories take a few minutes.
    """
    from recollect.bench.store import measure

    out: BenchStoreOutput = {"memories": memories, "results": measure(memories)}
    if as_json:
        print_json(out)
        return
    times = table(f"{memories:,} memories", "what", "seconds", "x baseline", "by CPU", "budget", "")
    for name, row in out["results"].items():
        budget, is_met = row.get("budget"), row.get("kept")
        times.add_row(
            name,
            f"{row['seconds']:.3f}",
            f"{row['ratio']:.2f}",
            f"{row['cpu_ratio']:.2f}" if "cpu_ratio" in row else "",
            "" if budget is None else f"{budget:.3f}",
            "" if is_met is None else budget_mark(met=is_met),
        )
    console().print(times)
