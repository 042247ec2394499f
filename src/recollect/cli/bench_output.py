"""What the bench commands share: options, tables, and how a failed measurement ends."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli.exits import Exit
from recollect.cli.output import safe, warn

if TYPE_CHECKING:
    from rich.table import Table

    from recollect.bench.metrics import Interval

DataOption = Annotated[Path, typer.Option("--data", help="The folder of one labelled set.")]
SaveOption = Annotated[
    Path | None,
    typer.Option(
        "--save",
        help="Save the best of each measure here; later runs compare. Delete the file to start over.",
    ),
]


def note(text: str) -> None:
    """Print a remark on standard error."""
    warn(safe(text))


def table(title: str, *columns: str) -> "Table":
    """A table without lines, numbers aligned right."""
    from rich.table import Table

    rows = Table(title=title, box=None, pad_edge=False, title_justify="left", header_style="dim")
    for number, name in enumerate(columns):
        rows.add_column(name, justify="right" if number else "left")
    return rows


def rounded(measures: "Mapping[str, Interval]") -> dict[str, Any]:
    """Measures as they are printed and saved: each mean, and `intervals` with their bounds."""
    means = {name: round(interval.mean, 4) for name, interval in measures.items()}
    return {**means, "intervals": bounds(measures)}


def bounds(measures: "Mapping[str, Interval]") -> dict[str, list[float]]:
    """The bounds of each measure."""
    return {
        name: [round(interval.low, 4), round(interval.high, 4)] for name, interval in measures.items()
    }


def best_run(
    bench: str, set_name: str, strategy: str, measures: "Mapping[str, Interval]"
) -> dict[str, Any]:
    """A run as `--save` stores it, for later runs to compare with."""
    return {"bench": bench, "set": set_name, "results": {strategy: rounded(measures)}}


def budget_mark(*, met: bool) -> str:
    """Whether a budget was met, in its colour."""
    return "[green]kept[/]" if met else "[red]missed[/]"


def fail(word: str, reasons: Sequence[object]) -> None:
    """Exit with the code for a regression and the reasons; does nothing without reasons."""
    for reason in reasons:
        warn(f"[red]{word}[/]: {safe(str(reason))}")
    if reasons:
        raise typer.Exit(Exit.REGRESSED)
