"""`gateway projection`: which fields previews of a tool's large results show."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.command_group import CommandGroup
from recollect.cli.context import JsonFlag
from recollect.cli.gateway import app as gateway_app
from recollect.cli.output import print_json, safe, say
from recollect.clock import to_text
from recollect.errors import NotFoundError
from recollect.gateway.vault.projection import Projection, proposals, valid_fields
from recollect.views.projections import (
    ProjectionChangeOutput,
    ProjectionListOutput,
    projection_rows,
)

if TYPE_CHECKING:
    from recollect.app.gateway import Gateway

app = typer.Typer(
    name="projection",
    cls=CommandGroup,
    help="Choose the fields that previews of large results show.",
    no_args_is_help=True,
)
gateway_app.add_typer(app)

_Tool = Annotated[str, typer.Argument(metavar="SERVER:TOOL", help="The tool.")]


@command(app, "list", "recollect gateway projection list", output=ProjectionListOutput)
def list_projections(as_json: JsonFlag = False) -> None:
    """Show the projections in use, and those proposed.

    Proposals come from the fields that agents read in large results.
    """
    from recollect.app.gateway import open_gateway

    projections = open_gateway().projections
    accepted = projections.accepted()
    proposed = proposals(projections.reads(), accepted)
    if as_json:
        rows = projection_rows(accepted), projection_rows(proposed)
        print_json(ProjectionListOutput(accepted=rows[0], proposed=rows[1]))
        return
    for projection in accepted:
        say(f"{safe(projection.id)}: {safe(', '.join(projection.fields))}")
    for projection in proposed:
        say(f"{safe(projection.id)}: {safe(', '.join(projection.fields))} [dim](proposed)[/]")
    if proposed:
        say("[dim]`recollect gateway projection accept SERVER:TOOL` accepts one.[/]")
    elif not accepted:
        say("None yet. One is proposed when agents have read the same fields of three large results.")


@command(
    app,
    "accept",
    "recollect gateway projection accept tracker:search",
    "recollect gateway projection accept tracker:search 'items[*].id' 'items[*].title'",
    output=ProjectionChangeOutput,
)
def accept(
    tool: _Tool,
    fields: Annotated[
        list[str] | None, typer.Argument(help="Fields to use instead of the proposed ones.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Show these fields of a tool's large results in the reply. Everything else stays in the vault."""
    from recollect.app.gateway import open_gateway

    gateway = open_gateway()
    projection = _chosen(gateway, tool, fields or [])
    gateway.projections.accept(projection, to_text(gateway.now()))
    if as_json:
        print_json(ProjectionChangeOutput(tool=tool, fields=list(projection.fields)))
    else:
        say(f"Large results of {safe(tool)} show {safe(', '.join(projection.fields))}.")


def _chosen(gateway: "Gateway", tool: str, fields: list[str]) -> Projection:
    server, _, name = tool.partition(":")
    if fields:
        if gateway.catalogue.tool(server, name) is None:
            raise NotFoundError(f"unknown tool {tool!r}; `recollect gateway discover` finds tools.")
        return Projection(server, name, valid_fields(fields))
    projections = gateway.projections
    for projection in proposals(projections.reads(), projections.accepted()):
        if projection.id == tool:
            return projection
    raise NotFoundError(f"nothing is proposed for {tool!r}; name the fields, such as 'items[*].id'.")


@command(
    app,
    "remove",
    "recollect gateway projection remove tracker:search",
    output=ProjectionChangeOutput,
)
def remove(tool: _Tool, as_json: JsonFlag = False) -> None:
    """Stop projecting a tool's large results. The record of which fields agents read is deleted too."""
    from recollect.app.gateway import open_gateway

    server, _, name = tool.partition(":")
    if not open_gateway().projections.remove(server, name):
        raise NotFoundError(
            f"{tool!r} has no projection; `recollect gateway projection list` lists them."
        )
    if as_json:
        print_json(ProjectionChangeOutput(tool=tool, fields=[]))
    else:
        say(f"Removed the projection of {safe(tool)}.")
