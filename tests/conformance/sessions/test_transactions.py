"""What every `SessionDatabase` does with transactions, names and errors."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.conformance.engines import Engine
from tests.requirements import requirement

from recollect.errors import StoreError
from recollect.ids import UnifiedId
from recollect.working.ports import SessionDatabase
from recollect.working.recorder import SessionRecorder
from recollect.working.redacted import RedactedText
from recollect.working.session_state import SessionState

ROOT = Path(__file__).parents[3]


def test_an_error_in_a_transaction_saves_nothing_of_it(database: SessionDatabase) -> None:
    def fail_halfway() -> None:
        with database.transaction():
            database.sessions.save_state(SessionState("s1", "2026", "2026"))
            database.turns.add("s1", RedactedText("a prompt"), 3)
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError):
        fail_halfway()

    assert database.sessions.latest(10) == []
    assert database.turns.turns("s1") == []
    with database.transaction():
        database.sessions.save_state(SessionState("s1", "2026", "2026"))
    assert len(database.sessions.latest(10)) == 1


def test_a_value_that_the_engine_refuses_is_a_store_error_and_saves_nothing(
    recorder: SessionRecorder,
) -> None:
    with pytest.raises(StoreError):
        recorder.give("s", [UnifiedId("mem:a"), object()], 0.9)  # type: ignore[list-item]

    assert recorder.in_context("s") == set()
    assert recorder.count_event("s") == 1


@pytest.mark.parametrize("session", ["\ud800", "a\0b", "", "ü\udfff"])
def test_a_session_may_have_any_name(recorder: SessionRecorder, session: str) -> None:
    a, b = UnifiedId("mem:a"), UnifiedId("mem:b")
    recorder.compact(session)

    assert recorder.give(session, [a, b], 0.5) == [a, b]
    assert recorder.give(session, [a], 0.5) == []
    assert recorder.in_context(session) == {a, b}
    recorder.use(session, [a], "read")
    assert recorder.unused(session) == [b]
    assert (recorder.point_to_search(session), recorder.point_to_search(session)) == (True, False)
    assert recorder.count_event(session) == 6


_WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from recollect.ids import UnifiedId
from recollect.working.recorder import SessionRecorder
from tests.conformance.engines import Engine
from recollect.storage.postgres.database import Database
engine = Engine(Database(sys.argv[3]) if sys.argv[3] else None)
print("ready", flush=True)
sys.stdin.readline()
for number in range(20):
    database = engine.state(Path(sys.argv[2]))
    recorder = SessionRecorder(database, lambda: "2026-11-15T10:00:00Z")
    recorder.count_event("s")
    recorder.give(f"own-{sys.argv[4]}", [UnifiedId(f"mem:{number}")], 0.5)
    database.close()
if engine.database is not None:
    engine.database.close()
"""


@requirement("connections:state:concurrent")
def test_ten_processes_at_once_from_an_empty_folder_lose_no_event(
    engine: Engine, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = request.getfixturevalue("postgres_server").url("tests") if engine.database else ""
    command = [sys.executable, "-c", _WRITER, str(ROOT), str(tmp_path), url]
    running = [
        subprocess.Popen(
            [*command, str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(10)
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    for process in running:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in running:
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")

    database = engine.state(tmp_path)
    assert database.sessions.state("s").events == 200
    assert {row.injected for row in database.injections.impact()} == {10}
    assert len(database.injections.impact()) == 20
    database.close()
