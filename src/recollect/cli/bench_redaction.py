"""`bench redaction`: how many secrets the redaction gate removes, and how much else."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, safe, say
from recollect.cli.progress import progress
from recollect.views.benches import BenchRedactionOutput

app = typer.Typer()


@command(
    app,
    "redaction",
    "recollect bench redaction --data data/redaction --benign data/redaction-benign",
    "recollect bench redaction --data data/redaction --json",
    output=BenchRedactionOutput,
)
def redaction(
    data: Annotated[Path, typer.Option("--data", help="The folder of one labelled set of texts.")],
    benign: Annotated[
        Path | None, typer.Option("--benign", help="A folder of plain lines without secrets.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure how many secrets the redaction gate removes.

    And how often it removes something else.

    A case counts as found when something is removed from it. Errors are counted per kind; no text is shown.
    """
    from recollect.bench.redaction import measure

    with progress("Measuring") as report:
        out = measure(data, benign, report)
    if as_json:
        print_json(out)
        return
    say(f"secrets found        {out['recall']:.3f} of {out['positives']} (at least 0.990)")
    say(f"look-alikes touched  {out['false_positive_rate']:.3f} of {out['negatives']} (at most 0.090)")
    if (rate := out["benign_line_rate"]) is not None:
        say(f"plain lines touched  {rate:.4f} of {out['benign_lines']:,} (at most 0.0010)")
    for what, kinds in (("missed", out["missed"]), ("touched", out["false_positives"])):
        for kind, count in sorted(kinds.items()):
            say(f"[yellow]{what}[/]  {safe(kind)}: {count}")
