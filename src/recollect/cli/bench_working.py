"""`bench working`: the cost of working memory, and whether it helps to find earlier sessions."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.bench_output import fail, note, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, say, warn
from recollect.views.benches import BenchWorkingOutput, SessionRecallRow

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
        Path | None, typer.Option("--data", help="Sessions with the files that each one edited.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=3, help="How many times each hook is run.")] = 30,
    as_json: JsonFlag = False,
) -> None:
    """Measure the cost of working memory, and what it finds.

    How well it finds earlier sessions.

    Times the redaction gate and the rules in process, and the whole process of the tool-output hook against
    `python3 -c "import json, sqlite3"` in the same run. --data also measures how well earlier sessions are
    found by recency, by search, and by search with the working memory of earlier sessions; a session's own
    edits are not used, because the labels come from them. A missed budget ends with exit code 9.
    """
    from recollect.bench.working import measure

    out = measure(rounds)
    sessions = _sessions(data) if data is not None else {}
    if sessions:
        out["found"] = sessions
    if as_json:
        print_json(out)
    else:
        _show(out)
        for name, row in sessions.items():
            gain = f", the boost adds {row['gain']:+.4f}" if "gain" in row else ""
            say(f"nDCG@10 {row['ndcg@10']:.3f}  {name}{gain}")
    fail("missed", [row["name"] for row in out["results"] if not row["kept"]])


def _sessions(data: Path) -> dict[str, SessionRecallRow]:
    from recollect.bench.data_sets import load
    from recollect.bench.session_recall import measure, read_edited_files

    data_set = load(data, note)
    known = read_edited_files(data)
    if known is None:
        warn("this set does not name the files that its sessions edited: the session boost is skipped")
    return measure(data_set, known)


def _show(out: BenchWorkingOutput) -> None:
    title = f"python3 with json and sqlite3: {out['base_ms']:.1f} ms"
    shown = table(title, "what", "p50 ms", "p95 ms", "x python3", "by CPU", "budget")
    for row in out["results"]:
        mark = "[green]" if row["kept"] else "[red]"
        ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
        cpu_ratio = f"{row['cpu_ratio']:.2f}" if "cpu_ratio" in row else ""
        shown.add_row(
            row["name"],
            f"{row['p50_ms']:.2f}",
            f"{row['p95_ms']:.2f}",
            ratio,
            cpu_ratio,
            f"{mark}{row['budget']}[/]",
        )
    console().print(shown)
