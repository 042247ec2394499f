"""`gateway review`: changes of tools, which a person accepts or rejects."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.gateway import app
from recollect.cli.output import counted, print_json, safe, say
from recollect.errors import RefusedError
from recollect.views.gateway_review import GatewayReviewOutput, review_row

if TYPE_CHECKING:
    from recollect.app.review.tool_changes import ToolChangeReview
    from recollect.gateway.pins import ScreenedTool


@command(
    app,
    "review",
    "recollect gateway review",
    "recollect gateway review files:read_file --accept",
    "recollect gateway review files --reject",
    output=GatewayReviewOutput,
)
def review(
    target: Annotated[
        str, typer.Argument(metavar="SERVER[:TOOL]", help="One server or tool. [all]")
    ] = "",
    accept: Annotated[
        bool, typer.Option("--accept", help="Accept the changes to SERVER or SERVER:TOOL.")
    ] = False,
    accept_all: Annotated[
        bool, typer.Option("--accept-all", help="Accept the changes to every server.")
    ] = False,
    reject: Annotated[
        bool, typer.Option("--reject", help="Refuse the changes to SERVER or SERVER:TOOL.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show tools that changed since you accepted them, and decide.

    These are the changes of `recollect review --kind tool`, and those that you rejected. Changed tools
    are blocked until then. On a terminal it asks about each change; elsewhere it only shows them, unless
    an option decides. It also lists flagged texts, and tools that imitate those of another server.
    """
    from recollect.app.gateway import open_gateway
    from recollect.app.review.tool_changes import ToolChangeReview

    if accept + accept_all + reject > 1:
        raise RefusedError("give only one of --accept, --accept-all and --reject.")
    if (accept or reject) and not target:
        raise RefusedError("say which SERVER or SERVER:TOOL; --accept-all accepts every change.")
    changes = ToolChangeReview(open_gateway(), target=target, settled=True)
    shown = changes.shown()
    if not as_json:
        _show(shown)
    accepted, rejected = _decide(
        changes, shown, accept=accept or accept_all, reject=reject, ask=not as_json
    )
    if as_json:
        rows = [review_row(tool) for tool in shown]
        print_json(GatewayReviewOutput(tools=rows, accepted=accepted, rejected=rejected))
        return
    for word, ids in (("Accepted", accepted), ("Rejected", rejected)):
        if ids:
            say(f"[green]{word}[/]: {safe(', '.join(ids))}")


def _decide(
    changes: "ToolChangeReview",
    shown: "Sequence[ScreenedTool]",
    *,
    accept: bool,
    reject: bool,
    ask: bool,
) -> tuple[list[str], list[str]]:
    """Apply the decision of a flag, or of a person at a terminal, to the changes that were shown."""
    blocked = [item for tool in shown if (item := changes.item(tool))]
    yes, no = (blocked if accept else []), (blocked if reject else [])
    waiting = {tool.id for tool in shown if tool.state == "changed"}
    if not (accept or reject) and ask and waiting:
        if sys.stdin.isatty():
            for item in (item for item in blocked if item.title in waiting):
                (yes if typer.confirm(f"Accept the change to {safe(item.title)}?") else no).append(item)
        else:
            say("[dim]--accept or --reject with a tool, or --accept-all, decides.[/]")
    if not (yes or no):
        return [], []
    from recollect.app.person import require_person

    require_person("deciding about a tool")
    return changes.decide(yes, "keep"), changes.decide(no, "drop")


def _show(tools: "Sequence[ScreenedTool]") -> None:
    if not tools:
        say("No tool has changed since it was accepted, and none is flagged.")
        return
    blocked = sum(bool(tool.quarantine) for tool in tools)
    say(f"{counted(len(tools), 'tool')} to look at, {blocked} of them blocked.")
    for tool in tools:
        state = {"changed": " [yellow]changed[/]", "rejected": " [red]rejected[/]", "pinned": ""}
        say(f"\n[bold]{safe(tool.id)}[/]{state[tool.state]}")
        for line in tool.differences:
            say(f"  {safe(line)}")
        for flag in tool.flags:
            say(f"  [yellow]{safe(flag.where)}[/] {flag.reason}: {safe(flag.excerpt)}")
        for shadow in tool.shadows:
            say(f"  [dim]{safe(shadow)}[/]")
