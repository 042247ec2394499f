"""kill -9 during an import of transcripts: the next import completes it and doubles nothing."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.importing.past_transcripts import Claude, claude_file, codex_file
from tests.requirements import requirement
from tests.samples import NOW
from tests.soak import times

from recollect.app.opening import open_project
from recollect.app.transcript_import import TranscriptImport, find_transcripts
from recollect.storage.sqlite.state import StateConnection, StateTransaction

KILLS = 14


def imported(folder: Path, home: Path) -> None:
    project = open_project(folder, env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, clock=lambda: NOW)
    list(TranscriptImport(project, apply=True).run(find_transcripts(project)))


def state(folder: Path, home: Path) -> dict[str, Any]:
    """All that an import leaves."""
    project = open_project(folder, env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, clock=lambda: NOW)
    with project.past_sessions.opened() as past:
        assert past is not None
        sessions = sorted(session.id for session in past.sessions(100))
        words = past.search(["test", "total", "checkout", "nightli", "ship"], 1000)
    entries = sorted((hit.session.id, hit.entry.line, hit.entry.text) for hit in words.hits)
    drafts = {draft.name: draft.document for draft in project.sessions.drafts.all()}
    return {"sessions": sessions, "entries": entries, "total": words.total, "drafts": drafts}


def trip(number: int) -> Callable[[], int]:
    """Kill this process at its n-th step that changes the disk; returns how many there were."""
    steps = 0

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **options)

        return call

    for name in ("replace", "write", "mkdir", "fsync"):
        setattr(os, name, counted(getattr(os, name)))
    for owner, name in (
        (StateConnection, "rows"),
        (StateConnection, "write_many"),
        (StateTransaction, "__exit__"),
    ):
        setattr(owner, name, counted(getattr(owner, name)))
    return lambda: steps


def forked(action: Callable[[], int]) -> int | None:
    """What an action in a child returned, at most 255 in steps of 4; None if it was killed."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(min(action() // 4, 255))
        except BaseException:
            os._exit(255)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return None
    return os.waitstatus_to_exitcode(status) * 4


@requirement("importing:transcripts:idempotent")
def test_an_import_that_was_killed_at_any_step_is_completed_without_doubling(tmp_path: Path) -> None:
    home, folder, clean = tmp_path / "home", tmp_path / "shop", tmp_path / "clean"
    (folder / ".claude" / "memory").mkdir(parents=True)
    codex_file(home, folder)
    claude_file(home, folder, "one", Claude(folder, "one").session_rows()[:-2])
    shutil.copytree(folder, clean)

    def run(number: int) -> int:
        steps = trip(number)
        imported(folder, home)
        return steps()

    total = forked(lambda: run(0))
    assert total is not None
    assert 40 < total < 1020
    expected = state(folder, home)
    assert len(expected["sessions"]) == 2
    assert len(expected["drafts"]) == 4
    stride = max(1, total // times(KILLS))
    for number in range(1, total, stride):
        shutil.rmtree(folder)
        shutil.copytree(clean, folder)
        assert forked(lambda number=number: run(number)) is None  # type: ignore[misc]

        imported(folder, home)

        assert state(folder, home) == expected, number
