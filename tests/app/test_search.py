"""Use cases of search: each updates the index once, and reads each memory file once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.embedded import embedded
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.ids import UnifiedId
from recollect.records.record import Link, LinkType
from recollect.retrieval.request import Request
from recollect.storage.files.root import MemoryRoot
from recollect.storage.sqlite.writer import SqliteIndexWriter


@pytest.fixture
def boosted(folder: Path, env: dict[str, str]) -> Recollect:
    """A project of two linked memories, with every boost that looks at sessions."""
    flags = {"RECOLLECT_WORKING_SESSION_BOOST": "1", "RECOLLECT_WORKING_CAUSAL_BOOST": "1"}
    project = open_project(folder, env=env | flags)
    for title in ("Ledger of quotas", "Retry the queue"):
        project.memories.save(draft(title), allow_repeat=True)
    link = Link(LinkType.CAUSED, UnifiedId("mem:ledger-of-quotas"))
    project.memories.link("retry-the-queue", link)
    return project


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Callable[[type, str], list[str]]:
    """Count the calls of a method, which still does its work."""

    def count(kind: type, name: str) -> list[str]:
        calls: list[str] = []
        method = getattr(kind, name)

        def counted(*args: Any, **options: Any) -> Any:
            calls.append(name)
            return method(*args, **options)

        monkeypatch.setattr(kind, name, counted)
        return calls

    return count


USE_CASES: dict[str, Callable[[Recollect], object]] = {
    "find": lambda project: project.find(Request("ledger")),
    "recall": lambda project: project.find(Request("ledger", mode="auto")),
    "why by id": lambda project: project.graphs.why("retry-the-queue"),
    "why by question": lambda project: project.graphs.why("what about the ledger"),
    "edges": lambda project: project.graphs.edges(),
    "browse": lambda project: project.search.browse(project.in_force, lambda done, of: None),
}


@pytest.mark.parametrize("use_case", USE_CASES.values(), ids=USE_CASES)
@requirement("retrieval:index:once-per-use-case")
def test_a_use_case_updates_the_index_once(
    boosted: Recollect, count: Callable[[type, str], list[str]], use_case: Callable[[Recollect], object]
) -> None:
    synchronised, listed = count(SqliteIndexWriter, "synchronise"), count(MemoryRoot, "listing")

    use_case(boosted)

    assert len(synchronised) == 1
    assert len(listed) == 12, "six folders of the project and of the user"


@pytest.mark.parametrize("user", [False, True])
def test_a_memory_is_read_once_to_show_it(
    project: Recollect, count: Callable[[type, str], list[str]], user: bool
) -> None:
    project.memories_to_write(user=user).save(draft("Ledger of quotas"))
    reads = count(MemoryRoot, "read")

    assert project.get("ledger-of-quotas").memory.title == "Ledger of quotas"
    assert len(reads) == 1


def test_an_index_that_cannot_be_read_is_no_error_for_a_prompt(project: Recollect) -> None:
    project.memories.save(draft("Ledger of quotas"))
    request = Request("ledger of quotas", mode="auto", threshold=0.0)
    assert project.find(request).answer.hits
    embedded(project.finder.index).connection.execute("DROP TABLE document")

    assert project.search.recall_indexed(request) is None
    assert project.find(request).answer.hits
