"""What benches of rankings share: which strategies run, and how their scores are printed."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.cli.bench_output import rounded, table
from recollect.cli.output import console, warn
from recollect.errors import RefusedError

if TYPE_CHECKING:
    from recollect.bench.rankings import RankingScores

_MEASURES = ("ndcg@10", "recall@5", "recall@10", "mrr@10")


def chosen_strategies(
    requested: list[str] | None,
    known: Collection[str],
    usual: Sequence[str],
    need_model: Collection[str],
) -> list[str]:
    """The strategies to measure: the requested ones, or the usual ones that can run here."""
    from recollect.bench.corpora import has_model

    if unknown := [name for name in requested or () if name not in known]:
        raise RefusedError(f"unknown strategy {unknown[0]!r}; choose one of {', '.join(known)}.")
    if requested or has_model():
        return requested or list(usual)
    skipped = ", ".join(name for name in usual if name in need_model)
    warn(f"skipped: {skipped}; no embedding model is installed, `recollect model install` gets one")
    return [name for name in usual if name not in need_model]


def ranking_row(scores: "RankingScores") -> dict[str, Any]:
    """The scores of one strategy as they are printed and saved."""
    times = {"p50_ms": round(scores.p50_ms, 2), "p95_ms": round(scores.p95_ms, 2)}
    return {**rounded(scores.measures), **times}


def show_rankings(title: str, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the scores of each strategy as a table."""
    results = table(title, "strategy", *_MEASURES, "p50 ms", "p95 ms")
    for name, row in rows.items():
        cells = []
        for measure in _MEASURES:
            low, high = row["intervals"][measure]
            cells.append(f"{row[measure]:.3f} [dim]{low:.3f}-{high:.3f}[/]")
        results.add_row(name, *cells, f"{row['p50_ms']:.1f}", f"{row['p95_ms']:.1f}")
    console().print(results)
