"""`init`, `uninstall` and the merge driver: putting Recollect into a project and taking it out."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start, opened
from recollect.cli.output import print_json, safe, safe_piece, say
from recollect.views.harnesses import SetupOutput, SetupStepRow

if TYPE_CHECKING:
    from recollect.agents.install import FileChange
    from recollect.app.project import Recollect

_MARKS = {
    "created": "[green]+[/]",
    "kept": "[dim]=[/]",
    "removed": "[red]-[/]",
    "skipped": "[dim]·[/]",
    "changed": "[yellow]~[/]",
}


def register(app: typer.Typer) -> None:
    command(
        app,
        "init",
        "recollect init                    (shows what would change in a harness, and asks)",
        "recollect init --yes",
        "recollect init --harness codex --yes",
        "recollect -C ~/work/shop init --no-harness --json",
        output=SetupOutput,
    )(init)
    command(app, "uninstall", "recollect uninstall --yes", output=SetupOutput)(uninstall)
    app.command("merge-driver", hidden=True)(merge_driver)


def init(
    context: typer.Context,
    harness: Annotated[
        list[str] | None, typer.Option("--harness", help="Connect this one; repeat. [those found]")
    ] = None,
    no_harness: Annotated[bool, typer.Option("--no-harness", help="Connect none.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Connect without asking.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Give this project a memory root, and connect its harnesses.

    Makes the folder, its configuration, its .gitignore and the git merge driver; then shows what would
    change in the configuration of each harness it finds, asks, and keeps a backup. What is there already
    is kept as it is, so it can be run again at any time.
    """
    from recollect.agents.harnesses import get_harness
    from recollect.app.opening import init_project

    for name in harness or ():
        get_harness(name)  # an unknown harness is refused before anything is created
    start: Start = context.obj
    recollect, steps = init_project(start.folder)
    rows = [_step(step.what, step.action, step.why) for step in steps]
    if not as_json:
        say(f"Memory root: [bold]{safe(str(recollect.root))}[/]")
        _show(rows)
    notes: list[str] = []
    if not no_harness:
        names = harness or recollect.connections.present()
        left = [] if harness else recollect.connections.plugged()
        for name in names:
            rows += _connect(recollect, name, yes=yes, quiet=as_json, plugged=name in left)
        notes = _left_to_do(recollect, names)
    if as_json:
        print_json(_output(recollect, rows, notes))
        return
    for note in notes:
        say(f"[yellow]Next[/], {safe(note)}")
    if any(row["action"] == "created" for row in rows):
        say(
            "Next: [bold]recollect save[/] keeps a memory, [bold]recollect list[/] shows what there is."
        )


def _left_to_do(recollect: "Recollect", names: Sequence[str]) -> list[str]:
    """What a person has to do before these harnesses run what was written for them."""
    if not names:
        from recollect.agents.harnesses import NAMES

        return [f"no harness was found; looked for {', '.join(NAMES)}. --harness NAME connects one."]
    connections = recollect.connections
    there = {*connections.connected(), *connections.plugged()}
    steps = {name: connections.next_step(name) for name in names if name in there}
    return [f"{name}: {step}." for name, step in steps.items() if step]


def _connect(
    recollect: "Recollect", name: str, *, yes: bool, quiet: bool, plugged: bool
) -> list[SetupStepRow]:
    """Connect one harness, if the user wants it; what was done about each of its files.

    One that is `plugged` is left alone: its plugin would run every hook a second time.
    """
    changes = [] if plugged else recollect.connections.connecting(name)
    if not changes:
        row = _step(name, "kept", "connected by its plugin" if plugged else "connected already")
        if not quiet:
            _show([row])
        return [row]
    if not quiet:
        _show_changes(name, changes)
    agreed = yes or (not quiet and sys.stdin.isatty() and typer.confirm(f"Connect {name}?"))
    if agreed:
        recollect.connections.apply(changes)
    rows = [_change_row(name, change, made=agreed) for change in changes]
    if not quiet:
        _show(rows)
    return rows


def _change_row(name: str, change: "FileChange", *, made: bool) -> SetupStepRow:
    what = f"{name}: {change.path}"
    if change.advice:
        return _step(what, "skipped", change.advice.split("\n")[0])
    if not made:
        return _step(what, "skipped", "--yes connects it")
    return _step(what, "created" if change.before is None else "changed", "")


def _show_changes(name: str, changes: "Iterable[FileChange]") -> None:
    """The exact change to each file, as a diff."""
    import difflib

    for change in changes:
        if change.advice:
            say(f"[yellow]{safe(change.path)}[/] {safe(change.advice)}")
            continue
        before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
        say(f"[bold]{name}[/] would change {safe(change.path)}:")
        for line in list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]:
            colour = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
            shown = safe_piece(line)
            say(f"    [{colour}]{shown}[/]" if colour else f"    {shown}")


def uninstall(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Take Recollect out of this project. The memories themselves are kept."""
    recollect = opened(context)
    if not yes and not as_json:
        typer.confirm(f"Take Recollect out of {recollect.folder}? Memories are kept.", abort=True)
    rows = [_step(step.what, step.action, step.why) for step in recollect.upkeep.uninstall()]
    notes = [
        f"{name} is still connected by its plugin; take that out by its own means."
        for name in recollect.connections.plugged()
    ]
    if as_json:
        print_json(_output(recollect, rows, notes))
        return
    _show(rows)
    for note in notes:
        say(f"[yellow]![/] {safe(note)}")


def merge_driver(base: Path, ours: Path, theirs: Path, shown: str) -> None:
    """Merge two versions of a memory; git runs this."""
    from recollect.app.opening import merge_files

    if not merge_files(base, ours, theirs, shown):
        raise typer.Exit(1)


def _step(what: str, action: str, why: str) -> SetupStepRow:
    return {"what": what, "action": action, "why": why}


def _output(recollect: "Recollect", rows: list[SetupStepRow], notes: list[str]) -> SetupOutput:
    root = str(recollect.root)
    return {"project": recollect.identity.name, "root": root, "steps": rows, "notes": notes}


def _show(rows: Iterable[SetupStepRow]) -> None:
    for row in rows:
        why = f" [dim]({safe(row['why'])})[/]" if row["why"] else ""
        say(f"  {_MARKS[row['action']]} {row['action']:<8}{safe(row['what'])}{why}")
