"""`bench embedding`: how fast texts are embedded, and whether a search waits for it."""

from typing import Annotated

import typer

from recollect.cli.bench_output import budget_mark, fail, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, say
from recollect.views.benches import BenchEmbeddingOutput

app = typer.Typer()


@command(
    app,
    "embedding",
    "recollect bench embedding",
    "recollect bench embedding --memories 200 --json",
    output=BenchEmbeddingOutput,
)
def embedding(
    memories: Annotated[
        int, typer.Option(min=20, help="Memories without vectors, to be searched.")
    ] = 2000,
    as_json: JsonFlag = False,
) -> None:
    """Measure how many texts a second are embedded.

    And how long searches take in the meantime.

    Searches a project whose memories have no vectors yet, with commands and over MCP, until an idle server
    has made them all. Needs an embedding model. Exit code 9 when searches take longer than their budget.
    """
    from recollect.bench.embedding import measure

    out = measure(memories)
    if as_json:
        print_json(out)
    else:
        _show(out)
    missed = [row for row in out["waits"] if not row["kept"]]
    fail("missed", [f"{row['name']}: {row['p95_ms']:.0f} ms" for row in missed])


def _show(out: BenchEmbeddingOutput) -> None:
    speeds = table("Texts per second", "tokens", "one by one", "in use")
    for speed in out["speeds"]:
        speeds.add_row(str(speed["tokens"]), f"{speed['one_by_one']:.0f}", f"{speed['in_use']:.0f}")
    console().print(speeds)
    waits = table(f"Searches, budget {out['budget_ms']:.0f} ms", "what", "p50 ms", "p95 ms", "")
    for row in out["waits"]:
        waits.add_row(
            row["name"], f"{row['p50_ms']:.0f}", f"{row['p95_ms']:.0f}", budget_mark(met=row["kept"])
        )
    console().print(waits)
    say(f"an idle server had {out['memories']:,} vectors after {out['complete_seconds']:.0f} s")
