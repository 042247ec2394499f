"""Walks over links as trees for a terminal."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.tree import Tree

from recollect.cli.output import label, markup, safe, say
from recollect.graph.why import MOST_STEPS, WhyStep, grounds
from recollect.ids import UnifiedId
from recollect.records.in_force import Force, force_of
from recollect.records.record import Memory
from recollect.views.edges import short_id

MemoriesById = Mapping[UnifiedId, Memory]
_SEEN = {"again": "as above", "circle": "in a cycle: it also explains what it depends on"}


def tree(
    root: Memory,
    steps: Sequence[WhyStep],
    known: MemoriesById,
    now: datetime,
    force: Force | None = None,
) -> Tree:
    """A walk as a tree: a memory that is reached a second time is a leaf."""
    top = Tree(markup(headline(root, now, force)), guide_style="dim")
    branches = {root.unified_id: top}
    for line in _origins(root):
        top.add(markup(line))
    for step in steps:
        branch = branches[step.here].add(markup(_step_line(step, known, now)))
        if step.seen == "first":
            branches[step.there] = branch
            if memory := known.get(step.there):
                for line in _origins(memory):
                    branch.add(markup(line))
    return top


def say_truncated(steps: int, *, more: bool) -> None:
    """Say that a walk was truncated, and how to see the rest."""
    if more and steps >= MOST_STEPS:
        say(f"[dim]There are more links; these are the first {MOST_STEPS}.[/]")
    elif more:
        say("[dim]There are more links; a higher --depth shows them.[/]")


def headline(memory: Memory, now: datetime, force: Force | None = None) -> str:
    """A memory in a line: its category, title and id, and whether it is still in force."""
    mark = (force or force_of(memory)).label(now)
    suffix = f" [yellow]({safe(mark)})[/]" if mark else ""
    return f"{label(memory.category.value)} [bold]{safe(memory.title)}[/]{suffix} [dim]{memory.id}[/]"


def _step_line(step: WhyStep, known: MemoriesById, now: datetime) -> str:
    memory = known.get(step.there)
    if memory is not None:
        target = headline(memory, now)
    elif step.there.startswith("mem:"):
        target = f"[red]{safe(short_id(step.there))}[/] [dim](gone)[/]"
    else:
        target = f"[bold]{safe(step.there)}[/]"
    seen = f" [yellow]({_SEEN[step.seen]})[/]" if step.seen in _SEEN else ""
    evidence = f"\n[italic]{safe(step.edge.evidence)}[/]" if step.edge.evidence else ""
    return f"[dim]{step.relation}[/] {target}{seen}{evidence}"


def _origins(memory: Memory) -> list[str]:
    return [f"[dim]{origin.kind}: {safe(origin.where)}[/]" for origin in grounds(memory)]
