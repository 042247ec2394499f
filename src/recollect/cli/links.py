"""`link` and `unlink`: links between memories."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli import save_output
from recollect.cli.choices import choice_argument
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.output import counted, print_json, safe, say, warn
from recollect.cli.progress import progress
from recollect.errors import RefusedError
from recollect.ids import as_skill, parse_unified
from recollect.records.record import Link, LinkType
from recollect.views.edges import LinkOutput, SuggestionRow, suggestion_row
from recollect.views.saves import SaveOutput

if TYPE_CHECKING:
    from recollect.app.project import Recollect

_TYPE = choice_argument(LinkType, metavar="TYPE", help="How they are related.")
_TARGET = "A memory's id, or skill:name."

_IN_FRONT_MATTER = ("describes", "governs")  # edges that skills declare

app = typer.Typer()


@command(
    app,
    "link",
    "recollect link opaque-sessions supersedes jwt-over-cookies",
    "recollect link outage-runbook derived_from may-outage --evidence 'post-mortem of 3 May'",
    "recollect link --suggest",
    "recollect link --suggest opaque-sessions",
    output=LinkOutput,
)
def link(
    context: typer.Context,
    id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The memory that the link starts from.")
    ] = None,
    type: Annotated[str | None, _TYPE] = None,
    target: Annotated[str | None, typer.Argument(metavar="TARGET", help=_TARGET)] = None,
    evidence: Annotated[
        str | None, typer.Option("--evidence", "-e", metavar="TEXT", help="Why the link is true.")
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Suggest missing links without creating them.")
    ] = False,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Link two memories. `supersedes` ends the validity of the older one.

    --suggest proposes links, for ID or for all memories, each with the command that creates it: from words
    in the texts ("instead of", "because of", "superseded by"), from near-duplicates, and from memories
    about the same files.
    """
    if suggest:
        if type or target or evidence:
            raise typer.BadParameter("--suggest takes at most an ID.")
        _suggest(opened(context, user=user), id, as_json=as_json)
        return
    for name, value in (("ID", id), ("TYPE", type), ("TARGET", target)):
        if value is None:
            raise typer.BadParameter(f"Missing argument '{name}'.")
    edge = Link(_type(str(type)), parse_unified(str(target)), evidence)
    recollect = opened(context, user=user)
    done = recollect.home_of(str(id)).link(str(id), edge, find=recollect.get)
    save_output.report(done, as_json=as_json)
    if as_skill(edge.target) and recollect.skills.reread().find(edge.target) is None:
        warn(f"[yellow]no skill folder contains {safe(edge.target)}[/]; the link was created anyway.")


@command(
    app, "unlink", "recollect unlink opaque-sessions supersedes jwt-over-cookies", output=SaveOutput
)
def unlink(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The memory that the link starts from.")],
    type: Annotated[str, _TYPE],
    target: Annotated[str, typer.Argument(metavar="TARGET", help=_TARGET)],
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Remove a link. A memory that only this link superseded becomes valid again."""
    memories = opened(context, user=user).home_of(id)
    save_output.report(memories.unlink(id, _type(type), parse_unified(target)), as_json=as_json)


def _type(text: str) -> LinkType:
    try:
        return LinkType(text.lower().replace("-", "_"))
    except ValueError:
        if text.lower() in _IN_FRONT_MATTER:
            raise RefusedError(
                f"{text.lower()!r} leads from a skill to a memory, so it belongs to the skill: write "
                f"`{text.lower()}: [mem:ID]` into the front matter of its SKILL.md."
            ) from None
        raise RefusedError(
            f"unknown link type {text!r}; choose one of {', '.join(LinkType)}."
        ) from None


def _suggest(recollect: "Recollect", id: str | None, *, as_json: bool) -> None:
    from recollect.graph.suggest import suggestions

    about = recollect.get(id).memory.unified_id if id else None
    with progress("Reading memories") as report:
        memories = [stored.memory for stored in recollect.memories.scan(report).stored]
    missing = suggestions(memories, recollect.now, about)
    if as_json:
        out: LinkOutput = {"suggestions": [suggestion_row(suggestion) for suggestion in missing]}
        print_json(out)
        return
    for suggestion in missing:
        _show(suggestion_row(suggestion))
    if not missing:
        say("[dim]No missing links found.[/]")
    else:
        say(f"[dim]{counted(len(missing), 'link')} may be missing; none was created.[/]")


def _show(row: SuggestionRow) -> None:
    say(f"[bold]{row['source']}[/] {row['type']} [bold]{row['target']}[/]")
    evidence = row["evidence"] or ""
    quote = "" if row["reason"].startswith(evidence) else f"[dim]:[/] [italic]{safe(evidence)}[/]"
    say(f"  [dim]{safe(row['reason'])}[/]{quote}")
    say(f"  {safe(row['command'])}")
