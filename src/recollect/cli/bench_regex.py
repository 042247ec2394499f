"""`bench regex`: can a user's pattern be slow, and which patterns are refused?"""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, safe, say
from recollect.cli.progress import progress
from recollect.views.benches import BenchRegexOutput

app = typer.Typer()


@command(
    app,
    "regex",
    "recollect bench regex --data data/regex-safety",
    "recollect bench regex --data data/regex-safety --json",
    output=BenchRegexOutput,
)
def regex(
    data: Annotated[Path, typer.Option("--data", help="The folder of one labelled set of patterns.")],
    as_json: JsonFlag = False,
) -> None:
    """Measure whether vulnerable patterns are made harmless.

    And how many safe ones are refused.

    Each accepted pattern searches texts of 32,000 characters that may slow it down. A vulnerable pattern is
    handled when it is refused, or when it takes at most 250 ms on the slowest of them.
    """
    from recollect.bench.regex import load, measure

    with progress("Measuring") as report:
        out = measure(load(data), report)
    if as_json:
        print_json(out)
        return
    say(f"vulnerable patterns handled  {out['vulnerable_handled']:.3f} of {out['vulnerable']}")
    say(f"safe patterns refused        {out['safe_refused']:.3f} of {out['safe']} (at most 0.100)")
    say(f"slowest accepted pattern     {out['worst_ms']:.1f} ms for {out['characters']:,} characters")
    for pattern in out["missed"]:
        say(f"[red]missed[/]   {safe(pattern)}")
    for pattern in out["refused"]:
        say(f"[yellow]refused[/]  {safe(pattern)}")
