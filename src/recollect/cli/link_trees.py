"""Walks over links as trees for a terminal."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.cli.output import label, markup, safe, say
from recollect.graph.why import MOST_STEPS, WhyStep, grounds
from recollect.ids import UnifiedId
from recollect.records.record import Memory, Status
from recollect.views.edges import short_id

if TYPE_CHECKING:
    from rich.tree import Tree

Known = Mapping[UnifiedId, Memory]
_SEEN = {"again": "as above", "circle": "in a circle: it rests on what it explains"}


def tree(root: Memory, steps: Sequence[WhyStep], known: Known, now: datetime) -> "Tree":
    """A walk as a tree: what is reached a second time is a leaf that says so."""
    from rich.tree import Tree

    top = Tree(markup(headline(root, now)), guide_style="dim")
    branches = {root.unified_id: top}
    for line in _grounded(root):
        top.add(markup(line))
    for step in steps:
        branch = branches[step.here].add(markup(_told(step, known, now)))
        if step.seen == "first":
            branches[step.there] = branch
            if memory := known.get(step.there):
                for line in _grounded(memory):
                    branch.add(markup(line))
    return top


def tell_rest(steps: int, *, more: bool) -> None:
    """Say that a walk was cut off, and what would show the rest."""
    if more and steps >= MOST_STEPS:
        say(f"[dim]There are more links; these are the first {MOST_STEPS}.[/]")
    elif more:
        say("[dim]There is more behind it; a greater --depth shows it.[/]")


def headline(memory: Memory, now: datetime) -> str:
    """A memory in a line: its kind, its title, its id, and whether it still counts."""
    marks = [memory.status.value] if memory.status is not Status.ACTIVE else []
    marks += [memory.validity.told(now)] if memory.validity.told(now) else []
    told = f" [yellow]({', '.join(marks)})[/]" if marks else ""
    return f"{label(memory.category.value)} [bold]{safe(memory.title)}[/]{told} [dim]{memory.id}[/]"


def _told(step: WhyStep, known: Known, now: datetime) -> str:
    memory = known.get(step.there)
    if memory is not None:
        what = headline(memory, now)
    elif step.there.startswith("mem:"):
        what = f"[red]{safe(short_id(step.there))}[/] [dim](gone)[/]"
    else:
        what = f"[bold]{safe(step.there)}[/]"
    seen = f" [yellow]({_SEEN[step.seen]})[/]" if step.seen in _SEEN else ""
    evidence = f"\n[italic]{safe(step.edge.evidence)}[/]" if step.edge.evidence else ""
    return f"[dim]{step.says}[/] {what}{seen}{evidence}"


def _grounded(memory: Memory) -> list[str]:
    return [f"[dim]{one.kind}: {safe(one.where)}[/]" for one in grounds(memory)]
