"""`bench speculation` follows one script twice, and changes no answer."""

import os
from collections import Counter
from pathlib import Path

import pytest
from tests.e2e.published_servers import needs_npm
from tests.requirements import requirement

from recollect.bench.speculation import measure, published_servers
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
    out = measure(dict(os.environ), episodes=4, learned=0, think_ms=0)

    assert out["calls"] > 4
    assert out["different_answers"] == 0
    assert out["speculation"]["predicted"] > 0
    assert out["makespan_off_ms"] >= out["waiting_off_ms"] > 0
