"""The costs of working memory, measured for real but briefly."""

from recollect.bench.hook import BUDGET
from recollect.bench.working import measure


def test_the_gate_the_rules_and_the_whole_hook_are_measured() -> None:
    measured = measure(rounds=3)

    rows = measured["results"]
    assert [row["name"] for row in rows] == [
        "redaction of 2 KB",
        "redaction of 50 KB",
        "extraction of one output",
        "hook: a file read, nothing kept",
        "hook: a file edited",
        "hook: failing tests",
    ]
    assert measured["base_ms"] > 0
    assert all(0 < row["p50_ms"] <= row["p95_ms"] for row in rows)
    assert ["ratio" in row for row in rows] == [False] * 3 + [True] * 3


def test_a_budget_is_kept_or_not() -> None:
    in_process, hooks = (measure(rounds=3)["results"][part] for part in (slice(3), slice(3, 6)))

    assert [row["kept"] for row in in_process] == [
        row["p95_ms"] < float(row["budget"].removesuffix(" ms")) for row in in_process
    ]
    assert [row["kept"] for row in hooks] == [row["ratio"] <= BUDGET for row in hooks]
