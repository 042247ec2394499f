"""`bench speculation`: what calls that run ahead save, and what they waste."""

import os
from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json, say
from recollect.views.benches import BenchSpeculationOutput

app = typer.Typer()


@command(
    app,
    "speculation",
    "recollect bench speculation",
    "recollect bench speculation --think-ms 500 --json",
    output=BenchSpeculationOutput,
)
def speculation(
    episodes: Annotated[int, typer.Option(min=1, help="Episodes that are measured.")] = 60,
    learned: Annotated[int, typer.Option(min=0, help="Episodes before them that teach.")] = 150,
    think_ms: Annotated[
        int, typer.Option(min=0, help="How long the agent thinks after each answer.")
    ] = 50,
    as_json: JsonFlag = False,
) -> None:
    """Follow one script of an agent over six published MCP servers, with speculation off and on.

    Needs the servers that `make servers` installs. The longer an agent thinks, the more of its calls are done
    when it makes them, and the less the time of calls counts.
    """
    from recollect.bench.speculation import measure

    out = measure(dict(os.environ), episodes, learned, think_ms)
    if as_json:
        print_json(out)
        return
    rows = table(f"{out['calls']} calls", "", "off ms", "on ms", "on / off")
    for name, off, on, ratio in (
        ("waiting for calls", out["waiting_off_ms"], out["waiting_on_ms"], out["waiting_ratio"]),
        ("with thinking", out["makespan_off_ms"], out["makespan_on_ms"], out["makespan_ratio"]),
    ):
        rows.add_row(name, f"{off:,.0f}", f"{on:,.0f}", f"{ratio:.2f}")
    draw(rows)
    row = out["speculation"]
    say(
        f"Predicted {row['predicted']:,}, ran ahead {row['started']:,} ({row['acceptance']:.0%}), "
        f"succeeded {row['success']:.0%}, used {row['hits']:,} ({row['hit_rate']:.0%}); "
        f"saved {row['saved_ms']:,.0f} ms, wasted {row['wasted_ms']:,.0f} ms. "
        f"Different answers: {out['different_answers']}."
    )
