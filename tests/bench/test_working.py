"""The costs of working memory, measured for real but briefly."""

from recollect.bench.working import WorkingTiming, measure


def test_the_gate_the_rules_and_the_whole_hook_are_measured() -> None:
    found = measure(rounds=3)

    assert [row.name for row in found.rows] == [
        "redaction of 2 KB",
        "redaction of 50 KB",
        "extraction of one output",
        "hook: a file read, nothing kept",
        "hook: a file edited",
        "hook: failing tests",
    ]
    assert found.base_ms > 0
    assert all(0 < row.p50_ms <= row.p95_ms for row in found.rows)
    assert [row.ratio is not None for row in found.rows] == [False] * 3 + [True] * 3


def test_a_budget_is_kept_or_not() -> None:
    assert WorkingTiming("x", 1.0, 1.9, 2.0).within_budget
    assert not WorkingTiming("x", 1.0, 2.1, 2.0).within_budget
    assert WorkingTiming("x", 10.0, 30.0, None, 0.9, 1.0).within_budget
    assert not WorkingTiming("x", 10.0, 30.0, None, 1.1, 1.0).within_budget
