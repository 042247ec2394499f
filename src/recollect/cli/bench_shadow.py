"""`bench shadow`: whether boosts stay within their bounds."""

from typing import TypedDict

import typer

from recollect.cli.bench_output import DataOption, SaveOption, best_run, bounds, fail, note
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.exits import Exit
from recollect.cli.output import print_json, say
from recollect.retrieval.request import Request


class BenchShadowOutput(TypedDict):
    """`recollect bench shadow`.

    `intervals` has the bounds of `rank_correlation` and `mrr_ratio` in 95 of 100 resamples of the queries.
    """

    set: str
    queries: int
    rank_correlation: float
    mrr_plain: float
    mrr_boosted: float
    mrr_ratio: float
    intervals: dict[str, list[float]]
    kept: bool


app = typer.Typer()


@command(
    app,
    "shadow",
    "recollect bench shadow --data data/locomo-turns",
    "recollect bench shadow --data data/locomo-turns --save shadow.json",
    output=BenchShadowOutput,
)
def shadow(data: DataOption, save: SaveOption = None, as_json: JsonFlag = False) -> None:
    """Compare boosted rankings with plain ones.

    Seven of each query's first fifty hits get every boost at its maximum. The rank correlation must stay at
    0.90 or above and the MRR at 0.95 of the plain one; otherwise exit code 9. With --save, a measure that
    falls below the saved interval also fails with exit code 9.
    """
    from recollect.bench import saved_results
    from recollect.bench.data_sets import load
    from recollect.bench.shadow import measure

    data_set = load(data, note)
    before = saved_results.read(save, "shadow", data_set.name) if save else None
    measured = measure(data_set, Request("", strategy="fts5_bm25"))
    rates = {"rank_correlation": measured.correlation, "mrr_ratio": measured.mrr_ratio}
    worse = (
        saved_results.renew(save, before, best_run("shadow", data_set.name, "fts5_bm25", rates))
        if save
        else []
    )
    if as_json:
        out: BenchShadowOutput = {
            "set": data_set.name,
            "queries": measured.queries,
            "rank_correlation": round(measured.correlation.mean, 4),
            "mrr_plain": round(measured.mrr_plain, 4),
            "mrr_boosted": round(measured.mrr_boosted, 4),
            "mrr_ratio": round(measured.mrr_ratio.mean, 4),
            "intervals": bounds(rates),
            "kept": measured.within_bounds,
        }
        print_json(out)
    else:
        ratio = f"{measured.mrr_ratio.mean:.3f} (at least 0.95)"
        say(f"rank correlation {measured.correlation.mean:.3f} (at least 0.90)")
        say(f"MRR {measured.mrr_boosted:.3f} of {measured.mrr_plain:.3f}: {ratio}")
    fail("worse", worse)
    if not measured.within_bounds:
        raise typer.Exit(Exit.REGRESSED)
