"""Eight processes search while one writes: no error, and nothing that never was."""

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.requirements import requirement
from tests.samples import document
from tests.soak import SOAK

from recollect import open_project
from recollect.records.json_format import render
from recollect.retrieval.request import Request
from recollect.storage.files import atomic

READERS = 8
MEMORIES = 30
SECONDS = 6 * SOAK
REPOSITORY = Path(__file__).parents[2]


def start(role: str, folder: Path, seconds: float) -> "subprocess.Popen[str]":
    """One of the functions below, in a process of its own."""
    code = f"from tests.e2e.test_readers_and_writer import {role}; {role}()"
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder), str(seconds)],
        cwd=REPOSITORY,
        env={**os.environ, "RECOLLECT_HOME": str(folder / "home")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def put(folder: Path, number: int, version: int) -> None:
    """Write a version of a memory: title, text and tag all say which."""
    path = folder / ".claude" / "memory" / "decisions" / f"m{number}.json"
    mark = f"v{version}"
    content = {
        "status": "accepted",
        "context": f"queue {mark}",
        "decision": f"do {mark}",
        "rationale": [mark],
    }
    row = document(id=f"m{number}", title=f"Queue {number} {mark}", tags=[mark], content=content)
    atomic.write(path, render(row), str(path))


def writer() -> None:
    """Change, delete and bring back memories until told time is up; says the last version of each."""
    folder, chance, written = Path(sys.argv[1]), random.Random(1), 0
    last = dict.fromkeys(range(MEMORIES), 0)
    print(json.dumps("ready"), flush=True)  # noqa: T201 - speaks to the test
    sys.stdin.readline()
    until = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < until:
        written += 1
        number = chance.randrange(MEMORIES)
        if chance.random() < 0.15:
            path = folder / ".claude" / "memory" / "decisions" / f"m{number}.json"
            path.unlink(missing_ok=True)
            last[number] = -1
        else:
            put(folder, number, written)
            last[number] = written
    print(json.dumps({"written": written, "last": last}), flush=True)  # noqa: T201


def reader() -> None:
    """Search until time is up; says how often, and whatever was wrong with a hit."""
    recollect, wrong, searches, hits = open_project(sys.argv[1]), [], 0, 0
    notes: set[str] = set()
    print(json.dumps("ready"), flush=True)  # noqa: T201
    sys.stdin.readline()
    until = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < until:
        searches += 1
        if searches % 20 == 0:
            recollect = open_project(sys.argv[1])
        found = recollect.find(Request("queue", limit=50))
        notes.update(found.notes)
        hits += len(found.answer.hits)
        for hit in found.answer.hits:
            one = hit.document
            _, number, mark = one.title.split()
            texts = (
                one.path.endswith(f"/m{number}.json"),
                one.id == f"mem:m{number}",
                one.tags == (mark,),
            )
            if not all(texts) or one.body.split() != ["queue", mark, "do", mark, mark]:
                wrong.append(repr(one))
        ids = [hit.document.id for hit in found.answer.hits]
        if len(set(ids)) != len(ids):
            wrong.append(f"twice: {ids}")
    told = {"searches": searches, "hits": hits, "wrong": wrong[:3], "notes": sorted(notes)}
    print(json.dumps(told))  # noqa: T201


def ended(process: "subprocess.Popen[str]") -> Any:
    """The last thing a process said, once it has ended well."""
    out, err = process.communicate(timeout=SECONDS + 60)
    assert (process.returncode, err) == (0, ""), err
    return json.loads(out.strip().splitlines()[-1])


@requirement("retrieval:index:readers-and-writer")
def test_eight_readers_and_a_writer_see_no_error_and_no_torn_result(folder: Path) -> None:
    (folder / ".claude" / "memory" / "decisions").mkdir()
    for number in range(MEMORIES):
        put(folder, number, 0)
    processes = [start("writer", folder, SECONDS)]
    processes += [start("reader", folder, SECONDS) for _ in range(READERS)]
    for process in processes:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline()) == "ready"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()

    writer, *readers = [ended(process) for process in processes]

    assert [row["wrong"] for row in readers] == [[]] * READERS
    told_busy = "the index could not be updated (database is locked)"
    told = {note for row in readers for note in row["notes"] if "model install" not in note}
    assert told <= {told_busy}
    assert min(row["hits"] for row in readers) > MEMORIES
    assert writer["written"] > MEMORIES
    env = {"RECOLLECT_HOME": str(folder / "home")}
    found = open_project(folder, env=env).find(Request("queue", limit=50))
    assert {hit.document.title for hit in found.answer.hits} == {
        f"Queue {number} v{version}" for number, version in writer["last"].items() if version >= 0
    }
