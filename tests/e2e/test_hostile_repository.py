"""Whatever a repository brings where Recollect looks: commands end, and touch nothing outside.

One test, many plants. Each plant is put into a project with one good memory, and the same commands run.
"""

import json
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import Cli
from tests.requirements import requirement
from tests.soak import times

from recollect.errors import RecollectError, RefusedError
from recollect.hook.answer import answer
from recollect.ids import memory_id, slug

SECONDS = 60  # a command that takes longer hangs, also on a busy machine
HUGE = 1 << 34  # bytes of a sparse file
UNEXPECTED = 70  # the exit code of a command that failed in a way nobody thought of
STATE = ".claude/memory/.recollect"
MEMORY = ".claude/memory/decisions/planted.json"
PLACES = (
    MEMORY,
    ".claude/memory/index.md",
    ".claude/memory/memory-config.json",
    ".claude/memory/project-id",
    ".claude/memory/.gitattributes",
    ".claude/skills/planted/SKILL.md",
    ".mcp.json",
    ".claude/settings.json",
    *(f"{STATE}/{name}" for name in ("state.db", "index.db", "state.db-wal", "index.db-shm", "lock")),
    *(
        f"{STATE}/{name}"
        for name in ("writing", "copying", "unsettled", "hook.sock", "drafts", "rejected")
    ),
    *(
        f"{STATE}/{name}"
        for name in ("drafts/x.json", "rejected/x.json", "vectors-x.f32", ".gitignore")
    ),
    f"{STATE}/latency",
)


def pipe(path: Path, _outside: Path) -> None:
    os.mkfifo(path)


def folder(path: Path, _outside: Path) -> None:
    (path / "deep").mkdir(parents=True)


def a_socket(path: Path, _outside: Path) -> None:
    """Bound in a short folder, because the path of a socket may have few characters."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path.name)
    finally:
        os.chdir(here)


def sparse(path: Path, _outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(HUGE)


def link_out(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "theirs.json")


def hard_link(path: Path, outside: Path) -> None:
    path.hardlink_to(outside / "theirs.json")


def loop(path: Path, _outside: Path) -> None:
    path.symlink_to(path.name)


def device(path: Path, _outside: Path) -> None:
    path.symlink_to("/dev/zero")


def noise(path: Path, _outside: Path) -> None:
    path.write_bytes(bytes(range(256)) * 64)


def nested(path: Path, _outside: Path) -> None:
    path.write_text("[" * 200_000 + "]" * 200_000)


def deep_object(path: Path, _outside: Path) -> None:
    path.write_text('{"a":' * 100_000 + "1" + "}" * 100_000)


def huge_number(path: Path, _outside: Path) -> None:
    path.write_text(f'{{"lock_wait_seconds": 1{"0" * 100_000}, "id": 1e999999, "tags": NaN}}')


def repeated_keys(path: Path, _outside: Path) -> None:
    path.write_text("{" + ",".join('"title": "a"' for _ in range(20_000)) + "}")


KINDS = (pipe, folder, a_socket, sparse, link_out, hard_link, loop, device)
TEXTS = (noise, nested, deep_object, huge_number, repeated_keys)
PLANTS = [(kind, name) for kind in (*KINDS, *TEXTS) for name in PLACES]


@contextmanager
def bounded(seconds: int) -> Iterator[None]:
    """Fail instead of waiting for ever, also inside a system call."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def clear(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        path.rename(path.with_name(f"{path.name}.before"))
    else:
        path.unlink(missing_ok=True)


def run_everything(cli: Cli) -> None:
    commands = [
        ["list"],
        ["search", "login token"],
        ["save", "--file", "-"],
        ["doctor"],
        ["session", "drafts"],
        ["status"],
    ]
    record = json.dumps({"category": "preference", "title": "Two spaces", "tags": ["style"]})
    for words in commands:
        with bounded(SECONDS):
            done = cli(*words, stdin=record)
        assert done.exit_code != UNEXPECTED, (words, done.err)
    event = {"session_id": "s", "cwd": str(cli.folder), "prompt": "how do we sign the login token?"}
    with bounded(SECONDS), suppress(RecollectError):  # which the hook's process notes
        answer("claude-code", "UserPromptSubmit", json.dumps(event).encode(), cli.env)


@requirement("trust:repository:any-plant")
@pytest.mark.parametrize("batch", range(26))
def test_nothing_that_is_planted_hangs_a_command_or_reaches_outside(
    cli: Cli, tmp_path: Path, batch: int
) -> None:
    """The plants in batches; RECOLLECT_SOAK=10 runs ten times as many of them, up to all."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "theirs.json").write_text('{"theirs": true}')
    cli.save()
    chosen = PLANTS[batch::26][: times(2)]
    assert chosen
    for kind, name in chosen:
        path = cli.folder / name
        clear(path)
        kind(path, outside)
        run_everything(cli)

        assert [file.name for file in outside.iterdir()] == ["theirs.json"], (kind, name)
        assert (outside / "theirs.json").read_text() == '{"theirs": true}', (kind, name)
        restore(path)


def restore(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        os.rename(path, path.with_name(f"{path.name}.planted"))  # noqa: PTH104
    else:
        path.unlink(missing_ok=True)
    if (before := path.with_name(f"{path.name}.before")).exists():
        before.rename(path)


NAMES = (
    "a\nb.json",
    "a\u2028b.json",
    b"bad-\xff.json",
    "-rf.json",
    "A.json",
    "a.JSON",
    "..json",
    "x" * 240 + ".json",
)


@requirement("trust:repository:any-plant")
@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_a_file_of_any_name_breaks_no_command(cli: Cli, name: str | bytes) -> None:
    saved = cli.save()
    good = (cli.root / "decisions" / f"{saved['id']}.json").read_bytes()
    for folder in (cli.root / "decisions", cli.folder / ".claude" / "skills" / "one"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / os.fsdecode(name)).write_bytes(good)
    (cli.folder / ".claude" / "skills" / "one" / "SKILL.md").write_text("---\nname: one\n---\n# One\n")

    run_everything(cli)


@requirement("trust:repository:letter-case")
def test_where_the_file_system_ignores_case_no_file_is_overwritten(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No such file system can be mounted here, so what decides is asked as one would answer."""
    cli.save()
    folder = cli.root / "decisions"
    theirs = folder / "SIGN-A-JWT-AT-LOGIN.json"
    (folder / "sign-a-jwt-at-login.json").rename(theirs)
    before = theirs.read_bytes()
    assert "rename one" in cli("doctor").out

    def exists(path: str | os.PathLike[str]) -> bool:
        above, name = os.path.split(os.fspath(path))
        return os.path.isdir(above) and name.lower() in map(str.lower, os.listdir(above))  # noqa: PTH112

    monkeypatch.setattr(os.path, "lexists", exists)
    saved = cli.save()

    assert saved["id"] == "sign-a-jwt-at-login-2"
    assert theirs.read_bytes() == before


@requirement("trust:repository:letter-case")
@given(st.text(max_size=40))
def test_no_two_ids_differ_by_case_alone(text: str) -> None:
    assert slug(text) == slug(text).lower()
    with suppress(RefusedError):
        assert memory_id(text) == text.lower()


def test_folders_without_end_are_left(cli: Cli) -> None:
    cli.save()
    deep = cli.folder / ".claude" / "skills"
    for _ in range(60):
        deep = deep / "deeper"
    deep.mkdir(parents=True)
    (deep / "SKILL.md").write_text("# Deep\n")

    run_everything(cli)
