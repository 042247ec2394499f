"""A run in the terminal: its tasks, what each waits for, and how they stand."""

from typing import TYPE_CHECKING

from recollect.cli.output import markup, safe, safe_piece
from recollect.workflow.run_state import RunState, TaskRun

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_SIGNS = {
    "pending": ("·", "dim"),
    "ready": ("○", "white"),
    "waiting_approval": ("?", "yellow"),
    "running": ("▶", "cyan"),
    "succeeded": ("✓", "green"),
    "failed": ("✗", "red"),
    "skipped": ("-", "dim"),
    "cancelled": ("■", "dim"),
    "in_doubt": ("!", "magenta"),
}
_MOST_ITEMS = 5  # of a list that are shown
_DETAIL = 60


def picture(state: RunState) -> "Table":
    """Tasks layer by layer, with what they wait for."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    for column in ("sign", "task", "tool", "status", "detail"):
        table.add_column(column, no_wrap=column != "detail")
    order = sorted(state.graph.layers, key=lambda id: (state.graph.layers[id], id))
    for id in order:
        table.add_row(*_row(state, state.tasks[id]))
        run = state.tasks[id]
        for index in range(min(len(run.values or ()), _MOST_ITEMS)):
            table.add_row(*_row(state, state.tasks[f"{id}[{index}]"]))
        if len(run.values or ()) > _MOST_ITEMS:
            table.add_row("", f"  … {len(run.values or ()) - _MOST_ITEMS} more", "", "", "")
    return table


def _row(state: RunState, run: TaskRun) -> list["RenderableType"]:
    sign, colour = _SIGNS[run.status]
    id = run.task.id
    place = run.task.item
    depth = state.graph.layers[place.parent if place else id] + (place is not None)
    return [
        markup(f"[{colour}]{sign}[/]"),
        safe_piece("  " * depth + id),
        markup(f"[dim]{safe(run.task.tool)}[/]"),
        markup(f"[{colour}]{run.status.replace('_', ' ')}[/]"),
        markup(f"[dim]{safe(_detail(state, run))}[/]"),
    ]


def _detail(state: RunState, run: TaskRun) -> str:
    if run.error:
        return run.error
    if run.status == "succeeded":
        took = f"{run.milliseconds:,.0f} ms" if run.milliseconds else ""
        return f"{took}, ran ahead".lstrip(", ") if run.source == "speculation" else took
    sources = state.graph.sources.get(run.task.id, ())
    waits = [id for id in sources if not state.tasks[id].has_ended]
    return f"waiting for {', '.join(waits)}"[:_DETAIL] if waits else ""
