"""`init`, `uninstall` and the merge driver: putting Recollect into a project and taking it out."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli import wire
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start, opened
from recollect.cli.output import print_json, safe, say

if TYPE_CHECKING:
    from recollect.app import Recollect

_MARKS = {"created": "[green]+[/]", "kept": "[dim]=[/]", "removed": "[red]-[/]", "skipped": "[dim]·[/]"}


def register(app: typer.Typer) -> None:
    command(app, "init", "recollect init", "recollect -C ~/work/shop init --json")(init)
    command(app, "uninstall", "recollect uninstall --yes")(uninstall)
    app.command("merge-driver", hidden=True)(merge_driver)


def init(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Give this project a memory root.

    Makes the folder, its configuration, its .gitignore and the git merge driver. What is there
    already is kept as it is, so it can be run again at any time.
    """
    from recollect.app import init_project

    start: Start = context.obj
    recollect, steps = init_project(start.folder)
    rows = [_step(step.what, step.action, step.why) for step in steps]
    if as_json:
        print_json(_output(recollect, rows))
        return
    say(f"Memory root: [bold]{safe(str(recollect.project.root.path))}[/]")
    _show(rows)
    if any(row["action"] == "created" for row in rows):
        say(
            "Next: [bold]recollect save[/] keeps a memory, [bold]recollect list[/] shows what there is."
        )


def uninstall(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Take Recollect out of this project. The memories themselves are kept."""
    recollect = opened(context)
    if not yes and not as_json:
        typer.confirm(
            f"Take Recollect out of {recollect.project.folder}? Memories are kept.", abort=True
        )
    rows = [_step(step.what, step.action, step.why) for step in recollect.uninstall()]
    if as_json:
        print_json(_output(recollect, rows))
    else:
        _show(rows)


def merge_driver(base: Path, ours: Path, theirs: Path, shown: str) -> None:
    """Merge two versions of a memory; git runs this."""
    from recollect.app import merge_files

    if not merge_files(base, ours, theirs, shown):
        raise typer.Exit(1)


def _step(what: str, action: str, why: str) -> wire.SetupStep:
    return {"what": what, "action": action, "why": why}


def _output(recollect: "Recollect", rows: list[wire.SetupStep]) -> wire.SetupOutput:
    root = str(recollect.project.root.path)
    return {"project": recollect.identity.name, "root": root, "steps": rows}


def _show(rows: Iterable[wire.SetupStep]) -> None:
    for row in rows:
        why = f" [dim]({row['why']})[/]" if row["why"] else ""
        say(f"  {_MARKS[row['action']]} {row['action']:<8}{safe(row['what'])}{why}")
