"""`bench sandbox` times real guests."""

from tests.cli.shapes import mismatches
from tests.requirements import requirement

from recollect.bench.sandbox import measure
from recollect.views.benches import BenchSandboxOutput


@requirement("sandbox:budgets")
def test_gathered_calls_take_about_one_and_endless_code_ends() -> None:
    out = measure(calls=10, rounds=1)

    assert mismatches(out, BenchSandboxOutput) == []
    assert out["gathered_ratio"] < 10 / 2  # one after another they would take ten
    assert out["longest_overrun"] >= 1
    assert {row["what"] for row in out["results"]} == {
        "start, new process",
        "start, with type check",
        "start, process at hand",
        "call over the bridge",
        "call as a task of a run",
    }
