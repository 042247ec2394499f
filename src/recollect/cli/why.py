"""`why`: what led to a memory."""

from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import draw, print_json, progress, safe, say
from recollect.views.why import WhyOutput, successor_row, why_output

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.graph.causal import Edge
    from recollect.graph.why import Explained, Why


def register(app: typer.Typer) -> None:
    command(
        app,
        "why",
        "recollect why opaque-sessions",
        "recollect why 'why do we look tokens up on every call' --depth 5",
        output=WhyOutput,
    )(why)


def why(
    context: typer.Context,
    subject: Annotated[
        list[str], typer.Argument(metavar="ID|QUESTION", help="A memory's id, or a question.")
    ],
    depth: Annotated[int, typer.Option(min=1, max=10, help="How many links back.")] = 3,
    as_json: JsonFlag = False,
) -> None:
    """Why is it like this? The links of a memory, walked back to what led to it.

    Each with its evidence, and where it comes from as far as that is known: session, file, code, commit.
    A question is searched for first, and its best hit is explained.
    """
    recollect = opened(context)
    with progress("Reading memories") as report:
        found = recollect.graphs.why(" ".join(subject), depth, report)
    if as_json:
        print_json(why_output(found))
    else:
        _show(found, recollect.now)


def _show(found: "Explained", now: "datetime") -> None:
    from recollect.cli.link_trees import tell_rest, tree

    told = found.why
    draw(tree(told.memory, told.steps, told.known, now))
    for row in (successor_row(edge, told) for edge in told.successors):
        since = f" since {row['at'][:10]}" if row["at"] else ""
        evidence = f": [italic]{safe(row['evidence'])}[/]" if row["evidence"] else ""
        title = safe(row["title"]) if row["title"] else "[dim](gone)[/]"
        say(f"[yellow]superseded[/]: {row['of']} by [bold]{row['id']}[/] {title}{since}{evidence}")
    for edge in told.contradictions:
        _show_against(edge, told)
    for commit, says in found.commits:
        say(f"[dim]commit {commit}: {safe(says)}[/]")
    if not told.steps:
        say("[dim]No link leads back from it; `recollect link --suggest` looks for some.[/]")
    if told.circular:
        say("[yellow]Some of it goes in a circle: each explains the other.[/]")
    tell_rest(len(told.steps), more=told.more)
    if found.others:
        ids = ", ".join(id.removeprefix("mem:") for id in found.others)
        say(f"[dim]Also found for the question: {ids}[/]")


def _show_against(edge: "Edge", told: "Why") -> None:
    own = told.memory.unified_id
    other = edge.other(own)
    memory = told.known.get(other)
    verb = "contradicts" if edge.source == own else "is contradicted by"
    title = safe(memory.title) if memory else "[dim](gone)[/]"
    evidence = f": [italic]{safe(edge.evidence)}[/]" if edge.evidence else ""
    say(f"[red]{verb}[/] [bold]{safe(other.removeprefix('mem:'))}[/] {title}{evidence}")
