"""`bench learning`: whether the same work needs fewer calls and less time the second time."""

import os
from typing import Annotated

import typer

from recollect.cli.bench_output import fail, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json
from recollect.views.benches import BenchLearningOutput

app = typer.Typer()


@command(
    app,
    "learning",
    "recollect bench learning",
    "recollect bench learning --requests 50 --json",
    output=BenchLearningOutput,
)
def learning(
    requests: Annotated[int, typer.Option(min=10, help="Requests per round.")] = 200,
    as_json: JsonFlag = False,
) -> None:
    """Measure learning over six published MCP servers.

    Works through requests from a cold start, and again.

    A scripted agent asks in a few words for what it needs next and goes down the list until it finds
    the tool. The first round of one project and the second of another take turns, so that both meet the
    same load. Seconds exclude the tenth of the requests whose two times differ most. Exit code 9 when the
    second round needs more calls.
    """
    from recollect.bench.learning import measure

    out = measure(dict(os.environ), requests)
    if as_json:
        print_json(out)
    else:
        rows = table(f"{out['requests']} requests", "round", "calls", "seconds", "processor")
        for name, row in (("first", out["first"]), ("second", out["second"])):
            times = f"{row['seconds']:.2f}", f"{row['processor_seconds']:.2f}"
            rows.add_row(name, f"{row['calls']:,}", *times)
        ratios = (out["calls_ratio"], out["seconds_ratio"], out["processor_ratio"])
        rows.add_row("ratio", *(f"{ratio:.3f}" for ratio in ratios))
        draw(rows)
    if out["second"]["calls"] > out["first"]["calls"]:
        fail("worse", [f"{out['second']['calls']} calls instead of {out['first']['calls']}"])
