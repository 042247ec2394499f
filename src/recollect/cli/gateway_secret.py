"""`gateway secret`: values for servers that stay in the system's keyring."""

import sys
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.command_group import CommandGroup
from recollect.cli.context import JsonFlag
from recollect.cli.output import print_json, safe, say
from recollect.errors import NotFoundError, RefusedError
from recollect.gateway.upstream import NAME
from recollect.views.gateway_secrets import (
    GatewaySecretListOutput,
    GatewaySecretOutput,
    ServerSecretRow,
)

_MOST_CHARACTERS = 10_000

app = typer.Typer()
group = typer.Typer(
    name="secret",
    cls=CommandGroup,
    help="Secrets of servers, in the system's keyring.",
    no_args_is_help=True,
)
app.add_typer(group)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As in ${keyring:NAME}.")]


@command(
    group,
    "set",
    "recollect gateway secret set TRACKER_KEY      (asks for the value)",
    "pass show tracker | recollect gateway secret set TRACKER_KEY",
    output=GatewaySecretOutput,
)
def set_secret(name: NameArgument, as_json: JsonFlag = False) -> None:
    """Store a secret in the system's keyring. The value is prompted for, or read from standard input.

    Write `${keyring:NAME}` into a variable, header or argument of a server. It is read when the server
    starts.
    """
    from recollect.app.gateway import open_gateway

    if not NAME.fullmatch(name):
        raise RefusedError(
            f"{name!r} is not a valid name for a secret; use letters, digits, '_', '-' and '.'."
        )
    open_gateway().secrets.put(name, _value(name))
    if as_json:
        print_json(GatewaySecretOutput(name=name, is_set=True))
        return
    say(f"Stored. Write [bold]{safe(f'${{keyring:{name}}}')}[/] where a server needs it.")


def _value(name: str) -> str:
    if sys.stdin.isatty():
        value: str = typer.prompt(f"Value of {name}", hide_input=True)
    else:
        value = sys.stdin.read(_MOST_CHARACTERS + 1).removesuffix("\n").removesuffix("\r")
    if not value or len(value) > _MOST_CHARACTERS or "\0" in value:
        raise RefusedError(
            f"give the value on standard input, 1 to {_MOST_CHARACTERS} characters; nothing was stored."
        )
    return value


@command(group, "remove", "recollect gateway secret remove TRACKER_KEY", output=GatewaySecretOutput)
def remove_secret(name: NameArgument, as_json: JsonFlag = False) -> None:
    """Remove a secret from the keyring."""
    from recollect.app.gateway import open_gateway

    if not open_gateway().secrets.remove(name):
        raise NotFoundError(f"there is no secret {name!r}; `recollect gateway secret list` lists them.")
    if as_json:
        print_json(GatewaySecretOutput(name=name, is_set=False))
        return
    say(f"Removed {safe(name)}.")


@command(group, "list", "recollect gateway secret list", output=GatewaySecretListOutput)
def list_secrets(as_json: JsonFlag = False) -> None:
    """List the names of secrets, and the servers that need them. Values are never shown."""
    from recollect.app.gateway import open_gateway
    from recollect.app.server_secrets import secret_uses

    gateway = open_gateway()
    stored = gateway.secrets.names()
    rows = [
        ServerSecretRow(name=name, is_set=name in stored, servers=servers)
        for name, servers in secret_uses(stored, gateway.upstreams()).items()
    ]
    if as_json:
        print_json(GatewaySecretListOutput(secrets=rows))
        return
    for row in rows:
        state = "" if row["is_set"] else ", not set"
        users = ", ".join(row["servers"]) or "no server"
        say(safe(f"{row['name']}  needed by {users}{state}"))
    if not rows:
        say("No secrets.")
