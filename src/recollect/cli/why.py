"""`why`: what led to a memory."""

from datetime import datetime
from typing import Annotated

import typer

from recollect.cli.command import command
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.output import draw, print_json, safe, say
from recollect.cli.progress import progress
from recollect.graph.causal import Edge
from recollect.graph.why import Why, WhyAnswer
from recollect.views.why import WhyOutput, force_of_why, successor_row, why_output

app = typer.Typer()


@command(
    app,
    "why",
    "recollect why opaque-sessions",
    "recollect why 'why do we look tokens up on every call' --depth 5",
    output=WhyOutput,
)
def why(
    context: typer.Context,
    subject: Annotated[
        list[str], typer.Argument(metavar="ID|QUESTION", help="A memory's id, or a question.")
    ],
    depth: Annotated[int, typer.Option(min=1, max=10, help="How many links to follow.")] = 3,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Explain a memory: follow its links back to what led to it.

    Each step shows its evidence and, if known, its origin: session, file, code, commit. A question is
    searched first, and its best hit is explained.
    """
    recollect = opened(context, user=user)
    with progress("Reading memories") as report:
        explained = recollect.graphs.why(" ".join(subject), depth, report)
    if as_json:
        print_json(why_output(explained, recollect.now))
    else:
        _show(explained, recollect.now)


def _show(explained: WhyAnswer, now: datetime) -> None:
    from recollect.cli.link_trees import say_truncated, tree

    why = explained.why
    draw(tree(why.memory, why.steps, why.known, now, force_of_why(why)))
    for row in (successor_row(edge, why) for edge in why.successors):
        since = f" since {row['at'][:10]}" if row["at"] else ""
        evidence = f": [italic]{safe(row['evidence'])}[/]" if row["evidence"] else ""
        title = safe(row["title"]) if row["title"] else "[dim](gone)[/]"
        say(f"[yellow]superseded[/]: {row['of']} by [bold]{row['id']}[/] {title}{since}{evidence}")
    for edge in why.contradictions:
        _show_against(edge, why)
    for commit, says in explained.commits:
        say(f"[dim]commit {commit}: {safe(says)}[/]")
    if not why.steps:
        say("[dim]It has no links to causes; `recollect link --suggest` proposes some.[/]")
    if why.circular:
        say("[yellow]Some links form a cycle: each memory explains the other.[/]")
    say_truncated(len(why.steps), more=why.more)
    if explained.others:
        ids = ", ".join(id.removeprefix("mem:") for id in explained.others)
        say(f"[dim]Other hits for the question: {ids}[/]")


def _show_against(edge: Edge, why: Why) -> None:
    own = why.memory.unified_id
    other = edge.other(own)
    memory = why.known.get(other)
    verb = "contradicts" if edge.source == own else "is contradicted by"
    title = safe(memory.title) if memory else "[dim](gone)[/]"
    evidence = f": [italic]{safe(edge.evidence)}[/]" if edge.evidence else ""
    say(f"[red]{verb}[/] [bold]{safe(other.removeprefix('mem:'))}[/] {title}{evidence}")
