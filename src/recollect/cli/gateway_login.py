"""`gateway login` and `logout`: servers that somebody else runs and that ask who you are."""

from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, safe, say, warn
from recollect.views.gateway_secrets import GatewayLoginOutput

app = typer.Typer()
_Server = Annotated[str, typer.Argument(metavar="SERVER", help="The name of a server.")]


@command(
    app,
    "login",
    "recollect gateway login tracker",
    "recollect gateway login tracker --no-browser",
    output=GatewayLoginOutput,
)
def login(
    server: _Server,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address instead of opening a browser.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Log in to a server at a URL, in a browser. The tokens are stored in the system's keyring.

    They are renewed when they expire. If that fails, calls are refused with a message that names
    this command.
    """
    import asyncio
    import webbrowser

    from recollect.app.gateway import open_gateway
    from recollect.app.server_login import log_in

    async def show(address: str) -> None:
        warn(f"Log in here: {safe(address)}")  # standard output is for JSON
        if not no_browser:
            await asyncio.to_thread(
                webbrowser.open, address
            )  # some browsers return when they are closed

    is_needed = log_in(open_gateway(), server, show)
    if as_json:
        print_json(GatewayLoginOutput(server=server, is_logged_in=is_needed))
    elif is_needed:
        say(f"Logged in. [dim]`recollect gateway test {safe(server)}` lists its tools.[/]")
    else:
        say(f"{safe(server)} does not require a login.")


@command(app, "logout", "recollect gateway logout tracker", output=GatewayLoginOutput)
def logout(server: _Server, as_json: JsonFlag = False) -> None:
    """Forget the login to a server. Tokens that were issued stay valid there until they expire."""
    from recollect.app.gateway import open_gateway
    from recollect.app.server_login import log_out

    log_out(open_gateway(), server)
    if as_json:
        print_json(GatewayLoginOutput(server=server, is_logged_in=False))
        return
    say(f"Logged out of {safe(server)}.")
