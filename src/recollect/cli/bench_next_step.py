"""`bench next-step`: how well the next tool is predicted."""

from pathlib import Path
from typing import Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import draw, print_json, say
from recollect.views.benches import BenchNextStepOutput

app = typer.Typer()


@command(
    app,
    "next-step",
    "recollect bench next-step --data ~/data/tool-sequences",
    "recollect bench next-step --data ~/data/tool-sequences --json",
    output=BenchNextStepOutput,
)
def next_step(
    data: Annotated[Path, typer.Option(help="A folder with sequences.jsonl.gz.")],
    as_json: JsonFlag = False,
) -> None:
    """Predict every call of held-out sequences, in five folds.

    The predictor in use is the one that predicts best within the other four folds, so none is chosen on
    the data it is judged on. One that does not beat the back-off bigram is not used.
    """
    from recollect.bench.next_step import measure

    out = measure(data)
    if as_json:
        print_json(out)
        return
    rows = table(f"{out['calls']:,} held-out calls", "predictor", "hit@1", "hit@3", "chosen in folds")
    for name, row in out["predictors"].items():
        times = str(out["chosen"].get(name, 0))
        rows.add_row(name, f"{row['hit@1']:.3f}", f"{row['hit@3']:.3f}", times)
    rows.add_row("[bold]in use[/]", f"{out['hit@1']:.3f}", f"{out['hit@3']:.3f}", "")
    draw(rows)
    reliability = table("calibration", "probability from", "guesses", "right")
    for line in out["reliability"]:
        right = "-" if line["right"] is None else f"{line['right']:.3f}"
        reliability.add_row(f"{line['from']:g}", str(line["guesses"]), right)
    draw(reliability)
    say(f"one choice: {out['choice_ms']:g} ms of CPU time, {out['choice_longest_ms']:g} ms elapsed")
    say(f"Brier score {out['brier']:.4f}")
