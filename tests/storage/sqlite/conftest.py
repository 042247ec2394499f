"""The bookkeeping of sessions, opened and closed again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.storage.sqlite.state import NAME, StateDatabase


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StateDatabase]:
    opened = StateDatabase(str(tmp_path / NAME))
    yield opened
    opened.close()
