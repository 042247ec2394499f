"""`init`, `uninstall`, `hook-command` and the merge driver: how Recollect is set up in a project."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.agents.harnesses import NAMES, get_harness
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, Start, opened
from recollect.cli.exits import Exit
from recollect.cli.output import print_json, safe, safe_piece, say
from recollect.errors import InvalidError
from recollect.records.display import safe_text
from recollect.views.harnesses import HookCommandOutput, SetupOutput, SetupStepRow

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

app = typer.Typer()


@command(
    app,
    "init",
    "recollect init                    (shows the changes for each harness and asks)",
    "recollect init --yes",
    "recollect init --harness codex --yes",
    "recollect -C ~/work/shop init --no-harness --json",
    output=SetupOutput,
)
def init(
    context: typer.Context,
    harness: Annotated[
        list[str] | None,
        choice_option(
            NAMES,
            "--harness",
            metavar="NAME",
            help="Connect this harness; repeatable. Default: all detected.",
        ),
    ] = None,
    no_harness: Annotated[bool, typer.Option("--no-harness", help="Connect no harness.")] = False,
    local: Annotated[
        bool,
        typer.Option(
            "--local/--shared",
            help="Connect in your own settings on this machine, or in files that a team commits.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Connect without asking.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Create this project's memory root and connect its harnesses.

    Creates the folder, its configuration, its .gitignore and the git merge driver. Then shows what
    would change in the configuration of each detected harness, asks, and keeps a backup. Existing files
    stay as they are, so you can run it again at any time.

    Files that a team commits name programs on PATH and no path of this machine. With --local, a harness
    that has personal settings gets them there, with this machine's interpreter.
    """
    from recollect.app.opening import init_project

    for name in harness or ():
        get_harness(name)  # an unknown harness is refused before anything is created
    start: Start = context.obj
    recollect, steps = init_project(start.folder)
    rows = [_step(step.what, step.action, step.why) for step in steps]
    if not as_json:
        say(f"Memory root: [bold]{safe(str(recollect.root))}[/]")
        _show(rows)
    notes = recollect.upkeep.adoption_notes
    if not no_harness:
        names = harness or recollect.connections.present()
        plugged = [] if harness else recollect.connections.plugged()
        for name in names:
            changes = [] if name in plugged else recollect.connections.connecting(name, local=local)
            rows += _connect(recollect, name, changes, yes=yes, quiet=as_json, plugged=name in plugged)
        notes += _next_steps(recollect, names)
    if as_json:
        print_json(_output(recollect, rows, notes))
        return
    for note in notes:
        say(f"[yellow]Next:[/] {safe(note)}")
    if any(row["action"] == "created" for row in rows):
        say("Next: [bold]recollect save[/] saves a memory, [bold]recollect list[/] lists them.")


def _next_steps(recollect: "Recollect", names: Sequence[str]) -> list[str]:
    """What a person has to do before these harnesses run our hooks."""
    if not names:
        return [f"no harness was detected ({', '.join(NAMES)}); connect one with --harness NAME."]
    connections = recollect.connections
    connected = {*connections.connected(), *connections.plugged()}
    steps = {name: connections.next_step(name) for name in names if name in connected}
    return [f"{name}: {step}." for name, step in steps.items() if step]


def _connect(
    recollect: "Recollect",
    name: str,
    changes: "Sequence[FileChange]",
    *,
    yes: bool,
    quiet: bool,
    plugged: bool,
) -> list[SetupStepRow]:
    """Connect one harness if the user agrees, and return what was done with each of its files.

    A harness that its plugin connects (`plugged`) is skipped, because every hook would run twice.
    """
    if not changes:
        row = _step(name, "kept", "connected by its plugin" if plugged else "already connected")
        if not quiet:
            _show([row])
        return [row]
    if not quiet:
        _show_changes(name, changes)
    agreed = yes or (not quiet and sys.stdin.isatty() and typer.confirm(f"Connect {name}?"))
    if agreed:
        recollect.connections.apply(changes)
    rows = [_change_row(name, change, applied=agreed) for change in changes]
    if not quiet:
        _show(rows)
    return rows


