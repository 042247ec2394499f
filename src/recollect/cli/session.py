"""`session`: working memory, what left it and why, and drafts that wait for review."""

import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.command import command
from recollect.cli.command_group import CommandGroup
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import console, counted, markup, print_json, safe, say
from recollect.cli.save_output import report, report_repeat
from recollect.cli.search_options import moment_of
from recollect.clock import to_text
from recollect.errors import RefusedError
from recollect.records.memories import Repeats
from recollect.views.saves import SaveOutput
from recollect.views.sessions import (
    AdoptOutput,
    DraftsOutput,
    DropOutput,
    PruneOutput,
    SessionOutput,
    SessionsOutput,
    session_output,
    session_row,
)
from recollect.working.session import elapsed
from recollect.working.view import View

if TYPE_CHECKING:
    from rich.console import Group


IdArgument = Annotated[
    str | None,
    typer.Argument(metavar="ID", help="A session's id, or the beginning of it. [the last session]"),
]
FollowFlag = Annotated[bool, typer.Option("--follow", "-f", help="Keep showing it as it changes.")]
DraftArgument = Annotated[str, typer.Argument(metavar="DRAFT", help="The name of a draft.")]
_INTERVAL = 0.5  # seconds between two reads
_BAR = 10  # characters of a bar
_LEFT_SHOWN = 5

app = typer.Typer(
    name="session", cls=CommandGroup, help="Show what is going on: working memory and drafts."
)


@app.callback(invoke_without_command=True)
def last(context: typer.Context, follow: FollowFlag = False, as_json: JsonFlag = False) -> None:
    """The last session, without a command."""
    if context.invoked_subcommand is None:
        show(context, None, follow=follow, as_json=as_json)


@command(app, "show", "recollect session show 5f2c", "recollect session --follow", output=SessionOutput)
def show(
    context: typer.Context, id: IdArgument = None, follow: FollowFlag = False, as_json: JsonFlag = False
) -> None:
    """Show the working memory of a session.

    Lists its items with their attention, and what was dropped and why.

    Attention fades with events, which are tool calls, not with time. With --follow the session is shown again
    whenever it changes, until Ctrl-C.
    """
    sessions = opened(context).sessions
    if follow and as_json:
        raise RefusedError("--follow cannot be combined with --json; repeat the command with --json.")
    if follow:
        _follow(lambda: sessions.view(id))
        return
    view = sessions.view(id)
    if as_json:
        print_json(session_output(view))
    elif view is None:
        say("[dim]No session has used a tool here yet.[/]")
    else:
        console().print(_shown(view))


def _shown(view: View) -> "Group":
    from rich.console import Group
    from rich.table import Table

    row, now = view.session, view.memory.event
    head = f"[bold]{safe(row.id)}[/] [dim]{safe(row.harness)}, event {now}, seen {row.seen_at[:16]}[/]"
    if row.redacted:
        head += f" [yellow]{row.redacted} of {counted(row.extracted, 'item')} redacted[/]"
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("attention", "", "kind", "age", "item"):
        table.add_column(name, overflow="fold")
    for item, level in view.memory.ranked():
        full = round(level * _BAR)
        bar = f"[cyan]{'█' * full}[/][dim]{'░' * (_BAR - full)}[/]"
        mark = " [yellow](redacted)[/]" if item.provenance.redaction_applied else ""
        age = counted(elapsed(now, item.last), "event")
        table.add_row(bar, f"{level:.2f}", safe(item.kind), age, safe(item.content) + mark)
    lines = [markup(head), *([markup(f"[dim]{safe(row.goal)}[/]")] if row.goal else [])]
    middle: list[Any] = [table] if view.memory.items else [markup("[dim]working memory is empty[/]")]
    left = [
        markup(
            f"[dim]{gone.reason} {counted(elapsed(now, gone.event), 'event')} ago:[/] {safe(gone.content)}"
        )
        for gone in view.left[:_LEFT_SHOWN]
    ]
    return Group(*lines, *middle, *left)


def _follow(look: Callable[[], View | None]) -> None:
    """Show a session whenever it changes. Ctrl-C ends it without an error."""
    from rich.live import Live

    screen, stopped = console(), threading.Event()
    before: object = object()
    # Noted and not raised: an exception inside a callback of a library would be lost there.
    usual = signal.signal(signal.SIGINT, lambda *_: stopped.set())
    try:
        with Live(console=screen, auto_refresh=False) as live:
            while not stopped.is_set():
                view = look()
                if view != before:
                    before = view
                    shown = _shown(view) if view else "No session has used a tool here yet."
                    if screen.is_terminal:
                        live.update(shown, refresh=True)
                    else:
                        screen.print(shown)
                stopped.wait(_INTERVAL)
    finally:
        signal.signal(signal.SIGINT, usual)


