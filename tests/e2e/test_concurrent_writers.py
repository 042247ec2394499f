"""Two real processes write at once."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement
from tests.samples import draft
from tests.soak import times

from recollect import open_project
from recollect.records.json_format import JsonObject, parse
from recollect.records.memories import Saved
from recollect.records.record import Memory

SAVES = times(40)
ROUNDS = times(25)
REPOSITORY = Path(__file__).parents[2]


def start(role: str, folder: Path, name: str) -> "subprocess.Popen[str]":
    """One of the functions below, in a process of its own."""
    code = f"from tests.e2e.test_concurrent_writers import {role}; {role}()"
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder), name],
        cwd=REPOSITORY,
        env={**os.environ, "RECOLLECT_HOME": str(folder / "home")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def tell(process: "subprocess.Popen[str]", line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def hear(process: "subprocess.Popen[str]") -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def saver() -> None:
    """Save many different memories, from the moment it is told."""
    folder, name = sys.argv[1:]
    memories = open_project(folder).memories
    print(json.dumps("ready"), flush=True)  # noqa: T201 - speaks to the test
    sys.stdin.readline()
    for number in range(SAVES):
        title = f"{name} takes road {number}"
        saved = memories.save(draft(title, content={"decision": f"{name} takes road {number}."}))
        assert isinstance(saved, Saved), saved
    print(json.dumps("done"), flush=True)  # noqa: T201


def _titled(title: str, _: Memory) -> JsonObject:
    return {"title": title}


def editor() -> None:
    """In each round: read the memory, say which version, wait, write over it, say what came of it."""
    folder, name = sys.argv[1:]
    memories = open_project(folder).memories
    for line in sys.stdin:
        stored = memories.get("contested")
        print(json.dumps(stored.digest), flush=True)  # noqa: T201
        sys.stdin.readline()
        title = f"{name} won round {line.strip()}"
        try:
            saved = memories.replace(stored, partial(_titled, title), title)
        except Exception as error:
            row = {"error": type(error).__name__, "message": str(error), **vars(error)}
            print(json.dumps(row), flush=True)  # noqa: T201
        else:
            print(json.dumps({"won": saved.stored.digest, "title": title}), flush=True)  # noqa: T201


@pytest.fixture
def root(folder: Path) -> Path:
    return folder / ".claude" / "memory"


@requirement("store:concurrency:different-memories")
def test_two_processes_that_save_different_memories_lose_nothing(folder: Path, root: Path) -> None:
    with start("saver", folder, "Alice") as one, start("saver", folder, "Bob") as two:
        for process in (one, two):
            assert hear(process) == "ready"
        for process in (one, two):
            tell(process, "go")
        for process in (one, two):
            assert hear(process) == "done"

    scan = open_project(folder, env={"HOME": str(folder)}).memories.scan()
    assert scan.broken == ()
    assert len(scan.stored) == 2 * SAVES
    titles = {stored.memory.title for stored in scan.stored}
    assert titles == {f"{name} takes road {n}" for name in ("Alice", "Bob") for n in range(SAVES)}
    lines = [line for line in (root / "index.md").read_text().splitlines() if line.startswith("- [")]
    assert len(lines) == 2 * SAVES
    assert {line.partition("-> ")[2].partition(" #")[0] for line in lines} == {
        stored.path for stored in scan.stored
    }


@requirement("store:concurrency:same-memory")
def test_two_processes_that_edit_one_memory_get_one_success_and_one_conflict(
    folder: Path, root: Path
) -> None:
    env = {"HOME": str(folder)}
    open_project(folder, env=env).memories.save(draft("Contested"))

    with start("editor", folder, "Alice") as one, start("editor", folder, "Bob") as two:
        for number in range(ROUNDS):
            both = (one, two)
            for process in both:
                tell(process, str(number))
            read = {hear(process) for process in both}
            assert len(read) == 1, "both read the same version"
            for process in both:
                tell(process, "go")
            answers = [hear(process) for process in both]
            _judge(answers, read.pop(), folder)
        for process in both:
            assert process.stdin is not None
            process.stdin.close()

    kept = list((root / ".recollect" / "rejected").iterdir())
    assert len(kept) == ROUNDS
    final = open_project(folder, env=env).memories.get("contested").memory
    assert final.times_updated == ROUNDS
    assert final.title in (root / "index.md").read_text()


def _judge(answers: list[Any], read: str, folder: Path) -> None:
    """One won; the other was told both versions, and its own is kept whole."""
    (winner,) = [answer for answer in answers if "won" in answer]
    (loser,) = [answer for answer in answers if "error" in answer]
    assert loser["error"] == "ConflictError"
    assert (loser["expected"], loser["current"]) == (read, winner["won"])
    assert read[:12] in loser["message"]
    assert winner["won"][:12] in loser["message"]
    rejected = Memory.parse(parse((folder / loser["kept_at"]).read_bytes(), "kept"))
    assert rejected.title != winner["title"]
    assert "won round" in rejected.title
