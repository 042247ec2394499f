"""What every store of dismissals does."""

from pathlib import Path

import pytest
from tests.conformance.engines import Engine

from recollect.storage import retention


def test_a_dismissal_is_there_for_the_next_process_until_it_is_removed(
    engine: Engine, tmp_path: Path
) -> None:
    assert engine.dismissals(tmp_path).all() == frozenset()
    for key in ("unused mem:a", "drifted mem:\u00e9", "unused mem:a"):
        engine.dismissals(tmp_path).add(key)
    assert engine.dismissals(tmp_path).all() == {"unused mem:a", "drifted mem:\u00e9"}

    engine.dismissals(tmp_path).remove("unused mem:a")
    engine.dismissals(tmp_path).remove("never added")

    assert engine.dismissals(tmp_path).all() == {"drifted mem:\u00e9"}


def test_the_oldest_dismissals_make_room_and_one_that_is_added_again_is_new(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MAX_DISMISSALS", 2)
    dismissals = engine.dismissals(tmp_path)
    for key in ("a", "b", "a", "c"):
        dismissals.add(key)

    assert dismissals.all() == {"a", "c"}
