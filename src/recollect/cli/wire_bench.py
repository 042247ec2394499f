"""The shapes that `bench` prints with `--json`."""

from typing import Any, TypedDict


class BenchRow(TypedDict):
    """Seconds at the median, and how many times the baseline of the same run that is."""

    seconds: float
    ratio: float


class BenchStoreOutput(TypedDict):
    """`recollect bench store`."""

    memories: int
    results: dict[str, BenchRow]


class BenchRetrievalOutput(TypedDict):
    """`recollect bench retrieval`: for each strategy ndcg@10, recall@5, recall@10, mrr@10, p50_ms, p95_ms.

    `intervals` has the bounds of each measure in 95 of 100 resamples of the queries.
    """

    set: str
    queries: int
    results: dict[str, dict[str, Any]]


GateOutcome = TypedDict(
    "GateOutcome",
    {
        "threshold": float,
        "injected_rate": float,
        "precision@3": float | None,
        "relevant_share": float | None,
        "false_inject_rate": float | None,
        "silent_rate": float,
    },
)
GateOutcome.__doc__ = """What a threshold does; null stands for a rate of nothing."""


class GateKind(TypedDict):
    """One kind of hand-made prompts, and how many of them get an injection."""

    prompts: int
    injected_rate: float


BenchGateOutput = TypedDict(
    "BenchGateOutput",
    {
        "set": str,
        "strategy": str,
        "answerable": int,
        "unrelated": int,
        "threshold": float,
        "injected_rate": float,
        "precision@3": float | None,
        "relevant_share": float | None,
        "false_inject_rate": float | None,
        "silent_rate": float,
        "intervals": dict[str, list[float]],
        "curve": list[GateOutcome],
        "kinds": dict[str, GateKind],
    },
)
BenchGateOutput.__doc__ = """`recollect bench gate`: at the threshold in use, and for others in `curve`.

`precision@3` is the share of injections with a relevant memory among the (at most three) injected,
`relevant_share` that of injected memories that are relevant; both are null where nothing was injected,
and `false_inject_rate` is null where no prompt was unrelated. `intervals` has the bounds of
`injected_rate`, `precision@3` and `false_inject_rate` in 95 of 100 resamples of the prompts, but for
those that are null. `kinds` is empty but for the hand-made set.
"""


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


class SpeedRow(TypedDict):
    """One budget: its times, and how many times its baseline the median is."""

    name: str
    p50_ms: float
    p95_ms: float
    budget_ms: float
    kept: bool
    baseline: str
    ratio: float


class BenchSpeedOutput(TypedDict):
    """`recollect bench speed`."""

    results: list[SpeedRow]


class HookTimes(TypedDict):
    """Milliseconds of the whole process, and how many times the baseline the median is."""

    p50_ms: float
    p95_ms: float
    ratio: float
    direct_ratio: float


class BenchHookOutput(TypedDict):
    """`recollect bench hook`, by the number of memories.

    `base_ms` is `python3 -c "import json, sqlite3"` as a shell starts it, `direct_ms` the same with the
    interpreter called directly.
    """

    base_ms: float
    direct_ms: float
    sizes: dict[str, HookTimes]


class PoisonFailure(TypedDict):
    """A case that got through: where its attack was (body, title or tool), and what went wrong."""

    case: str
    form: str
    problems: list[str]


class BenchPoisonOutput(TypedDict):
    """`recollect bench poison`: how many prompts were given memories, and how often each thing went wrong."""

    set: str
    prompts: int
    given: int
    problems: dict[str, int]
    failed: list[PoisonFailure]


BENCH_SHAPES: dict[str, type] = {
    "bench gate": BenchGateOutput,
    "bench hook": BenchHookOutput,
    "bench poison": BenchPoisonOutput,
    "bench retrieval": BenchRetrievalOutput,
    "bench shadow": BenchShadowOutput,
    "bench speed": BenchSpeedOutput,
    "bench store": BenchStoreOutput,
}
