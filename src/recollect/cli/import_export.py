"""`import` and `export`: memories from other sources, and all memories as one file."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.output import counted, print_json, safe, say, warn
from recollect.cli.progress import progress
from recollect.errors import ModelError, RefusedError, UnwritableError
from recollect.importing.report import ImportRow
from recollect.views.transfers import (
    ExportOutput,
    ImportOutput,
    import_item_row,
    removed_secret,
)

if TYPE_CHECKING:
    from recollect.app.project import Recollect

_MARKS = {"create": "[green]+[/]", "update": "[yellow]~[/]", "skip": "[dim]·[/]"}

# The values of `SourceKind`, and the harnesses with transcripts; to import those takes time at every start.
_KINDS = (
    "adr",
    "rules",
    "claude-memory",
    "export",
    "basic-memory",
    "claude-mem",
    "letta",
    "mem0",
    "memory-graph",
)
_HARNESSES = ("claude-code", "codex", "gemini", "opencode", "specstory")

app = typer.Typer()


@command(
    app,
    "import",
    "recollect import docs/adr                 (shows what would be imported)",
    "recollect import docs/adr --yes           (imports it)",
    "recollect import CLAUDE.md --json",
    "recollect import ../old-checkout/.claude/memory --yes",
    "recollect import transcripts --since 2026-01-01",
    output=ImportOutput,
)
def import_(
    context: typer.Context,
    path: Annotated[
        Path,
        typer.Argument(
            help="The folder or file to import; `transcripts`: this project's past sessions."
        ),
    ],
    kind: Annotated[
        str | None,
        choice_option(
            _KINDS, "--as", metavar="KIND", help="What kind of source it is. Default: detected."
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Import instead of showing the plan.")
    ] = False,
    harness: Annotated[
        list[str] | None,
        choice_option(
            _HARNESSES,
            "--harness",
            metavar="NAME",
            help="Only transcripts of this harness; repeatable.",
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option(help="Only sessions that ended on or after this date or commit.")
    ] = None,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Import decision records, rules and memories.

    Reads folders of decision records in Markdown, rules for agents (CLAUDE.md, AGENTS.md, those of Cursor,
    Windsurf and Copilot), claude-memory folders, Recollect's own export, and what claude-mem, basic-memory,
    mem0, Letta and the MCP memory server remember. Shows what would be imported, and why other parts are
    skipped; --yes imports. Running it again imports only what is new or has changed. With a model, the
    memories are then embedded for search by meaning; if that is interrupted, `recollect index` continues it.
    """
    from recollect.app import import_sources
    from recollect.importing import plan as importing
    from recollect.importing.sources import SourceKind

    recollect = opened(context, user=user)
    if str(path) == "transcripts":
        if kind or user:
            raise RefusedError(
                "--as and --user cannot be combined with transcripts, which belong to the project."
            )
        from recollect.cli.import_transcripts import import_transcripts

        import_transcripts(recollect, harness or (), since, yes=yes, as_json=as_json)
        return
    if harness or since:
        raise RefusedError("--harness and --since need `recollect import transcripts`.")
    memories = recollect.memories
    if kind not in (None, *SourceKind):
        raise RefusedError(f"unknown kind {kind!r}; choose one of {', '.join(SourceKind)}.")
    source = SourceKind(kind) if kind else import_sources.detect(path)
    with progress("Reading memories") as report:
        parts = import_sources.read(path, source, base=recollect.folder, gate=memories.gate)
        planned = importing.plan(parts, memories, report)
    rows: Sequence[ImportRow] = planned.rows
    if yes:
        with progress("Importing", "run it again to continue") as report:
            rows = importing.apply(planned, memories, report).rows
    counts = {action: sum(row.action == action for row in rows) for action in _MARKS}
    if not as_json:
        _show(rows, counts, applied=yes)
    embedded = _embed(recollect) if yes else 0
    if as_json:
        out: ImportOutput = {
            "applied": yes,
            "kind": source.value,
            "created": counts["create"],
            "updated": counts["update"],
            "skipped": counts["skip"],
            "embedded": embedded,
            "rows": [import_item_row(row) for row in rows],
        }
        print_json(out)
    elif embedded:
        say(f"[green]Embedded[/]: {counted(embedded, 'memory', 'memories')}.")


def _embed(recollect: "Recollect") -> int:
    """Embed the memories that have no vectors; a model that fails is named, and costs no import."""
    if not recollect.search.uses_model:
        return 0
    try:
        with progress("Indexing") as report:
            recollect.search.update_index(report)
        with progress("Embedding memories", "run `recollect index` to continue") as report:
            return recollect.upkeep.embed(report)
    except (ModelError, UnwritableError) as error:
        warn(f"[yellow]{safe(str(error))}[/] `recollect index` tries again.")
        return 0


_QUOTED = 70  # characters of a skipped part that are shown; --json has it whole


def _show(rows: Sequence[ImportRow], counts: dict[str, int], *, applied: bool) -> None:
    from recollect.markdown.plain import cut

    for row in rows:
        memory = f"[bold]{row.id}[/] {safe(row.title)}" if row.id and row.title else ""
        quote = f": {safe(cut(row.text, _QUOTED))}" if row.text else ""
        reason = f"[dim]{safe(row.reason)}{quote}[/]" if row.reason else ""
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
    recollect = opened(context, user=user)
    with progress("Reading memories") as report:
        data, count, broken = recollect.upkeep.export(report)
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
