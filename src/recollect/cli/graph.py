"""`graph`: statistics, trees and exports of the link graph."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect import clock
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.command_group import CommandGroup
from recollect.cli.context import JsonFlag, UserFlag, opened
from recollect.cli.output import counted, draw, label, print_json, safe, say
from recollect.cli.progress import progress
from recollect.errors import RefusedError
from recollect.graph.causal import Edge, GraphNode
from recollect.graph.why import WhyStep, walk
from recollect.ids import UnifiedId
from recollect.records.record import Memory
from recollect.views.edges import (
    GraphCommunitiesOutput,
    GraphExportOutput,
    GraphOrphansOutput,
    GraphStatsOutput,
    communities_output,
    graph_export,
    graph_stats,
    node_row,
    short_id,
)
from recollect.views.why import GraphTreeOutput, TreeRow, tree_row

if TYPE_CHECKING:
    from recollect.app.project import Recollect

_FORMATS = ("graphml", "dot", "json")
_MOST_TREES = 20
_SHOWN = 10  # of each kind of problem

app = typer.Typer(
    name="graph",
    cls=CommandGroup,
    help="Look at the links between memories.",
    no_args_is_help=True,
)


def _read(context: typer.Context, *, user: bool) -> tuple[Sequence[GraphNode], Sequence[Edge]]:
    return _links(opened(context, user=user))


def _links(recollect: "Recollect") -> tuple[Sequence[GraphNode], Sequence[Edge]]:
    now = clock.to_text(recollect.now)
    with progress("Reading memories") as report:
        return recollect.graphs.ask(lambda edges: (edges.nodes(now), edges.all()), report)


@command(app, "stats", "recollect graph stats", "recollect graph stats --json", output=GraphStatsOutput)
def stats(context: typer.Context, user: UserFlag = False, as_json: JsonFlag = False) -> None:
    """Count memories, skills and links, and list links with a problem.

    Problems are broken links, links to itself or to a retired memory, and cycles.
    """
    from recollect.graph.survey import communities, survey

    recollect = opened(context, user=user)
    nodes, edges = _links(recollect)
    pages = recollect.skills.reread().nodes
    out = graph_stats(survey(nodes, edges), len(communities(edges)), len(pages))
    if as_json:
        print_json(out)
        return
    memories = counted(out["memories"], "memory", "memories")
    say(f"{memories}, {counted(out['skills'], 'skill')}, {counted(out['links'], 'link')}")
    for type, count in out["by_type"].items():
        if count:
            say(f"  {count:>6} {type}")
    say(f"{out['orphans']} without any link, {counted(out['communities'], 'community', 'communities')}")
    for problem, rows in (
        ("no such memory", out["dangling"]),
        ("links to itself", out["loops"]),
        ("links to a retired memory", out["retired"]),
    ):
        for row in rows[:_SHOWN]:
            say(f"[yellow]{problem}[/]: {row['source']} {row['type']} {safe(row['target'])}")
        if len(rows) > _SHOWN:
            say(f"[dim]  and {len(rows) - _SHOWN} more[/]")
    for ids in out["circles"][:_SHOWN]:
        say(f"[yellow]in a cycle[/]: {', '.join(ids[:_SHOWN])}")


@command(app, "orphans", "recollect graph orphans", output=GraphOrphansOutput)
def orphans(context: typer.Context, user: UserFlag = False, as_json: JsonFlag = False) -> None:
    """List active memories without links."""
    from recollect.graph.survey import survey

    nodes = survey(*_read(context, user=user)).orphans
    if as_json:
        out: GraphOrphansOutput = {"memories": [node_row(node) for node in nodes]}
        print_json(out)
        return
    for node in nodes:
        say(f"{label(node.category)} [bold]{safe(node.title)}[/] [dim]{short_id(node.id)}[/]")
    if not nodes:
        say("[dim]Every memory has a link.[/]")


@command(app, "communities", "recollect graph communities", output=GraphCommunitiesOutput)
def communities(context: typer.Context, user: UserFlag = False, as_json: JsonFlag = False) -> None:
    """Group memories by their links.

    In each group, the most important memory comes first.
    """
    from recollect.graph import survey
    from recollect.graph.algorithms import authority

    nodes, edges = _read(context, user=user)
    weight = authority(edges)
    groups = [
        sorted(group, key=lambda id: (-weight.get(id, 0.0), id)) for group in survey.communities(edges)
    ]
    if as_json:
        print_json(communities_output(groups))
        return
    titles = {node.id: node.title for node in nodes}
    for number, ids in enumerate(groups, start=1):
        say(f"[bold]{number}.[/] {_members(ids, titles)}")
        for id in ids[:_SHOWN]:
            title = f"{safe(titles[id])} " if id in titles else ""
            say(f"   {title}[dim]{safe(short_id(id))}[/]")
        if len(ids) > _SHOWN:
            say(f"   [dim]and {len(ids) - _SHOWN} more[/]")
    if not groups:
        say("[dim]No links yet; `recollect link --suggest` proposes some.[/]")


def _members(ids: Sequence[UnifiedId], known: Collection[UnifiedId]) -> str:
    skills = sum(id.startswith("skill:") for id in ids)
    gone = sum(id not in known for id in ids) - skills
    counts = [counted(len(ids) - skills - gone, "memory", "memories")]
    counts += [counted(skills, "skill")] if skills else []
    return ", ".join([*counts, f"{gone} gone"] if gone else counts)


@command(
    app,
    "tree",
    "recollect graph tree",
    "recollect graph tree may-outage --depth 5",
    output=GraphTreeOutput,
)
def tree(
    context: typer.Context,
    id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Where to start. [memories without causes]")
    ] = None,
    depth: Annotated[int, typer.Option(min=1, max=10, help="How many links to follow.")] = 3,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Show what followed from a memory, as a tree.

    `why` shows the opposite direction.
    """
    from recollect.cli import link_trees
    from recollect.graph.survey import roots

    recollect = opened(context, user=user)
    graphs = recollect.graphs
    starts = [recollect.get(id).memory.unified_id] if id else roots(graphs.edges())[:_MOST_TREES]
    walks = graphs.ask(lambda edges: [walk(start, edges, depth, forth=True) for start in starts])
    rows: list[TreeRow] = []
    for start, (steps, more) in zip(starts, walks, strict=True):
        root, known = graphs.memory(start), _known(recollect, steps)
        if root is None:
            continue
        if not as_json:
            draw(link_trees.tree(root, steps, known, recollect.now))
            link_trees.say_truncated(len(steps), more=more)
        rows.append(tree_row(root, steps, known, recollect.now, more=more))
    if as_json:
        out: GraphTreeOutput = {"trees": rows}
        print_json(out)
    elif not rows:
        say("[dim]No links yet; `recollect link --suggest` proposes some.[/]")


