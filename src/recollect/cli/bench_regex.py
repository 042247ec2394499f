"""`bench regex` and what else is measured of working memory."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli import wire_redact, wire_working
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, progress, safe, say


def register(bench: typer.Typer) -> None:
    """Add these to the measurements."""
    command(
        bench,
        "regex",
        "recollect bench regex --data data/regex-safety",
        "recollect bench regex --data data/regex-safety --json",
    )(regex)
    command(
        bench,
        "redaction",
        "recollect bench redaction --data data/redaction --benign data/redaction-benign",
        "recollect bench redaction --data data/redaction --json",
    )(redaction)


def regex(
    data: Annotated[Path, typer.Option("--data", help="The folder of one labelled set of patterns.")],
    as_json: JsonFlag = False,
) -> None:
    """Are vulnerable patterns harmless, and how many safe ones are refused?

    Each accepted pattern searches texts of 32,000 characters that may slow it down. A vulnerable pattern is
    handled when it is refused, or when it takes at most 250 ms on the slowest of them.
    """
    from recollect.bench.regex import CHARACTERS, load, measure

    with progress("Measuring", worth=1) as report:
        found = measure(load(data), report)
    vulnerable, sound = found.of(vulnerable=True), found.of(vulnerable=False)
    out: wire_working.BenchRegexOutput = {
        "vulnerable_handled": round(found.vulnerable_handled, 4),
        "safe_refused": round(found.safe_refused, 4),
        "worst_ms": round(found.worst_ms, 2),
        "vulnerable": len(vulnerable),
        "safe": len(sound),
        "characters": CHARACTERS,
        "missed": [one.labelled.pattern for one in vulnerable if not one.harmless],
        "refused": [one.labelled.pattern for one in sound if one.refused],
    }
    if as_json:
        print_json(out)
        return
    say(f"vulnerable patterns handled  {out['vulnerable_handled']:.3f} of {out['vulnerable']}")
    say(f"safe patterns refused        {out['safe_refused']:.3f} of {out['safe']} (at most 0.100)")
    say(f"slowest accepted pattern     {out['worst_ms']:.1f} ms for {CHARACTERS:,} characters")
    for pattern in out["missed"]:
        say(f"[red]missed[/]   {safe(pattern)}")
    for pattern in out["refused"]:
        say(f"[yellow]refused[/]  {safe(pattern)}")


def redaction(
    data: Annotated[Path, typer.Option("--data", help="The folder of one labelled set of texts.")],
    benign: Annotated[
        Path | None, typer.Option("--benign", help="A folder of plain lines that hold no secret.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Does the gate find secrets, and leave alone what only looks like one?

    A case counts as found when something is taken out of it. The kinds that went wrong are counted; no text
    is shown.
    """
    from recollect.bench.redaction import measure

    with progress("Measuring") as report:
        found = measure(data, benign, report)
    rate = found.benign_line_rate
    out: wire_redact.BenchRedactionOutput = {
        "recall": round(found.recall, 4),
        "false_positive_rate": round(found.false_positive_rate, 4),
        "benign_line_rate": None if rate is None else round(rate, 5),
        "positives": sum(case.secret for case in found.cases),
        "negatives": sum(not case.secret for case in found.cases),
        "benign_lines": found.lines,
        "missed": found.wrong(secret=True),
        "false_positives": found.wrong(secret=False),
    }
    if as_json:
        print_json(out)
        return
    say(f"secrets found        {out['recall']:.3f} of {out['positives']} (at least 0.970)")
    say(f"look-alikes touched  {out['false_positive_rate']:.3f} of {out['negatives']} (at most 0.100)")
    if rate is not None:
        say(f"plain lines touched  {rate:.4f} of {out['benign_lines']:,} (at most 0.0100)")
    for what, kinds in (("missed", out["missed"]), ("touched", out["false_positives"])):
        for kind, count in sorted(kinds.items()):
            say(f"[yellow]{what}[/]  {safe(kind)}: {count}")
