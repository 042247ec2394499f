"""`doctor`, `index` and `backup`: maintain a memory root."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.exits import Exit
from recollect.cli.output import counted, hint, print_json, safe, say
from recollect.cli.progress import progress
from recollect.views.health import BackupOutput, DoctorOutput, FindingRow, IndexOutput, finding_row

if TYPE_CHECKING:
    from recollect.app.project import Recollect

_MARKS = {"error": "[red]✗[/]", "warning": "[yellow]![/]", "note": "[blue]·[/]"}

app = typer.Typer()


@command(
    app,
    "doctor",
    "recollect doctor",
    "recollect doctor --fix",
    "recollect doctor --json",
    output=DoctorOutput,
)
def doctor(
    context: typer.Context,
    fix: Annotated[bool, typer.Option("--fix", help="Fix what is safe to fix.")] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Check the memories and the setup, and say how to fix problems.

    Exit code 8 when an error remains; warnings and notes alone exit with 0.
    """
    recollect = opened(context, user=user, shows_settings=True)
    with progress("Checking memories") as report:
        examinations = recollect.upkeep.examine(report)
    rows: list[FindingRow] = []
    for examination in examinations:
        fixed = recollect.upkeep.fix(examination) if fix else []
        rows += [finding_row(finding, fixed=finding in fixed) for finding in examination.findings]
    count = sum(examination.count for examination in examinations)
    healthy = not any(row["level"] == "error" and not row["fixed"] for row in rows)
    if as_json:
        name = recollect.identity.name
        out: DoctorOutput = {
            "healthy": healthy,
            "memories": count,
            "project": name,
            "findings": rows,
        }
        print_json(out)
    else:
        _show(rows, count)
    if not healthy:
        raise typer.Exit(Exit.UNHEALTHY)


def _show(rows: list[FindingRow], count: int) -> None:
    for row in rows:
        place = safe(row["path"] or row["check"]) + (f":{row['line']}" if row["line"] else "")
        mark = "[green]✓[/]" if row["fixed"] else _MARKS[row["level"]]
        say(f"{mark} [bold]{place}[/] {safe(row['message'])}")
        say(f"    [dim]{'fixed' if row['fixed'] else safe(row['advice'])}[/]")
    memories = counted(count, "memory", "memories")
    open_rows = [row for row in rows if not row["fixed"]]
    if not open_rows:
        say(f"[green]No problems[/] in {memories}.")
        return
    counts = {level: sum(row["level"] == level for row in open_rows) for level in _MARKS}
    parts = [counted(number, level) for level, number in counts.items() if number]
    hint = " `--fix` fixes what is safe to fix." if any(row["fixable"] for row in open_rows) else ""
    say(f"{', '.join(parts)} in {memories}.{hint}")


@command(app, "index", "recollect index", "recollect index --json", output=IndexOutput)
def index(context: typer.Context, user: UserFlag = False, as_json: JsonFlag = False) -> None:
    """Update the index from the files.

    Writes index.md, updates the search index and, with a model, embeds memories that have no vectors yet. A
    damaged search index is rebuilt.
    """
    recollect = opened(context, user=user)
    with progress("Reading memories") as report:
        inventory = recollect.upkeep.write_inventory(report)
    path, changed, scan = inventory.path, inventory.changed, inventory.scan
    embedded = _index_for_search(recollect)
    if as_json:
        out: IndexOutput = {
            "path": path,
            "memories": len(scan.stored),
            "broken": len(scan.broken),
            "changed": changed,
            "embedded": embedded,
        }
        print_json(out)
        return
    outcome = "Written" if changed else "Up to date"
    say(f"[green]{outcome}[/]: {safe(path)}, {counted(len(scan.stored), 'memory', 'memories')}.")
    if embedded:
        say(f"[green]Embedded[/]: {counted(embedded, 'memory', 'memories')}.")
    if scan.broken:
        files = counted(len(scan.broken), "file")
        say(f"[yellow]{files} could not be read;[/] `recollect doctor` shows why.")


def _index_for_search(recollect: "Recollect") -> int:
    """Update the search index and its vectors; returns how many memories were embedded."""
    with progress("Indexing memories", "run it again to continue") as report:
        notes = recollect.upkeep.check_index(report)
    for note in notes:
        hint(safe(note))
    with progress("Embedding memories", "run it again to continue") as report:
        return recollect.upkeep.embed(report)


@command(
    app, "backup", "recollect backup", "recollect backup --to ~/shop-memory.tar.gz", output=BackupOutput
)
def backup(
    context: typer.Context,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="The file to write. [in the data folder]"),
    ] = None,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Pack the memory root into one file.

    A plain tar.gz without the files that Recollect can rebuild.
    """
    path, files = opened(context, user=user).upkeep.back_up(to)
    if as_json:
        out: BackupOutput = {"path": str(path), "files": files}
        print_json(out)
    else:
        say(f"[green]Backed up[/] {counted(files, 'file')} to {safe(str(path))}")
