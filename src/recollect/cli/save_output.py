"""What every command that writes a memory prints."""

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


def report(saved: Saved, *, as_json: bool, verb: str = "") -> None:
    """Print what was written, and its side effects. `verb` says what was done to it, if not just saved."""
    if as_json:
        print_json(save_output(saved))
        return
    memory = saved.stored.memory
    is_done = verb and saved.action != "unchanged"
    done = f"[green]{verb}[/]" if is_done else _VERBS[saved.action]
    say(f"{done} [bold]{memory.id}[/]  {safe(memory.title)}")
    say(f"  {safe(saved.stored.path)}")
    for finding in saved.redacted:
        say(f"  [yellow]a secret was removed[/] from {safe(finding.field)} ({finding.kind})")
    for id in saved.superseded:
        say(f"  [yellow]{id}[/] is superseded: {_until(memory)}")
    for id in saved.retired:
        say(f"  [yellow]{id}[/] was retired: only the newest of its category stay active")


def _until(newer: Memory) -> str:
    """Whether the superseded memory is still valid: it is when its successor starts later."""
    if newer.valid_from > newer.updated_at:
        return f"it stays valid until {newer.valid_from:%Y-%m-%d}"
    return "it is no longer valid"


def report_repeat(repeats: Repeats, *, as_json: bool, advice: str = "") -> None:
    """Say that a memory says this already, so nothing was written, and what to do next."""
    id = repeats.existing.memory.id
    advice = advice or (
        f"`--update {id}` changes that memory, `--supersedes {id}` replaces it, "
        "`--allow-duplicate` keeps both."
    )
    if as_json:
        print_json(duplicate_output(repeats, advice))
    else:
        how = "exactly" if repeats.exact else f"nearly ({repeats.similarity:.0%} alike)"
        say(
            f"[yellow]Not saved[/]: [bold]{id}[/] says this {how}: {safe(repeats.existing.memory.title)}"
        )
        say(f"  {safe(repeats.existing.path)}\n  {advice}")
    raise typer.Exit(Exit.DUPLICATE)
