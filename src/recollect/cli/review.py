"""`review`: one queue for everything that waits for a person, as a screen, as a list and as commands."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import counted, print_json, safe, say
from recollect.errors import RefusedError
from recollect.views.review import (
    DecidedOutput,
    DecidedRow,
    ReviewOutput,
    decided_row,
    review_output,
)

if TYPE_CHECKING:
    from recollect.app.review.deciding import Deciding
    from recollect.app.review.source import ReviewAct, ReviewItem

_KINDS = (
    "approval",
    "statement",
    "draft",
    "tool",
    "drift",
    "contradiction",
    "pin",
    "unused",
    "link",
)
KindOption = Annotated[
    str,
    choice_option(_KINDS, "--kind", "-k", metavar="KIND", help="Only this kind."),
]
KeysArgument = Annotated[
    list[str], typer.Argument(metavar="KEY", help="Keys that `review list` shows.")
]
YesFlag = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before what cannot be undone.")]

app = typer.Typer(name="review", help="Decide about everything that is waiting for you.")


@app.callback(invoke_without_command=True)
def review(context: typer.Context, kind: KindOption = "", as_json: JsonFlag = False) -> None:
    """The screen, without a command; the list where there is no terminal."""
    if context.invoked_subcommand is not None:
        return
    if as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        list_(context, kind, as_json=as_json)
        return
    from recollect.cli.review_session import run_review

    run_review(_deciding(context), kind)


@command(
    app,
    "list",
    "recollect review list",
    "recollect review list --kind tool",
    "recollect review --json",
    output=ReviewOutput,
)
def list_(context: typer.Context, kind: KindOption = "", as_json: JsonFlag = False) -> None:
    """List everything that is waiting for a person.

    Approvals of calls, drafts, changed tools, memories whose code changed, that contradict each other,
    whose pin is old or that were injected and never used, and links that may be missing. Drafts do not
    appear in prompts or searches.
    """
    items = _deciding(context).waiting(kind)
    if as_json:
        print_json(review_output(items))
        return
    for item in items:
        say(f"[bold]{item.key}[/] [dim]{item.kind}[/] {safe(item.title)}")
        say(f"  [dim]{safe(item.reason)}[/]")
        for act, text in item.acts.items():
            say(f"    {act}: {safe(text)}")
    if items:
        say(
            f"[dim]{counted(len(items), 'thing')} waiting. Run `recollect review` on a terminal to "
            "decide.[/]"
        )
    else:
        say("[dim]Nothing is waiting for you.[/]")


@command(app, "keep", "recollect review keep 3f2a9c1d 77e01b2c", output=DecidedOutput)
def keep(
    context: typer.Context, keys: KeysArgument, yes: YesFlag = False, as_json: JsonFlag = False
) -> None:
    """Keep items: save, accept, approve or confirm them. Only a person may."""
    _decide(context, keys, "keep", yes=yes, as_json=as_json)


@command(app, "drop", "recollect review drop 3f2a9c1d", output=DecidedOutput)
def drop(
    context: typer.Context, keys: KeysArgument, yes: YesFlag = False, as_json: JsonFlag = False
) -> None:
    """Drop items: delete, retire, reject, or stop suggesting them. Only a person may."""
    _decide(context, keys, "drop", yes=yes, as_json=as_json)


@command(
    app, "merge", "recollect review merge 3f2a9c1d --into restart-the-worker", output=DecidedOutput
)
def merge(
    context: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key of a draft.")],
    into: Annotated[str, typer.Option("--into", metavar="ID", help="The memory that gets it.")],
    as_json: JsonFlag = False,
) -> None:
    """Add a draft to a memory of its category. Only a person may."""
    _decide(context, [key], "merge", target=into, as_json=as_json)


@command(app, "undo", "recollect review undo", output=DecidedOutput)
def undo(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Undo the last decision. Only a person may."""
    title = _deciding(context).undo()
    if as_json:
        rows: list[DecidedRow] = (
            [{"key": "", "kind": "", "title": title, "text": "Undone.", "undo": None}] if title else []
        )
        print_json(DecidedOutput(done=rows))
    elif title:
        say(f"[green]Undone[/]: {safe(title)} is waiting again.")
    else:
        say("[dim]There is no decision to undo.[/]")


def _deciding(context: typer.Context) -> "Deciding":
    from recollect.app.review.deciding import deciding_in

    return deciding_in(opened(context))


def _decide(
    context: typer.Context,
    keys: Sequence[str],
    act: "ReviewAct",
    *,
    target: str = "",
    yes: bool = False,
    as_json: bool,
) -> None:
    from recollect.app.review.source import ReviewDecision

    deciding = _deciding(context)
    items = [deciding.queue.item(key) for key in keys]
    _confirm(items, act, yes=yes, as_json=as_json)
    rows: list[DecidedRow] = []
    for item in items:
        outcome = deciding.decide(item, ReviewDecision(act, target))
        rows.append(decided_row(item, outcome))
        if not as_json:
            say(safe(outcome.text))
    if as_json:
        print_json(DecidedOutput(done=rows))


def _confirm(items: "Sequence[ReviewItem]", act: "ReviewAct", *, yes: bool, as_json: bool) -> None:
    """Ask about acts that cannot be taken back."""
    final = [item for item in items if act in item.asks]
    if yes or not final:
        return
    if as_json or not sys.stdin.isatty():
        raise RefusedError(f"{act!r} cannot be undone for {final[0].title!r}; `--yes` confirms it.")
    for item in final:
        for line in item.details:
            say(f"  {safe(line)}")
        typer.confirm(f"{item.acts.get(act, act)}: {item.title}?", abort=True)