@command(app, "list", "recollect session list", "recollect session list --json", output=SessionsOutput)
def list_(context: typer.Context, as_json: JsonFlag = False) -> None:
    """List the sessions of this project, the one seen last first."""
    sessions = opened(context).sessions.all()
    if as_json:
        out: SessionsOutput = {"sessions": [session_row(session) for session in sessions]}
        print_json(out)
        return
    if not sessions:
        say("[dim]No session has used a tool here yet.[/]")
    for row in sessions:
        head = f"{row.seen_at[:16].replace('T', ' ')}  [bold]{safe(row.id)}[/] {safe(row.harness)}"
        redacted = f" [yellow]{row.redacted} of {row.extracted} redacted[/]" if row.redacted else ""
        say(f"{head} [dim]{counted(row.items, 'item')}[/]{redacted} {safe(row.goal)}")


@command(app, "drafts", "recollect session drafts", output=DraftsOutput)
def drafts(context: typer.Context, as_json: JsonFlag = False) -> None:
    """List the drafts that are waiting for you.

    Summaries of sessions, and runbooks for what was fixed.

    They are made from tool outputs and are unconfirmed: searches and prompts do not see them. Read one, then
    keep or drop it.
    """
    waiting = opened(context).sessions.drafts.all()
    if as_json:
        out: DraftsOutput = {
            "drafts": [{"name": draft.name, "memory": draft.document} for draft in waiting]
        }
        print_json(out)
        return
    if not waiting:
        say("[dim]There are no drafts.[/]")
    for draft in waiting:
        say(f"[bold]{safe(draft.name)}[/] {safe(str(draft.document.get('title', '')))}")
        content = draft.document.get("content")
        for name, value in (content if isinstance(content, dict) else {}).items():
            text = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
            say(f"  [dim]{safe(name)}:[/] {safe(text)}")


@command(app, "keep", "recollect session keep session-5f2c", output=SaveOutput)
def keep(context: typer.Context, draft: DraftArgument, as_json: JsonFlag = False) -> None:
    """Save a draft as a memory that you confirm.

    The summary of a session replaces its earlier one. If another memory says the same, nothing
    is written and its id is shown.
    """
    result = opened(context).sessions.keep(draft)
    if isinstance(result, Repeats):
        id = result.existing.memory.id
        advice = (
            f"`recollect edit {id}` changes it, `recollect session drop {draft}` deletes this draft."
        )
        report_repeat(result, as_json=as_json, advice=advice)
    else:
        report(result, as_json=as_json)


@command(app, "drop", "recollect session drop runbook-ff0ed2bdb79723db", output=DropOutput)
def drop(context: typer.Context, draft: DraftArgument, as_json: JsonFlag = False) -> None:
    """Delete a draft."""
    opened(context).sessions.drafts.drop(draft)
    if as_json:
        out: DropOutput = {"dropped": draft}
        print_json(out)
    else:
        say(f"dropped [bold]{safe(draft)}[/]")


@command(app, "prune", "recollect session prune --before 2026-01-01", output=PruneOutput)
def prune(
    context: typer.Context,
    before: Annotated[
        str, typer.Option(help="Delete what ended before this date or commit; `now` for all.")
    ],
    as_json: JsonFlag = False,
) -> None:
    """Delete past sessions that were imported from transcripts.

    They are no longer searched, and no later import brings them back. Memories and drafts stay.
    """
    recollect = opened(context)
    moment = to_text(recollect.now) if before == "now" else moment_of(recollect, "--before", before)
    pruned = recollect.past_sessions.prune(moment or "")
    if as_json:
        out: PruneOutput = {"pruned": pruned}
        print_json(out)
    else:
        say(f"deleted {counted(pruned, 'past session')}")


@command(app, "adopt", "recollect session adopt", output=AdoptOutput)
def adopt(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Take over a session database that was made elsewhere.

    Recollect moved it aside instead of opening it.

    Do this after restoring a backup or updating from an earlier version. Never do it in a repository whose
    state folder came with the clone: prompts would get its sessions as yours.
    """
    adopted = opened(context).sessions.adopt()
    if as_json:
        out: AdoptOutput = {"adopted": adopted}
        print_json(out)
    elif adopted:
        say("adopted the sessions; the database that was in use is now [bold]state.db.replaced[/]")
    else:
        say("[dim]No session database was moved aside.[/]")
