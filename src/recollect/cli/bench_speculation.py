"""`bench speculation`: what calls that run ahead save, and what they waste."""

import os
from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json, say
from recollect.views.benches import BenchSpeculationOutput, SpeculationWorkload

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
    learned: Annotated[int, typer.Option(min=0, help="Episodes to learn from first.")] = 150,
    think_ms: Annotated[
        int, typer.Option(min=0, help="How long the agent thinks after each answer.")
    ] = 50,
    remote_episodes: Annotated[
        int, typer.Option(min=1, help="Episodes over servers that are far away.")
    ] = 20,
    remote_think_ms: Annotated[
        int, typer.Option(min=0, help="How long the agent thinks there.")
    ] = 1_000,
    as_json: JsonFlag = False,
) -> None:
    """Measure speculation over six published MCP servers.

    Follows one script of an agent, with speculation off and on.

    First as they are; then with every call as slow as one to a public API (median 206 ms). Needs the
    servers that `make servers` installs. The longer an agent thinks, the more of its calls are done by
    the time it makes them, and the less their time matters.
    """
    from recollect.bench.speculation import SpeculationBench, measure

    bench = SpeculationBench(learned, episodes, think_ms, remote_episodes, remote_think_ms)
    out = measure(dict(os.environ), bench)
    if as_json:
        print_json(out)
        return
    _show("near", out)
    _show("far away", out["remote"])


def _show(where: str, out: SpeculationWorkload) -> None:
    rows = table(
        f"{where}: {out['calls']} calls, {out['think_ms']} ms of thinking",
        "",
        "off ms",
        "on ms",
        "on / off",
    )
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
