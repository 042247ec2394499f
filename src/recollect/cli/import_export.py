"""`import` and `export`: memories from other sources, and all memories as one file."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, chosen, opened
from recollect.cli.output import counted, print_json, progress, safe, say, warn
from recollect.errors import RefusedError
from recollect.importing.report import ImportRow
from recollect.views.transfers import (
    ExportOutput,
    ImportOutput,
    import_item_row,
    removed_secret,
)

_MARKS = {"create": "[green]+[/]", "update": "[yellow]~[/]", "skip": "[dim]·[/]"}

app = typer.Typer()


@command(
    app,
    "import",
    "recollect import docs/adr                 (shows what would be imported)",
    "recollect import docs/adr --yes           (imports it)",
    "recollect import CLAUDE.md --json",
    "recollect import ../old-checkout/.claude/memory --yes",
    output=ImportOutput,
)
def import_(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="The folder or file to import.")],
    kind: Annotated[
        str | None,
        typer.Option("--as", help="adr, rules, claude-memory or export. [detected]"),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Import instead of showing the plan.")
    ] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Import decision records, rules and memories.

    Reads folders of decision records in Markdown, CLAUDE.md and AGENTS.md rules, claude-memory folders
    and Recollect's own export. Shows what would be imported, and why other parts are skipped; --yes
    imports. Running it again imports only what is new or has changed.
    """
    from recollect.importing import plan as importing
    from recollect.importing import sources

    recollect = opened(context)
    memories = chosen(recollect, user=user)
    if kind not in (None, *sources.SourceKind):
        raise RefusedError(f"unknown kind {kind!r}; choose one of {', '.join(sources.SourceKind)}.")
    source = sources.SourceKind(kind) if kind else sources.detect(path)
    with progress("Reading memories") as report:
        parts = sources.read(path, source, base=recollect.folder, gate=memories.gate)
        planned = importing.plan(parts, memories, report)
    rows: Sequence[ImportRow] = planned.rows
    if yes:
        with progress("Importing") as report:
            rows = importing.apply(planned, memories, report).rows
    counts = {action: sum(row.action == action for row in rows) for action in _MARKS}
    if as_json:
        out: ImportOutput = {
            "applied": yes,
            "kind": source.value,
            "created": counts["create"],
            "updated": counts["update"],
            "skipped": counts["skip"],
            "rows": [import_item_row(row) for row in rows],
        }
        print_json(out)
    else:
        _show(rows, counts, applied=yes)


def _show(rows: Sequence[ImportRow], counts: dict[str, int], *, applied: bool) -> None:
    for row in rows:
        memory = f"[bold]{row.id}[/] {safe(row.title)}" if row.id and row.title else ""
        reason = f"[dim]{safe(row.reason)}[/]" if row.reason else ""
        details = "  ".join(part for part in (memory, reason) if part)
        say(f"  {_MARKS[row.action]} {safe(row.origin)}  {details}")
        for note in row.notes:
            say(f"      [dim]{safe(note)}[/]")
        for finding in row.redacted:
            say(f"      [yellow]{safe(removed_secret(finding))}[/]")
    created, updated, skipped = counts.values()
    if applied:
        say(f"[green]Imported[/]: {created} created, {updated} updated, {skipped} skipped.")
    else:
        say(f"Would create {created}, update {updated}, skip {skipped}.", end="")
        say(" Run it with [bold]--yes[/] to import." if created or updated else "")


@command(
    app,
    "export",
    "recollect export --to memories.json",
    "recollect export > memories.json",
    output=ExportOutput,
)
def export(
    context: typer.Context,
    to: Annotated[
        Path | None, typer.Option("--to", help="The file to write. [standard output]")
    ] = None,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Write every memory into one JSON file.

    The export is complete: it has retired and archived memories, histories and unknown fields. Files that
    cannot be read are named on standard error, and the exit code stays 0.
    """
    recollect = opened(context)
    with progress("Reading memories") as report:
        data, count, broken = recollect.upkeep.export(user=user, progress=report)
    for file in broken:
        warn(f"recollect: skipped {safe(file.path)}: {safe(file.reason)}")
    if to is None:
        sys.stdout.buffer.write(data)
        return
    from recollect.app.user_files import write_file

    write_file(to, data)
    if as_json:
        out: ExportOutput = {"path": str(to), "memories": count}
        print_json(out)
    else:
        say(f"[green]Exported[/] {counted(count, 'memory', 'memories')} to {safe(str(to))}")
