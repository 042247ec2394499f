"""Where failures of hooks are noted."""

import stat
from pathlib import Path

import pytest

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.hook import process
from recollect.hook.log import MOST_BYTES, note_failure
from recollect.paths import hook_log


def failure(message: str) -> Exception:
    try:
        number = int(message)
    except ValueError as error:
        return error
    raise AssertionError(number)


def test_a_full_log_is_set_aside_and_one_old_log_is_kept(env: dict[str, str]) -> None:
    path = Path(hook_log(env))
    note_failure(failure("first"), env)
    path.write_bytes(b"x" * (MOST_BYTES + 1))
    older = path.with_name("hook.log.1")

    note_failure(failure("second"), env)

    assert older.stat().st_size == MOST_BYTES + 1
    assert len(path.read_text().splitlines()) == 1
    path.write_bytes(b"y" * (MOST_BYTES + 1))
    note_failure(failure("third"), env)
    assert older.read_bytes()[:1] == b"y"
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["hook.log", "hook.log.1"]


def test_a_failure_is_one_line_with_its_kind_and_place_and_not_its_words(env: dict[str, str]) -> None:
    note_failure(failure("the prompt\nwas secret"), env)
    note_failure(failure("again"), env)

    lines = Path(hook_log(env)).read_text().splitlines()
    assert len(lines) == 2
    assert "ValueError at test_log.py:" in lines[0]
    assert "secret" not in lines[0]


def test_only_its_owner_can_read_the_log(env: dict[str, str]) -> None:
    note_failure(failure("x"), env)

    assert stat.S_IMODE(Path(hook_log(env)).stat().st_mode) == 0o600


def test_a_failure_is_reported_in_the_project_that_the_event_was_in(
    project: Recollect, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(process, "_under_way", [])
    process.begin_call(str(project.state_folder), "hook prompt")
    other = tmp_path / "other"
    (other / ".claude" / "memory").mkdir(parents=True)

    process.note_failure(failure("x"))

    [line] = Path(hook_log(env)).read_text().splitlines()
    assert line.endswith(f" in project {str(project.state_folder.resolve())!r}")
    assert failures_in(project) == 1
    assert failures_in(open_project(other, env=env)) == 0


def failures_in(project: Recollect) -> int:
    checks = [finding.check for each in project.upkeep.examine() for finding in each.findings]
    return checks.count("hook-failures")


def test_a_failure_before_the_project_is_known_is_reported_everywhere(
    project: Recollect, env: dict[str, str]
) -> None:
    note_failure(failure("x"), env)

    assert failures_in(project) == 1