def _known(recollect: "Recollect", steps: Sequence[WhyStep]) -> dict[UnifiedId, Memory]:
    memories = {step.there: recollect.graphs.memory(step.there) for step in steps}
    return {id: memory for id, memory in memories.items() if memory is not None}


@command(
    app,
    "export",
    "recollect graph export --format dot | dot -Tsvg > memories.svg",
    "recollect graph export --format graphml --to memories.graphml",
    output=GraphExportOutput,
)
def export(
    context: typer.Context,
    format: Annotated[
        str, choice_option(_FORMATS, "--format", "-f", metavar="FORMAT", help="The format.")
    ] = "graphml",
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="The file to write. [standard output]")
    ] = None,
    user: UserFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Export the graph as GraphML, DOT or JSON, with all link targets."""
    text = _rendered(context, "json" if as_json else format, user=user)
    if to is None:
        print(text, end="")
        return
    from recollect.app.user_files import write_file

    write_file(to, text.encode())
    say(f"[green]Wrote[/] {safe(str(to))}")


def _rendered(context: typer.Context, format: str, *, user: bool) -> str:
    import json

    from recollect.graph import export as exports

    if format not in _FORMATS:
        raise RefusedError(f"unknown format {format!r}; choose one of {', '.join(_FORMATS)}.")
    nodes, edges = _read(context, user=user)
    if format == "graphml":
        return exports.graphml(nodes, edges)
    if format == "dot":
        return exports.dot(nodes, edges)
    out = graph_export(exports.with_missing_nodes(nodes, edges), edges)
    return json.dumps(out, indent=2) + "\n"
