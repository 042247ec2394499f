"""Prompts while the index is missing, being built, or behind."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.hook.conftest import Harness
from tests.requirements import requirement

from recollect.app.opening import open_project
from recollect.bench.generated_memories import SAMPLE_PROMPTS, fill
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.index_file import open_index

COUNT = 4_000
ANSWER = "refund webhook times out after a rollback"  # the end of the title that answers SAMPLE_PROMPTS
BUILD = """
import sys
from recollect.app.opening import open_project
open_project(sys.argv[1]).search.update_index()
"""


@pytest.fixture
def clone(harness: Harness) -> Harness:
    """A project as it is some time after a clone: many files, and no index.

    A file that was written moments before it was indexed would be read again.
    """
    root = harness.folder / ".claude" / "memory"
    fill(root, COUNT)
    for path in root.rglob("*.json"):
        os.utime(path, (1, 1))
    return harness


def indexed(clone: Harness) -> int:
    """How many memories the index has; 0 without an index."""
    path = clone.folder / ".claude" / "memory" / ".recollect" / "index.db"
    if not path.exists() or not path.stat().st_size:
        return 0
    connection = open_index(str(path)).connection
    try:
        return SqliteIndex(connection).size
    finally:
        connection.close()


@contextmanager
def building(clone: Harness) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that builds the index and has finished a part of it."""
    command = [sys.executable, "-c", BUILD, str(clone.folder)]
    process = subprocess.Popen(command, env=clone.env)
    try:
        until = time.monotonic() + 120
        while not indexed(clone):
            assert process.poll() is None, "it ended before it had finished a part"
            assert time.monotonic() < until
            time.sleep(0.01)
        yield process
    finally:
        process.kill()
        process.wait()


def cpu_seconds(clone: Harness, session: str) -> tuple[float, str]:
    """The processor time of one prompt's hook, and its answer."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    context = clone.prompt(SAMPLE_PROMPTS, session)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, context


@requirement("hook:prompt:during-a-build")
def test_prompts_during_a_build_get_what_is_indexed_and_cost_no_more_than_later(clone: Harness) -> None:
    during: list[float] = []
    contexts: list[str] = []
    with building(clone) as process:
        while process.poll() is None and len(during) < 5:
            seconds, context = cpu_seconds(clone, f"during-{len(during)}")
            during.append(seconds)
            contexts.append(context)
    open_project(clone.folder, env=clone.env).search.update_index()
    later = [cpu_seconds(clone, f"later-{turn}") for turn in range(5)]

    assert during
    assert all(ANSWER in context for context in contexts)
    assert all(ANSWER in context for _, context in later)
    assert min(during) < 1.5 * min(seconds for seconds, _ in later)


@requirement("hook:prompt:during-a-build")
def test_a_prompt_without_an_index_leaves_a_large_build_to_others(clone: Harness) -> None:
    assert "<memory-context" not in clone.prompt(SAMPLE_PROMPTS)

    assert indexed(clone) == 0


@requirement("retrieval:index:resumes")
def test_a_build_that_is_killed_goes_on_where_it_was(clone: Harness) -> None:
    with building(clone) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = indexed(clone)
    assert 0 < done < COUNT
    left: list[int] = []

    open_project(clone.folder, env=clone.env).search.update_index(lambda _, total: left.append(total))

    assert set(left) == {COUNT - done}
    assert indexed(clone) == COUNT


def test_a_prompt_in_a_large_project_gets_what_was_just_saved(clone: Harness) -> None:
    project = open_project(clone.folder, env=clone.env)
    project.search.update_index()
    path = clone.folder / ".claude" / "memory" / "decisions" / "decision-0.json"
    document = json.loads(path.read_bytes())
    draft = {name: document[name] for name in ("category", "tags", "content")}
    (clone.folder / "draft.json").write_text(
        json.dumps(draft | {"title": "Zebra quagga okapi stripes"})
    )
    save = [sys.executable, "-m", "recollect", "save", "--file", "draft.json", "--allow-duplicate"]
    subprocess.run(save, cwd=clone.folder, env=clone.env, check=True, capture_output=True)

    assert "Zebra quagga" in clone.prompt("what about the stripes of zebra, quagga and okapi")


def test_a_memory_of_a_large_project_that_was_edited_in_place_is_read_again(clone: Harness) -> None:
    open_project(clone.folder, env=clone.env).search.update_index()
    path: Path = clone.folder / ".claude" / "memory" / "decisions" / "decision-0.json"
    text = path.read_text()
    with path.open("r+") as file:  # the folder's time stays
        file.write(text.replace(ANSWER, ANSWER.upper()))
    os.utime(path, (2, 2))

    context = clone.prompt(SAMPLE_PROMPTS)

    assert ANSWER.upper() in context
    assert ANSWER not in context
