"""`bench tracing`: what traces cost a search, and how large they become."""

from typing import Annotated

import typer

from recollect.cli.bench_output import fail
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, say
from recollect.views.benches import BenchTracingOutput

app = typer.Typer()


@command(
    app,
    "tracing",
    "recollect bench tracing",
    "recollect bench tracing --memories 1000 --json",
    output=BenchTracingOutput,
)
def tracing(
    memories: Annotated[int, typer.Option(min=100, help="Memories to search.")] = 10_000,
    searches: Annotated[int, typer.Option(min=300, help="Searches that are traced.")] = 10_000,
    as_json: JsonFlag = False,
) -> None:
    """Measure the share of search time that tracing takes.

    And whether its storage is bounded.

    The share includes writing the traces, many at a time. Exit code 9 when it is above 3%.
    """
    from recollect.bench.tracing import measure

    out = measure(memories, searches)
    if as_json:
        print_json(out)
    else:
        say(
            f"a search takes {out['search_ms']:.2f} ms, its traces {out['trace_ms']:.3f} ms: "
            f"{out['share']:.1%} ({out['processor_share']:.1%} of processor time), budget {out['budget']:.0%}"
        )
        say(
            f"after {out['searches']:,} searches {out['traces']:,} traces in {out['megabytes']:.1f} MB; "
            f"after 2.5 times as many: {out['traces_after_more']:,} in {out['megabytes_after_more']:.1f} MB"
        )
    if out["share"] > out["budget"]:
        fail("missed", [f"tracing takes {out['share']:.1%} of search time"])
