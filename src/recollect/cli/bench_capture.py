"""`bench capture`: how well statements that still bind are found in what people type."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, say
from recollect.cli.progress import progress
from recollect.views.benches import BenchCaptureOutput

app = typer.Typer()


@command(
    app,
    "capture",
    "recollect bench capture --data data/capture-statements",
    "recollect bench capture --data data/capture-statements --json",
    output=BenchCaptureOutput,
)
def capture(
    data: Annotated[Path, typer.Option("--data", help="The folder of one labelled set of messages.")],
    as_json: JsonFlag = False,
) -> None:
    """Measure how well lasting statements are found in prompts.

    Statements of developers that will still apply next week.

    The shipped weights were fitted to one set of messages. The last line says what they reach there on
    repositories that they were not fitted to; a figure measured on that set itself is higher.
    """
    from recollect.bench.capture import measure

    with progress("Reading") as report:
        out = measure(data, report)
    if as_json:
        print_json(out)
        return
    for label, shares in (("all messages", out), ("without doubt", out["without_doubt"])):
        say(
            f"{label:<14} precision {shares['precision']:.2f}, recall {shares['recall']:.2f}, "
            f"F1 {shares['f1']:.2f}, right sentence {shares['span_overlap']:.2f}, "
            f"explicit {shares['explicit_recall']:.2f}, implied {shares['implied_recall']:.2f}"
        )
    left_out = out["left_out"]
    say(
        f"left out       precision {left_out['precision']:.2f}, recall {left_out['recall']:.2f}, "
        f"F1 {left_out['f1']:.2f}: what the shipped weights reach on repositories they were not fitted to"
    )
