"""Parameters of scorings, which SQLite stores once for all that share them."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.test_traces import AT, scoring

from recollect.learning import retention
from recollect.storage.sqlite.state import StateDatabase


def test_sets_of_parameters_that_no_trace_has_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MAX_PARAMS", 2)
    monkeypatch.setattr(retention, "MAX_TRACES", 2)
    state = StateDatabase(str(tmp_path / "state.db"))
    for number in range(5):
        state.traces.add([replace(scoring(f"n{number}"), params={"p": number})], AT)

    [first, second] = state.traces.latest(10)
    assert first.params == second.params == {"p": 4}
    assert len(state._db.rows("SELECT * FROM trace_params")) <= 3
    state.close()
