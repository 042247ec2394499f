"""`session`: what is going on, what left and why, and the drafts that wait for a word."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import console, counted, print_json, safe, say
from recollect.errors import RefusedError
from recollect.views.saves import SaveOutput
from recollect.views.sessions import (
    DraftsOutput,
    DropOutput,
    SessionOutput,
    SessionsOutput,
    session_output,
    session_row,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Group

    from recollect.working.view import View

IdArgument = Annotated[
    str | None, typer.Argument(metavar="ID", help="A session, or how it begins. [the last one]")
]
FollowFlag = Annotated[bool, typer.Option("--follow", "-f", help="Go on showing it as it changes.")]
DraftArgument = Annotated[str, typer.Argument(metavar="DRAFT", help="The name of a draft.")]
_PAUSE = 0.5  # seconds between two looks
_BAR = 10  # characters of a bar
_LEFT_SHOWN = 5


def register(app: typer.Typer) -> None:
    session = typer.Typer(help="What is going on: working memory and drafts.")
    app.add_typer(session, name="session")
    session.callback(invoke_without_command=True)(last)
    command(
        session,
        "show",
        "recollect session show 5f2c",
        "recollect session --follow",
        output=SessionOutput,
    )(show)
    command(
        session,
        "list",
        "recollect session list",
        "recollect session list --json",
        output=SessionsOutput,
    )(list_)
    command(session, "drafts", "recollect session drafts", output=DraftsOutput)(drafts)
    command(session, "keep", "recollect session keep session-5f2c", output=SaveOutput)(keep)
    command(session, "drop", "recollect session drop runbook-ff0ed2bdb79723db", output=DropOutput)(drop)


def last(context: typer.Context, follow: FollowFlag = False, as_json: JsonFlag = False) -> None:
    """The last session, when no command is named."""
    if context.invoked_subcommand is None:
        show(context, None, follow=follow, as_json=as_json)


def show(
    context: typer.Context, id: IdArgument = None, follow: FollowFlag = False, as_json: JsonFlag = False
) -> None:
    """Show what a session has in mind, with how much each item matters, and what left and why.

    Attention is counted in events, which are tool calls: while nobody works, nothing fades. With --follow
    it is shown anew whenever it changes, until Ctrl-C.
    """
    sessions = opened(context).sessions
    if follow and as_json:
        raise RefusedError("--follow is for people to watch; ask with --json as often as you like.")
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


def _shown(view: "View") -> "Group":
    from rich.console import Group
    from rich.table import Table

    from recollect.cli.output import markup
    from recollect.working.attention import elapsed

    row, now = view.session, view.memory.event
    head = f"[bold]{safe(row.id)}[/] [dim]{safe(row.harness)}, event {now}, seen {row.seen_at[:16]}[/]"
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
    middle: list[Any] = [table] if view.memory.items else [markup("[dim]nothing in mind[/]")]
    left = [
        markup(
            f"[dim]{one.reason} {counted(elapsed(now, one.event), 'event')} ago:[/] {safe(one.content)}"
        )
        for one in view.left[:_LEFT_SHOWN]
    ]
    return Group(*lines, *middle, *left)


def _follow(look: "Callable[[], View | None]") -> None:
    """Show a session whenever it changes; Ctrl-C is how that ends, and no error."""
    from rich.live import Live

    screen = console()
    before: object = object()
    try:
        with Live(console=screen, auto_refresh=False) as live:
            while True:
                view = look()
                if view != before:
                    before = view
                    told = _shown(view) if view else "No session has used a tool here yet."
                    if screen.is_terminal:
                        live.update(told, refresh=True)
                    else:
                        screen.print(told)
                time.sleep(_PAUSE)
    except KeyboardInterrupt:
        return


def list_(context: typer.Context, as_json: JsonFlag = False) -> None:
    """List the sessions of this project, the one seen last first."""
    found = opened(context).sessions.all()
    if as_json:
        out: SessionsOutput = {"sessions": [session_row(session) for session in found]}
        print_json(out)
        return
    if not found:
        say("[dim]No session has used a tool here yet.[/]")
    for row in found:
        told = f"{row.seen_at[:16].replace('T', ' ')}  [bold]{safe(row.id)}[/] {safe(row.harness)}"
        say(f"{told} [dim]{counted(row.items, 'item')}[/] {safe(row.goal)}")


def drafts(context: typer.Context, as_json: JsonFlag = False) -> None:
    """List the drafts that wait: summaries of sessions, and runbooks for what was fixed.

    They were put together from what tools returned, and nobody has confirmed them: no search finds them
    and no prompt is given them. Read one, then keep or drop it.
    """
    found = opened(context).sessions.drafts.all()
    if as_json:
        out: DraftsOutput = {"drafts": [{"name": one.name, "memory": one.document} for one in found]}
        print_json(out)
        return
    if not found:
        say("[dim]No drafts wait.[/]")
    for one in found:
        say(f"[bold]{safe(one.name)}[/] {safe(str(one.document.get('title', '')))}")
        content = one.document.get("content")
        for name, told in (content if isinstance(content, dict) else {}).items():
            text = "; ".join(map(str, told)) if isinstance(told, list) else str(told)
            say(f"  [dim]{safe(name)}:[/] {safe(text)}")


def keep(context: typer.Context, draft: DraftArgument, as_json: JsonFlag = False) -> None:
    """Make a memory of a draft, as your own word.

    A session whose summary was kept before has that memory changed. If a memory says it already, nothing
    is written and that one is named.
    """
    from recollect.cli.save_output import report, report_repeat
    from recollect.records.memories import Repeats

    done = opened(context).sessions.keep(draft)
    if isinstance(done, Repeats):
        id = done.existing.memory.id
        advice = f"`recollect edit {id}` changes that memory, `recollect session drop {draft}` ends this one."
        report_repeat(done, as_json=as_json, advice=advice)
    else:
        report(done, as_json=as_json)


def drop(context: typer.Context, draft: DraftArgument, as_json: JsonFlag = False) -> None:
    """Throw a draft away."""
    opened(context).sessions.drafts.drop(draft)
    if as_json:
        out: DropOutput = {"dropped": draft}
        print_json(out)
    else:
        say(f"dropped [bold]{safe(draft)}[/]")
