"""`bench calibration`: whether outcomes of injections make the gate better."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, say
from recollect.views.benches import BenchCalibrationOutput

app = typer.Typer()


@command(
    app,
    "calibration",
    "recollect bench calibration --data ~/data/locomo-turns",
    output=BenchCalibrationOutput,
)
def calibration(
    data: Annotated[Path, typer.Option(help="A folder with a labelled retrieval set.")],
    injections: Annotated[int, typer.Option(min=50, help="Injections to learn from.")] = 200,
    rounds: Annotated[int, typer.Option(min=2, help="How many times the prompts are shuffled.")] = 6,
    as_json: JsonFlag = False,
) -> None:
    """Simulate a project that learns from injections.

    Learns from those with outcomes, and judges the other prompts.

    An injection is used if a relevant memory is among the injected ones. Weights are fitted as `recollect
    replay --propose` does; precision is compared where both reach the same recall.
    """
    from recollect.bench.calibration import measure

    out = measure(data, injections, rounds)
    if as_json:
        print_json(out)
        return
    say(
        f"{out['set']}: precision {out['precision_before']:.3f}, after {out['injections']} injections "
        f"{out['precision_after']:.3f} at the same recall: {out['difference']:+.4f}, "
        f"95% from {out['low']:+.4f} to {out['high']:+.4f}"
    )
