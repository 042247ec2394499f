"""A process that stops in the middle of a transaction holds up nobody for long."""

import threading

from tests.postgres import Server, connected, new_project
from tests.requirements import requirement

from recollect.errors import StoreError
from recollect.storage.postgres.database import PoolLimits
from recollect.storage.postgres.state import PostgresState
from recollect.working.recorder import SessionRecorder

AT = "2026-01-01T00:00:00Z"


@requirement("team:postgres:idle")
def test_the_server_ends_the_transaction_of_a_writer_that_fell_asleep(postgres_server: Server) -> None:
    database = connected(postgres_server, limits=PoolLimits(idle_seconds=0.3))
    project = new_project(database)
    asleep, awake = threading.Event(), threading.Event()
    failures: list[Exception] = []

    def fall_asleep() -> None:
        state = PostgresState(database.project(project.key))
        try:
            with state.transaction():
                state.sessions.count_rule("lost", AT)
                asleep.set()
                awake.wait(60)
        except StoreError as error:
            failures.append(error)

    sleeper = threading.Thread(target=fall_asleep)
    sleeper.start()
    try:
        assert asleep.wait(30)
        state = PostgresState(project)

        SessionRecorder(state, lambda: AT).begin("s1", "codex")

        assert [session.id for session in state.sessions.latest(10)] == ["s1"]
        assert state.sessions.rule_counts() == []
    finally:
        awake.set()
        sleeper.join(30)
        database.close()
    assert len(failures) == 1
