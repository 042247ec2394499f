"""`gateway restart`: end the processes of a server, so that the next call starts it anew."""

from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import counted, print_json, safe, say
from recollect.views.gateway import GatewayRestartOutput

app = typer.Typer()


@command(
    app,
    "restart",
    "recollect gateway restart time",
    "recollect gateway restart time --json",
    output=GatewayRestartOutput,
)
def restart(
    server: Annotated[str, typer.Argument(metavar="SERVER", help="The name of a server.")],
    as_json: JsonFlag = False,
) -> None:
    """Stop a server for all clients and forget its failures. The next call starts it again.

    Open calls are refused.
    """
    from recollect.app.gateway import open_gateway

    stopped = open_gateway().restart(server)
    if as_json:
        print_json(GatewayRestartOutput(server=server, stopped=stopped))
        return
    if stopped:
        say(f"Stopped {counted(stopped, 'process', 'processes')} of {safe(server)}.", end=" ")
    else:
        say(f"{safe(server)} is not running.", end=" ")
    say("[dim]The next call starts it.[/]")
