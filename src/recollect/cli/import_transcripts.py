"""`import transcripts`: what earlier sessions left on this machine."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.cli.output import counted, print_json, safe, say
from recollect.cli.progress import progress
from recollect.cli.search_options import moment_of
from recollect.views.transcripts import transcripts_output

if TYPE_CHECKING:
    from recollect.app.project import Recollect
    from recollect.app.transcript_import import TranscriptOutcome

_SHOWN = 40  # sessions; --json has all


def import_transcripts(
    recollect: "Recollect", harnesses: Sequence[str], since: str | None, *, yes: bool, as_json: bool
) -> None:
    """Import the project's past sessions, or show what would be imported."""
    from recollect.app.transcript_import import TranscriptImport, find_transcripts

    moment = moment_of(recollect, "--since", since) or ""
    files = find_transcripts(recollect, harnesses, moment)
    with progress("Reading transcripts", "run it again to continue") as report:
        importing = TranscriptImport(recollect, apply=yes, since=moment)
        outcomes = list(importing.run(files, report))
    if as_json:
        print_json(transcripts_output(outcomes, applied=yes))
    else:
        _show(outcomes, applied=yes)


def _show(outcomes: "Sequence[TranscriptOutcome]", *, applied: bool) -> None:
    if not outcomes:
        say("No transcripts of this project were found on this machine. `--help` says whose are read.")
        return
    new = [outcome for outcome in outcomes if not outcome.skipped]
    for outcome in new[:_SHOWN]:
        drafts = counted(len(outcome.drafts), "draft")
        passed = f", {counted(outcome.unreadable, 'line')} skipped" if outcome.unreadable else ""
        about = f"[dim]{outcome.ended_at[:10]} {outcome.harness}[/]"
        say(f"  [green]+[/] {about} {safe(outcome.goal or outcome.session)}  [dim]{drafts}{passed}[/]")
        for _, document in outcome.drafts:
            say(
                f"      [dim]{safe(str(document.get('category')))}[/] {safe(str(document.get('title')))}"
            )
    if len(new) > _SHOWN:
        say(f"  [dim]and {len(new) - _SHOWN} more; --json lists them[/]")
    for outcome in outcomes:
        if outcome.skipped and outcome.skipped != "already imported":
            say(f"  [dim]· {safe(outcome.transcript)}  {safe(outcome.skipped)}[/]")
    _show_totals(outcomes, new, applied=applied)


def _show_totals(
    outcomes: "Sequence[TranscriptOutcome]", new: "Sequence[TranscriptOutcome]", *, applied: bool
) -> None:
    drafts = sum(len(outcome.drafts) for outcome in new)
    known = sum(outcome.skipped == "already imported" for outcome in outcomes)
    done = "[green]Imported[/]" if applied else "Would import"
    before = f"; {known} imported before" if known else ""
    say(f"{done} {counted(len(new), 'session')} with {counted(drafts, 'draft')}{before}.", end="")
    if not applied:
        say(" Run it with [bold]--yes[/] to import." if new else "")
        return
    say(" [bold]recollect search --sessions[/] searches them." if new else "")
    if drafts:
        say("Drafts become memories when you keep them: [bold]recollect review[/]")
    if held_back := sum(outcome.held_back for outcome in new):
        say(
            f"[yellow]no room for {counted(held_back, 'draft')}[/]: keep or drop some, and import "
            "again."
        )
