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

    set_ = load(data, note)
    before = saved_results.read(save, "shadow", set_.name) if save else None
    found = measure(set_, Request("", strategy="fts5_bm25"))
    rates = {"rank_correlation": found.correlation, "mrr_ratio": found.mrr_ratio}
    worse = (
        saved_results.renew(save, before, best_run("shadow", set_.name, "fts5_bm25", rates))
        if save
        else []
    )
    if as_json:
        out: BenchShadowOutput = {
            "set": set_.name,
            "queries": found.queries,
            "rank_correlation": round(found.correlation.mean, 4),
            "mrr_plain": round(found.mrr_plain, 4),
            "mrr_boosted": round(found.mrr_boosted, 4),
            "mrr_ratio": round(found.mrr_ratio.mean, 4),
            "intervals": bounds(rates),
            "kept": found.within_bounds,
        }
        print_json(out)
    else:
        ratio = f"{found.mrr_ratio.mean:.3f} (at least 0.95)"
        say(f"rank correlation {found.correlation.mean:.3f} (at least 0.90)")
        say(f"MRR {found.mrr_boosted:.3f} of {found.mrr_plain:.3f}: {ratio}")
    fail("worse", worse)
    if not found.within_bounds:
        raise typer.Exit(Exit.REGRESSED)