def _change_row(name: str, change: "FileChange", *, applied: bool) -> SetupStepRow:
    what = f"{name}: {change.path}"
    if change.advice:
        return _step(what, "skipped", change.advice, change.by_hand)
    if not applied:
        return _step(what, "skipped", "use --yes to connect it")
    return _step(what, "created" if change.before is None else "changed", "")


def _show_changes(name: str, changes: "Iterable[FileChange]") -> None:
    """Print the change to each file as a diff; of a skill that is new, only its path and length."""
    import difflib

    from recollect.agents.harness import SKILL_MARK

    for change in changes:
        if change.advice:
            say(f"[yellow]{safe(change.path)}[/] {safe(change.advice)}")
            if change.by_hand:
                print(safe_text(change.by_hand))  # unwrapped, so that it can be copied
            continue
        before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
        if change.before is None and SKILL_MARK in (change.after or ""):
            say(f"[bold]{name}[/] would get {safe(change.path)}, a skill of {len(after)} lines")
            continue
        say(f"[bold]{name}[/] would change {safe(change.path)}:")
        for line in list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]:
            colour = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
            shown = safe_piece(line)
            say(f"    [{colour}]{shown}[/]" if colour else f"    {shown}")


@command(app, "uninstall", "recollect uninstall --yes", output=SetupOutput)
def uninstall(
    context: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove Recollect from this project. The memories stay."""
    recollect = opened(context)
    if not yes and not as_json:
        typer.confirm(f"Remove Recollect from {recollect.folder}? The memories stay.", abort=True)
    rows = [_step(step.what, step.action, step.why) for step in recollect.upkeep.uninstall()]
    notes = [
        f"{name} is still connected by its plugin; remove the plugin in {name}."
        for name in recollect.connections.plugged()
    ]
    if as_json:
        print_json(_output(recollect, rows, notes))
        return
    _show(rows)
    for note in notes:
        say(f"[yellow]![/] {safe(note)}")


@command(
    app,
    "hook-command",
    "recollect hook-command UserPromptSubmit",
    "recollect hook-command BeforeAgent --harness gemini --json",
    output=HookCommandOutput,
)
def hook_command(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="The harness's name for the event.")],
    harness: Annotated[
        str, choice_option(NAMES, "--harness", metavar="NAME", help="The harness.")
    ] = "claude-code",
    shared: Annotated[
        bool,
        typer.Option(
            "--shared/--local", help="By its name on PATH, or with this machine's interpreter."
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Print the command that a harness runs for an event.

    This is the line that `recollect init` writes into the harness's configuration: with --shared the one
    for files that a team commits. It exits with 0 even if Recollect is no longer installed, because
    harnesses treat other exit codes as a block.
    """
    from recollect.agents.install import shell_line
    from recollect.agents.launch import SHARED
    from recollect.app import opening

    named = get_harness(harness)
    if event not in named.kinds:
        raise InvalidError(f"{harness} has no event {event!r}; it has {', '.join(named.kinds)}.")
    words = SHARED.hook(harness, event) if shared else opening.hook_command(harness, event)
    if as_json:
        out: HookCommandOutput = {"command": words, "shell": shell_line(words)}
        print_json(out)
    else:
        print(shell_line(words))


@app.command("merge-driver", hidden=True)
def merge_driver(base: Path, ours: Path, theirs: Path, shown: str) -> None:
    """Merge two versions of a memory; git runs this."""
    from recollect.app.merge_driver import merge_files

    result = merge_files(base, ours, theirs, shown)
    for warning in result.warnings:
        print(f"recollect: {warning}", file=sys.stderr)
    if not result.clean:
        raise typer.Exit(Exit.CONFLICT)


def _step(what: str, action: str, why: str, by_hand: str = "") -> SetupStepRow:
    return {"what": what, "action": action, "why": why, "by_hand": by_hand}


def _output(recollect: "Recollect", rows: list[SetupStepRow], notes: list[str]) -> SetupOutput:
    root = str(recollect.root)
    return {"project": recollect.identity.name, "root": root, "steps": rows, "notes": notes}


def _show(rows: Iterable[SetupStepRow]) -> None:
    for row in rows:
        why = f" [dim]({safe(row['why'])})[/]" if row["why"] else ""
        say(f"  {_MARKS[row['action']]} {row['action']:<8}{safe(row['what'])}{why}")
