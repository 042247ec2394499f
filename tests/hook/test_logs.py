"""Hooks come and go without closing their databases: what they leave in the logs stays short."""

import sqlite3
import subprocess
import sys
from pathlib import Path

from tests.hook.conftest import Harness
from tests.hook.test_prompt import keep
from tests.requirements import requirement

from recollect.app.project import Recollect
from recollect.hook.databases import MOST_WAL_BYTES, PAUSE_WAL_BYTES

ONE_HOOK = 100_000  # bytes that a hook may add


def log_size(root: Path, name: str = "state.db") -> int:
    log = root / ".recollect" / f"{name}-wal"
    return log.stat().st_size if log.exists() else 0


def lengthen(root: Path, name: str, least: int) -> None:
    """Leave a log of so many bytes, as processes do that end without closing."""
    program = (
        "import os, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA wal_autocheckpoint = 0')\n"
        "db.execute('CREATE TABLE IF NOT EXISTS long_log (text)')\n"
        "while os.path.getsize(sys.argv[1] + '-wal') <= int(sys.argv[2]):\n"
        "    db.execute('INSERT INTO long_log VALUES (zeroblob(3000))')\n"
        "os._exit(0)\n"
    )
    subprocess.run(
        [sys.executable, "-c", program, root / ".recollect" / name, str(least)], check=True, timeout=30
    )


def test_at_a_pause_long_logs_are_folded_into_their_databases(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    root = harness.folder / ".claude" / "memory"
    harness.prompt("the oauth2 login is stuck in a redirect loop")
    for name in ("state.db", "index.db"):
        lengthen(root, name, log_size(root, name) + PAUSE_WAL_BYTES)

    harness.send("Stop", last_assistant_message="done")

    assert [log_size(root, name) for name in ("state.db", "index.db")] == [0, 0]
    with sqlite3.connect(root / ".recollect" / "state.db") as db:
        assert db.execute("SELECT count(*) > 10 FROM long_log").fetchone() == (1,)


@requirement("hook:logs:bounded")
def test_however_many_hooks_run_without_a_pause_a_log_stays_short(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    root = harness.folder / ".claude" / "memory"
    harness.prompt("the oauth2 login is stuck in a redirect loop")
    sizes = []
    for turn in range(3):
        lengthen(root, "state.db", MOST_WAL_BYTES)
        harness.send("PostToolUse", tool_name="Read", tool_input={"file_path": f"{turn}.py"})
        sizes.append(log_size(root))
        lengthen(root, "state.db", MOST_WAL_BYTES)
        harness.prompt("the oauth2 login is stuck in a redirect loop", session=f"s{turn}")
        sizes.append(log_size(root))

    assert max(sizes) < ONE_HOOK


def test_a_log_that_somebody_is_reading_is_left_for_later(project: Recollect, harness: Harness) -> None:
    keep(project)
    root = harness.folder / ".claude" / "memory"
    harness.prompt("the oauth2 login is stuck in a redirect loop")
    lengthen(root, "state.db", PAUSE_WAL_BYTES)
    reader = sqlite3.connect(root / ".recollect" / "state.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM session").fetchone()

    answer = harness.send("Stop", last_assistant_message="done")
    reader.execute("ROLLBACK")

    assert (answer.exit_code, answer.err) == (0, "")
    assert reader.execute("SELECT events > 1 FROM session WHERE id = 's1'").fetchone() == (1,)
    assert not (harness.folder / "hook.log").exists()
