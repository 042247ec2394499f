"""`bench speculation` follows one script twice, and changes no answer."""

import os
from collections import Counter
from pathlib import Path
from statistics import median, quantiles

import pytest
from tests.e2e.published_servers import needs_npm
from tests.requirements import requirement

from recollect.bench.network_delay import delay_ms
from recollect.bench.speculation import SpeculationBench, measure, published_servers
from recollect.bench.speculation_workload import DETOUR, ScriptedCall, ScriptedPlan, script
from recollect.errors import RefusedError


def test_the_script_is_the_same_each_time_and_uses_all_six_servers() -> None:
    first, second = (list(script(Path("/x"), 200)) for _ in range(2))
    steps = [step for episode in first for step in episode]
    servers = Counter(step.tool.split(":")[0] for step in steps if isinstance(step, ScriptedCall))

    assert first == second
    assert list(script(Path("/x"), 200, seed=17)) != first
    assert len(servers) == 6
    assert any(isinstance(step, ScriptedPlan) for step in steps)
    assert servers["everything"] < 3 * DETOUR * len(steps)


def test_a_server_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path))

    with pytest.raises(RefusedError, match="mcp-server-everything"):
        published_servers(tmp_path, {"PATH": str(tmp_path)})


@needs_npm
@requirement("workflow:speculation:measured")
def test_the_script_runs_over_real_servers_with_the_same_answers() -> None:
    """Starts six servers, which takes seconds; nothing smaller shows that answers stay the same."""
    bench = SpeculationBench(
        learned=0, episodes=4, think_ms=0, remote_episodes=1, remote_think_ms=0, remote_learned=0
    )
    out = measure(dict(os.environ), bench)

    assert out["calls"] > 4
    assert out["different_answers"] == 0
    assert out["speculation"]["predicted"] > 0
    assert out["makespan_off_ms"] >= out["waiting_off_ms"] > 0
    far = out["remote"]
    assert far["different_answers"] == 0
    assert far["makespan_off_ms"] / far["calls"] > out["makespan_off_ms"] / out["calls"]


def test_delays_are_those_of_a_public_api_and_the_same_for_the_same_call() -> None:
    times = [delay_ms("read", {"path": number}) for number in range(4_000)]

    assert times == [delay_ms("read", {"path": number}) for number in range(4_000)]
    tenth, *_, most = quantiles(times, n=10)
    assert median(times) == pytest.approx(206, rel=0.05)
    assert [tenth, most] == pytest.approx([96, 445], rel=0.05)
