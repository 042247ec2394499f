"""How fast texts are embedded, and that no search waits for it."""

from pathlib import Path

import pytest
from tests.requirements import requirement
from tests.storage.models.shared import tiny_model

from recollect.app.models import open_models
from recollect.bench import embedding


@requirement("retrieval:vectors:idle")
def test_searches_are_answered_while_an_idle_server_makes_all_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_HOME", str(tmp_path / "home"))
    models = open_models()
    models.folder.install("tiny", folder=tiny_model(tmp_path / "tiny", width=8))
    models.use("tiny")

    out = embedding.measure(24, texts=2, rounds=2)

    assert [row["tokens"] for row in out["speeds"]] == [30, 200]
    assert all(row["in_use"] > 0 for row in out["speeds"])
    assert len(out["waits"]) == 4
    assert out["complete_seconds"] < embedding.GIVE_UP
