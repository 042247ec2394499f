"""`thresholds`: the scores from which on decisions are accepted, and how they moved."""

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag, opened
from recollect.cli.output import draw, print_json, say
from recollect.views.thresholds import ThresholdsOutput, threshold_row

app = typer.Typer()


@command(
    app, "thresholds", "recollect thresholds", "recollect thresholds --json", output=ThresholdsOutput
)
def thresholds(context: typer.Context, as_json: JsonFlag = False) -> None:
    """Show the thresholds that adapt to this project.

    Also shows how they moved. Each moves so that 85% of what it accepts succeeds, over the last 50
    executions and within its bounds.
    """
    from recollect.learning.thresholds import STARTS, started

    known = {threshold.kind: threshold for threshold in opened(context).thresholds}
    rows = [threshold_row(known.get(kind) or started(kind)) for kind in STARTS]
    if as_json:
        out: ThresholdsOutput = {"thresholds": rows}
        print_json(out)
        return
    shown = table("thresholds", "decision", "threshold", "start", "bounds", "executions", "success")
    for row in rows:
        success = "-" if row["success"] is None else f"{row['success']:.0%}"
        bounds = f"{row['lowest']:.2f} to {row['highest']:.2f}"
        values = f"{row['value']:.3f}", f"{row['start']:.2f}"
        shown.add_row(row["kind"], *values, bounds, str(row["executions"]), success)
    draw(shown)
    for row in rows:
        for move in row["history"][-5:]:
            when = move["at"].replace("T", " ")[:16]
            say(f"[dim]{when}[/] {row['kind']} {move['before']:.3f} -> {move['after']:.3f}")
