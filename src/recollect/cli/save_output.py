"""What every writing command prints when it is done."""

import typer

from recollect.cli.exits import Exit
from recollect.cli.output import print_json, safe, say
from recollect.records.memories import Repeats, Saved
from recollect.records.record import Memory
from recollect.views.saves import duplicate_output, save_output

_VERBS = {
    "created": "[green]Saved[/]",
    "updated": "[green]Updated[/]",
    "unchanged": "[dim]Unchanged[/]",
}


def report(saved: Saved, *, as_json: bool) -> None:
    """Tell what was written and what else it brought about."""
    if as_json:
        print_json(save_output(saved))
        return
    memory = saved.stored.memory
    say(f"{_VERBS[saved.action]} [bold]{memory.id}[/]  {safe(memory.title)}")
    say(f"  {safe(saved.stored.path)}")
    for finding in saved.redacted:
        say(f"  [yellow]a secret was removed[/] from {safe(finding.field)} ({finding.kind})")
    for id in saved.superseded:
        say(f"  [yellow]{id}[/] is superseded: {_until(memory)}")
    for id in saved.retired:
        say(f"  [yellow]{id}[/] was retired: only the newest of its kind stay active")


def _until(newer: Memory) -> str:
    """What becomes of what was superseded just now; it still holds where the newer begins later."""
    if newer.valid_from > newer.updated_at:
        return f"it counts as valid until {newer.valid_from:%Y-%m-%d}"
    return "it no longer counts as valid"


def report_repeat(found: Repeats, *, as_json: bool, advice: str = "") -> None:
    """Tell that nothing was written because a memory says this already, and how to go on."""
    id = found.existing.memory.id
    advice = advice or (
        f"`--update {id}` changes that memory, `--supersedes {id}` replaces it, "
        "`--allow-duplicate` keeps both."
    )
    if as_json:
        print_json(duplicate_output(found, advice))
    else:
        how = "exactly" if found.exact else f"nearly ({found.similarity:.0%} alike)"
        say(f"[yellow]Not saved[/]: [bold]{id}[/] says this {how}: {safe(found.existing.memory.title)}")
        say(f"  {safe(found.existing.path)}\n  {advice}")
    raise typer.Exit(Exit.DUPLICATE)
