"""A run as a picture: its tasks layer by layer, what waits for what, and how each stands."""

from html import escape

from recollect.records.display import one_line
from recollect.workflow.run_state import RunState, TaskRun

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 190, 46, 60, 18, 16
_COLOURS = {
    "pending": "#d0d4da",
    "ready": "#b9c4d4",
    "waiting_approval": "#f2c14e",
    "running": "#5aa9e6",
    "succeeded": "#6bbf73",
    "failed": "#e5616b",
    "skipped": "#e6e8eb",
    "cancelled": "#c9c9c9",
    "in_doubt": "#c58bd6",
}
_LONGEST = 24  # characters of a name in a box


def run_svg(run: str, state: RunState) -> str:
    """An SVG document. Texts of tasks are escaped; nothing in it is loaded from elsewhere."""
    places = _places(state)
    columns = 1 + max((x for x, _ in places.values()), default=0)
    rows = 1 + max((y for _, y in places.values()), default=0)
    width = 2 * _MARGIN + columns * (_WIDTH + _GAP_X) - _GAP_X
    height = 3 * _MARGIN + rows * (_HEIGHT + _GAP_Y)
    title = one_line(f"{run}: {state.status}. {state.workflow.intent}".rstrip(". "))
    lines = [line for id in places for line in _lines(state, id, places)]
    boxes = [_box(state.tasks[id], *places[id]) for id in places]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            f'<text x="{_MARGIN}" y="{_MARGIN + 4}" font-weight="bold">{escape(title)}</text>',
            *lines,
            *boxes,
            "</svg>\n",
        )
    )


def _places(state: RunState) -> dict[str, tuple[int, int]]:
    """The column and row of each task: its layer, and its place in it."""
    places: dict[str, tuple[int, int]] = {}
    filled: dict[int, int] = {}
    for id, layer in sorted(state.graph.layers.items(), key=lambda pair: (pair[1], pair[0])):
        places[id] = (layer, filled.get(layer, 0))
        filled[layer] = filled.get(layer, 0) + 1
    return places


def _corner(column: int, row: int) -> tuple[int, int]:
    return _MARGIN + column * (_WIDTH + _GAP_X), 2 * _MARGIN + row * (_HEIGHT + _GAP_Y)


def _lines(state: RunState, id: str, places: dict[str, tuple[int, int]]) -> list[str]:
    x, y = _corner(*places[id])
    lines = []
    for source in state.graph.sources[id]:
        left, top = _corner(*places[source])
        start, end, middle = left + _WIDTH, x, (left + _WIDTH + x) // 2
        lines.append(
            f'<path d="M{start} {top + _HEIGHT // 2} C{middle} {top + _HEIGHT // 2} {middle} '
            f'{y + _HEIGHT // 2} {end} {y + _HEIGHT // 2}" fill="none" stroke="#8a929c"/>'
        )
    return lines


def _box(run: TaskRun, column: int, row: int) -> str:
    x, y = _corner(column, row)
    items = f" ({len(run.values)})" if run.values is not None else ""
    spent = f", {run.milliseconds:,.0f} ms" if run.status == "succeeded" and run.milliseconds else ""
    return (
        f"<g><title>{escape(one_line(run.error or run.task.tool))}</title>"
        f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="{_COLOURS[run.status]}"/>'
        f'<text x="{x + 10}" y="{y + 19}" font-weight="bold">{escape(_short(run.task.id + items))}</text>'
        f'<text x="{x + 10}" y="{y + 36}">{escape(_short(run.status.replace("_", " ") + spent))}</text></g>'
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
