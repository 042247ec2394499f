"""`link` and `unlink`: what leads to what."""

from typing import Annotated

import typer

from recollect.cli import saved
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.errors import RefusedError
from recollect.ids import parse_unified
from recollect.records.record import Link, LinkType

TypeArgument = Annotated[str, typer.Argument(metavar="TYPE", help=f"One of {', '.join(LinkType)}.")]
TargetArgument = Annotated[str, typer.Argument(metavar="TARGET", help="A memory's id, or skill:name.")]


def register(app: typer.Typer) -> None:
    command(
        app,
        "link",
        "recollect link opaque-sessions supersedes jwt-over-cookies",
        "recollect link outage-runbook derived_from may-outage --evidence 'post-mortem of 3 May'",
    )(link)
    command(app, "unlink", "recollect unlink opaque-sessions supersedes jwt-over-cookies")(unlink)


def link(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The memory that holds the link.")],
    type: TypeArgument,
    target: TargetArgument,
    evidence: Annotated[
        str | None, typer.Option("--evidence", "-e", metavar="TEXT", help="How we know.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Say what one memory is to another. `supersedes` ends the validity of the older one."""
    edge = Link(_type(type), parse_unified(target), evidence)
    recollect = opened(context)
    saved.report(recollect.home_of(id).link(id, edge, find=recollect.get), as_json=as_json)


def unlink(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The memory that holds the link.")],
    type: TypeArgument,
    target: TargetArgument,
    as_json: JsonFlag = False,
) -> None:
    """Take a link out. What only this one superseded is valid again."""
    memories = opened(context).home_of(id)
    saved.report(memories.unlink(id, _type(type), parse_unified(target)), as_json=as_json)


def _type(text: str) -> LinkType:
    try:
        return LinkType(text.lower().replace("-", "_"))
    except ValueError:
        raise RefusedError(
            f"there is no link type {text!r}; there are {', '.join(LinkType)}."
        ) from None
