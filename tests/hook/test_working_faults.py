"""Whatever is wrong with the state or with an output, a hook ends in time with 0, and says what it can."""

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.hook.conversation import FAILING, PYTEST, Conversation, begun
from tests.hook.test_prompt import LOOP, keep
from tests.requirements import requirement

from recollect.agents.harnesses import get_harness
from recollect.app.opening import open_project

PROMPT = "the oauth2 login is stuck in a redirect loop again"
IN_TIME = 4.5  # seconds: several deadlines, for a busy machine, and less than SQLite waits by itself
GOLDEN = Path(__file__).parents[1] / "golden" / "agents"


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    """A session with something in mind, in a project with a memory."""
    one = begun(tmp_path / "project", tmp_path / "home")
    keep(open_project(one.folder, env=one.env))
    one.edit("src/login.py")
    one.resumed()
    return one.patient(3)  # a lock is waited for 2.1 seconds


def _gone(one: Conversation) -> None:
    for path in one.state.parent.glob("state.db*"):
        path.unlink()


def _garbage(one: Conversation) -> None:
    _gone(one)
    one.state.write_bytes(b"\x00\xff" * 4096)


def _torn(one: Conversation) -> None:
    """A page in the middle of a real database that is no page."""
    one.asked("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(one.state.read_bytes())
    data[4096 : 4096 * 4] = os.urandom(4096 * 3)
    _gone(one)
    one.state.write_bytes(data)


def _folder(one: Conversation) -> None:
    _gone(one)
    one.state.mkdir()


def _newer(one: Conversation) -> None:
    """Written by a version that is to come, whose tables are others."""
    one.asked("PRAGMA user_version = 99")
    one.asked("ALTER TABLE session RENAME TO sessions")


FAULTS: dict[str, Callable[[Conversation], None]] = {
    "gone": _gone,
    "garbage": _garbage,
    "torn": _torn,
    "a folder": _folder,
    "newer": _newer,
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_a_state_that_cannot_be_used_keeps_no_memory_back(
    fault: Callable[[Conversation], None], conversation: Conversation
) -> None:
    fault(conversation)

    assert LOOP in conversation.other("new").prompt(PROMPT)
    for event in ("Stop", "PreCompact", "SessionStart", "SessionEnd"):
        assert conversation.send(event).seconds < IN_TIME
    assert conversation.edit("src/login.py").seconds < IN_TIME


@contextmanager
def held(state: Path, *how: str) -> Iterator[None]:
    """The state while somebody else writes, and does not end."""
    lock = sqlite3.connect(state, isolation_level=None)
    for sql in how:
        lock.execute(sql)
    try:
        yield
    finally:
        lock.close()


@pytest.mark.parametrize("mode", ["NORMAL", "EXCLUSIVE"])
def test_a_locked_state_is_waited_for_briefly_and_keeps_no_memory_back(
    mode: str, conversation: Conversation
) -> None:
    with held(conversation.state, f"PRAGMA locking_mode = {mode}", "BEGIN EXCLUSIVE"):
        answer = conversation.other("new").send("UserPromptSubmit", prompt=PROMPT)
        edited = conversation.edit("src/cart.py")
        started = conversation.send("SessionStart", source="resume")

    assert LOOP in answer.context
    assert max(answer.seconds, edited.seconds, started.seconds) < IN_TIME
    assert "UnwritableError" in conversation.log
    assert LOOP in conversation.other("new").prompt(PROMPT)  # for it could not be noted
    assert LOOP not in conversation.other("new").prompt(PROMPT)


@requirement("hook:deadline:silent")
def test_a_hook_that_waits_inside_sqlite_ends_at_its_deadline_all_the_same(
    conversation: Conversation,
) -> None:
    index = conversation.state.with_name("index.db")
    with held(index, "PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"):
        answer = conversation.patient(1).send("UserPromptSubmit", prompt=PROMPT)

    assert (answer.out, answer.seconds < IN_TIME) == ("", True)


@requirement("working:store:counter")
def test_an_event_is_counted_although_the_index_is_held(conversation: Conversation) -> None:
    assert LOOP in conversation.prompt(PROMPT)  # what was given is looked up when a tool was used
    before = conversation.event
    index = conversation.state.with_name("index.db")
    with held(index, "PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"):
        done = conversation.edit("src/cart.py")

    assert (conversation.event, done.seconds < IN_TIME) == (before + 1, True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own, in memory, that can be made read-only."""
    path = tmp_path / "disk"
    path.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "none", str(path)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no disk can be mounted here")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=False)


def test_on_a_read_only_disk_a_prompt_is_still_answered(disk: Path) -> None:
    one = begun(disk / "project", disk / "home")
    keep(open_project(one.folder, env=one.env))
    one.edit("src/login.py")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)

    assert LOOP in one.prompt(PROMPT)
    assert one.edit("src/cart.py").seconds < IN_TIME
    assert one.send("Stop").seconds < IN_TIME
    assert one.send("SessionStart", source="resume").seconds < IN_TIME


def test_a_refused_pattern_stops_what_is_written_and_not_what_is_told(
    conversation: Conversation,
) -> None:
    config = conversation.folder / ".claude/memory/memory-config.json"
    config.write_text(json.dumps({"redaction": {"patterns": [{"id": "ahead", "pattern": "(?=a)b"}]}}))
    new = conversation.other("new")

    assert LOOP in new.prompt(PROMPT)
    assert LOOP not in new.prompt(PROMPT)  # given once, as ever
    new.edit("src/cart.py")
    new.send("Stop")
    assert new.asked("SELECT count(*) FROM item WHERE session = 'new'") == [(0,)]
    assert "InvalidConfigError" in new.log


@requirement("working:hook:refused-rule")
def test_a_refused_rule_leaves_the_others_at_work(conversation: Conversation) -> None:
    rule = {"id": "ahead", "tool_pattern": "Bash", "content_pattern": "(?=a)b"}
    config = conversation.folder / ".claude/memory/memory-config.json"
    config.write_text(json.dumps({"rules": [{**rule, "attention": 0.5, "summarizer": "stdout"}]}))
    new = conversation.other("new")

    new.bash(PYTEST, FAILING)

    assert "1 failing test" in new.resumed()
    assert LOOP in new.prompt(PROMPT)
    assert "InvalidConfigError" in new.log


OUTPUTS: dict[str, object] = {
    "nothing": None,
    "a number": 7,
    "ten megabytes": "\n".join(["lorem ipsum dolor " * 40, FAILING] * 12_000),
    "one long line": "x" * 10_000_000,
    "binary": bytes(range(256)).decode("latin-1") * 4000,
    "half characters": "\ud83d" * 1000,
    "nested": json.loads("[" * 500 + "]" * 500),
    "many values": [{"stdout": str(number)} for number in range(20_000)],
    "an image": [{"type": "image", "data": "A" * 100_000}],
}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=list(OUTPUTS))
def test_any_output_is_one_event_and_no_error(output: object, conversation: Conversation) -> None:
    before = conversation.event

    done = conversation.tool("Bash", {"command": "make"}, output)

    assert done.seconds < IN_TIME
    assert (conversation.event, conversation.log) == (before + 1, "")


def samples() -> list[tuple[str, dict[str, Any]]]:
    """What each harness says when a tool is done or has failed, as it was recorded."""
    found = []
    for path in sorted(GOLDEN.glob("*/*.json")):
        told = json.loads(path.read_text())
        if get_harness(path.parent.name).kinds.get(told["event"]) in ("tool_after", "tool_failed"):
            found.append((path.parent.name, told))
    return found


@pytest.mark.parametrize(
    ("harness", "told"), samples(), ids=[f"{harness}-{told['event']}" for harness, told in samples()]
)
def test_a_tool_call_of_every_harness_is_an_event(
    harness: str, told: dict[str, Any], conversation: Conversation
) -> None:
    one = conversation.other("recorded", harness)
    given = {**told["stdin"], "cwd": str(one.folder), "session_id": "recorded"}
    given |= {"conversation_id": "recorded", "workspace_roots": [str(one.folder)]}

    one.send(told["event"], **given)

    assert (one.event, one.log) == (1, "")
    assert one.asked("SELECT harness FROM session WHERE id = 'recorded'") == [(harness,)]


def test_many_drafts_that_were_left_over_do_not_silence_a_start(conversation: Conversation) -> None:
    """Each takes several writes to keep, and a session that starts waits for its answer."""
    conversation.send("Stop")
    drafts = conversation.state.parent / "drafts"
    told = (drafts / "session-s1.json").read_text()
    for number in range(60):
        text = told.replace('"s1"', f'"old-{number}"').replace("login", f"login{number}")
        (drafts / f"session-old-{number}.json").write_text(text)
    config = conversation.folder / ".claude/memory/memory-config.json"
    config.write_text(json.dumps({"working": {"keep_drafts": "auto"}}))

    started = conversation.other("new").resumed("startup")

    assert "Not committed: src/login.py" in started
    assert 0 < len(conversation.kept("sessions")) < 60


def test_a_project_that_is_gone_in_the_middle_of_a_session_is_harmless(
    conversation: Conversation,
) -> None:
    shutil.rmtree(conversation.folder / ".claude")

    assert conversation.prompt(PROMPT) == ""
    assert conversation.edit("src/login.py").out == ""
    assert conversation.send("Stop").out == ""
    assert not (conversation.folder / ".claude").exists()


@requirement("hook:tool:not-lost")
def test_a_tool_call_while_the_state_is_locked_is_taken_in_by_the_next_hook(
    conversation: Conversation,
) -> None:
    before = conversation.event
    secret = f"ghp_{'x7Qp2Lm9Rt4Vw8Zk' * 2}Ab3D"
    with held(conversation.state, "BEGIN EXCLUSIVE"):
        conversation.tool("Bash", {"command": PYTEST}, f"{FAILING}\ntoken {secret}")
    aside = Path(conversation.env["HOME"]) / ".local" / "share" / "recollect" / "pending-calls"
    [file] = aside.iterdir()

    assert secret not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert conversation.event == before

    conversation.edit("src/cart.py")

    assert list(aside.iterdir()) == []
    assert "tests/test_login.py::test_rename" in conversation.resumed()
    assert conversation.event == before + 2


@requirement("hook:tool:not-lost")
def test_what_was_put_aside_for_another_project_stays_there(conversation: Conversation) -> None:
    aside = Path(conversation.env["HOME"]) / ".local" / "share" / "recollect" / "pending-calls"
    aside.mkdir(parents=True)
    (aside / "00000000-1-1.json").write_text('{"state": "elsewhere", "call": {}}')

    conversation.edit("src/cart.py")

    assert len(list(aside.iterdir())) == 1
