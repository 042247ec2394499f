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
    from recollect.app.gateway import Gateway
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

    Changed tools are blocked until then. On a terminal it asks about each change; elsewhere it only
    shows them, unless an option decides. It also lists flagged texts, and tools that imitate those of
    another server.
    """
    from recollect.app.gateway import open_gateway

    if accept + accept_all + reject > 1:
        raise RefusedError("give only one of --accept, --accept-all and --reject.")
    if (accept or reject) and not target:
        raise RefusedError("say which SERVER or SERVER:TOOL; --accept-all accepts every change.")
    gateway = open_gateway()
    shown = [tool for tool in gateway.review(target) if tool.quarantine or tool.flags or tool.shadows]
    if not as_json:
        _show(shown)
    accepted, rejected = _decide(
        gateway, shown, accept=accept or accept_all, reject=reject, ask=not as_json
    )
    if as_json:
        rows = [review_row(tool) for tool in shown]
        print_json(GatewayReviewOutput(tools=rows, accepted=accepted, rejected=rejected))
        return
    for word, ids in (("Accepted", accepted), ("Rejected", rejected)):
        if ids:
            say(f"[green]{word}[/]: {safe(', '.join(ids))}")


def _decide(
    gateway: "Gateway", shown: "Sequence[ScreenedTool]", *, accept: bool, reject: bool, ask: bool
) -> tuple[list[str], list[str]]:
    """Apply the decision of a flag, or of a person at a terminal, to the changes that were shown."""
    changed = [tool for tool in shown if tool.quarantine]
    yes, no = (changed if accept else []), (changed if reject else [])
    waiting = [tool for tool in changed if tool.state == "changed"]
    if not (accept or reject) and ask and waiting:
        if sys.stdin.isatty():
            for tool in waiting:
                (yes if typer.confirm(f"Accept the change to {safe(tool.id)}?") else no).append(tool)
        else:
            say("[dim]--accept or --reject with a tool, or --accept-all, decides.[/]")
    gateway.accept(yes)
    gateway.reject(no)
    return [tool.id for tool in yes], [tool.id for tool in no]


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
