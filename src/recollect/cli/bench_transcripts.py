"""`bench transcripts`: memory and time of an import of many transcripts."""

from typing import Annotated

import typer

from recollect.cli.bench_output import budget_mark
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, say
from recollect.views.benches import BenchTranscriptsOutput

app = typer.Typer()


@command(
    app,
    "transcripts",
    "recollect bench transcripts",
    "recollect bench transcripts --sessions 500 --megabytes 1000 --json",
    output=BenchTranscriptsOutput,
)
def transcripts(
    sessions: Annotated[int, typer.Option(min=1, help="How many transcripts to import.")] = 50,
    megabytes: Annotated[int, typer.Option(min=1, help="How large they are together.")] = 100,
    as_json: JsonFlag = False,
) -> None:
    """Measure the import of transcripts.

    Its memory and its time.

    Generated transcripts are imported twice in processes of their own. The time is compared with parsing
    the same lines and nothing else.
    """
    from recollect.bench.transcripts import measure

    out = measure(sessions, megabytes)
    if as_json:
        print_json(out)
        return
    say(
        f"{out['imported']} sessions of {out['megabytes']} MB in {out['seconds']:.1f} s, "
        f"{out['ratio']:.1f} x parsing their lines; {out['drafts']} drafts"
    )
    mark = budget_mark(met=out["met"])
    say(f"peak memory {out['peak_mb']:.0f} MB of {out['budget_mb']} {mark}")
    say(f"again: {out['imported_again']} sessions in {out['again_seconds']:.1f} s")
