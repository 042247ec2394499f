"""Every adapter of the session ports, one after the other."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.conformance.engines import OpenState

from recollect.app.stores import StateStores
from recollect.working.ports import SessionDatabase
from recollect.working.recorder import SessionRecorder

NOW = "2026-11-15T10:00:00Z"
Reopen = Callable[..., SessionRecorder]


@pytest.fixture
def database(open_state: OpenState, tmp_path: Path) -> Iterator[StateStores]:
    opened = open_state(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def recorder(database: SessionDatabase) -> SessionRecorder:
    return SessionRecorder(database, lambda: NOW)


@pytest.fixture
def reopen(open_state: OpenState, tmp_path: Path) -> Iterator[Reopen]:
    """Open the database again, as another process would, at a moment of its own."""
    opened: list[SessionDatabase] = []

    def again(now: str = NOW) -> SessionRecorder:
        opened.append(open_state(tmp_path))
        return SessionRecorder(opened[-1], lambda: now)

    yield again
    for database in opened:
        database.close()
