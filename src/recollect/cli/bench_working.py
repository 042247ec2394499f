"""`bench working`: the cost of working memory, and whether it helps to find earlier sessions."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict

import typer

from recollect.cli.bench_output import fail, note, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, say, warn

if TYPE_CHECKING:
    from recollect.bench.session_recall import SessionRecall
    from recollect.bench.working import WorkingMeasurement


class WorkingRow(TypedDict):
    """One budget of working memory; of a whole process, the ratio to the baseline of the same run."""

    name: str
    p50_ms: float
    p95_ms: float
    budget: str
    kept: bool
    ratio: NotRequired[float]


SessionRecallRow = TypedDict(
    "SessionRecallRow",
    {"ndcg@10": float, "gain": NotRequired[float], "gain_interval": NotRequired[list[float]]},
)
SessionRecallRow.__doc__ = (
    """How well earlier sessions are found; `gain` is what the session boost adds."""
)


class BenchWorkingOutput(TypedDict):
    """`recollect bench working`.

    `base_ms` is `python3 -c "import json, sqlite3"` by the interpreter that runs Recollect. `found` is there
    with --data: each way to find earlier sessions.
    """

    base_ms: float
    results: list[WorkingRow]
    found: NotRequired[dict[str, SessionRecallRow]]


app = typer.Typer()


@command(
    app,
    "working",
    "recollect bench working",
    "recollect bench working --data data/coding-sessions --json",
    output=BenchWorkingOutput,
)
def working(
    data: Annotated[
        Path | None, typer.Option("--data", help="Sessions with the files that each edited, too.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=3, help="How often each hook is run.")] = 30,
    as_json: JsonFlag = False,
) -> None:
    """Measure the cost of working memory, and how well it finds earlier sessions.

    Times the redaction gate and the rules in process, and the whole process of the tool-output hook against
    `python3 -c "import json, sqlite3"` in the same run. --data also measures how well earlier sessions are
    found by recency, by search, and by search with the working memory of earlier sessions; a session's own
    edits are not used, because the labels come from them. A missed budget ends with exit code 9.
    """
    from recollect.bench.working import measure

    measured = measure(rounds)
    out = _output(measured)
    sessions = _sessions(data) if data is not None else []
    if sessions:
        out["found"] = {recall.name: _recall_row(recall) for recall in sessions}
    if as_json:
        print_json(out)
    else:
        _show(out)
        for recall in sessions:
            gain = f", the boost adds {recall.gain.mean:+.4f}" if recall.gain else ""
            say(f"nDCG@10 {recall.ndcg.mean:.3f}  {recall.name}{gain}")
    fail("missed", [row.name for row in measured.rows if not row.within_budget])


def _sessions(data: Path) -> "list[SessionRecall]":
    from recollect.bench.data_sets import load
    from recollect.bench.session_recall import measure, read_edited_files

    data_set = load(data, note)
    known = read_edited_files(data)
    if known is None:
        warn("this set does not name the files that its sessions edited: the session boost is skipped")
    return measure(data_set, known)


def _output(measured: "WorkingMeasurement") -> BenchWorkingOutput:
    rows: list[WorkingRow] = []
    for row in measured.rows:
        times: WorkingRow = {
            "name": row.name,
            "p50_ms": round(row.p50_ms, 3),
            "p95_ms": round(row.p95_ms, 3),
            "budget": row.budget,
            "kept": row.within_budget,
        }
        if row.ratio is not None:
            times["ratio"] = round(row.ratio, 3)
        rows.append(times)
    return {
        "base_ms": round(measured.base_ms, 2),
        "results": rows,
    }


def _recall_row(recall: "SessionRecall") -> SessionRecallRow:
    out: SessionRecallRow = {"ndcg@10": round(recall.ndcg.mean, 4)}
    if recall.gain is not None:
        out["gain"] = round(recall.gain.mean, 4)
        out["gain_interval"] = [round(recall.gain.low, 4), round(recall.gain.high, 4)]
    return out


def _show(out: BenchWorkingOutput) -> None:
    title = f"python3 with json and sqlite3: {out['base_ms']:.1f} ms"
    shown = table(title, "what", "p50 ms", "p95 ms", "x python3", "budget")
    for row in out["results"]:
        mark = "[green]" if row["kept"] else "[red]"
        ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
        shown.add_row(
            row["name"],
            f"{row['p50_ms']:.2f}",
            f"{row['p95_ms']:.2f}",
            ratio,
            f"{mark}{row['budget']}[/]",
        )
    console().print(shown)
