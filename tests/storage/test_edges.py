"""The links in the kept index: what the files say, no more and no less, however it came there."""

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.embedded import embedded
from tests.graph.webs import u, web
from tests.requirements import requirement
from tests.retrieval.corpora import DAY, doc
from tests.samples import document

from recollect import clock
from recollect.app.project import Recollect
from recollect.graph.causal import Edge
from recollect.records.json_format import render
from recollect.records.record import LinkType
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.edges import SqliteEdges
from recollect.storage.sqlite.writer import SqliteIndexWriter


def day(number: int) -> str:
    return clock.to_text(DAY + timedelta(days=number))


def put(folder: Path, id: str, *links: tuple[str, str]) -> Path:
    """Write a memory's file, as a person or another tool would."""
    path = folder / "decisions" / f"{id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"type": type, "target": target, "evidence": f"{id} says"} for type, target in links]
    path.write_bytes(render(document(id=id, title=f"About {id}", links=rows)))
    return path


@pytest.fixture
def root(folder: Path) -> Path:
    return folder / ".claude" / "memory"


def edges(project: Recollect) -> list[tuple[str, str, str]]:
    return [
        (edge.source.removeprefix("mem:"), edge.type.value, edge.target.removeprefix("mem:"))
        for edge in project.graphs.edges()
    ]


@requirement("records:validity:moment")
def test_a_memory_in_the_graph_is_valid_while_it_holds() -> None:
    db = index_file.memory()
    SqliteIndexWriter(db).fill(
        [doc("until", day=1, valid_to=day(5)), doc("from", day=1, valid_from=day(5))]
    )

    def valid(number: int) -> dict[str, bool]:
        return {node.id: node.valid for node in SqliteEdges(db).nodes(day(number))}

    assert valid(4) == {"mem:from": False, "mem:until": True}
    assert valid(5) == {"mem:from": True, "mem:until": False}


def rows(project: Recollect) -> list[tuple[object, ...]]:
    """Everything that the index keeps of the links, in an order of its own."""
    project.finder.index.update()
    db = embedded(project.finder.index).connection
    sql = "SELECT source, type, target, evidence, priority FROM edge ORDER BY 1, 2, 3, 4"
    return db.execute(sql).fetchall()


@requirement("graph:mirror:follows")
def test_links_follow_the_files_as_they_change(root: Path, project: Recollect) -> None:
    put(root, "a", ("caused", "mem:b"), ("supports", "skill:deploy"))
    path = put(root, "b", ("derived_from", "c"))
    assert edges(project) == [
        ("a", "caused", "b"),
        ("a", "supports", "skill:deploy"),
        ("b", "derived_from", "c"),
    ]

    put(root, "a", ("enabled", "mem:b"))
    path.unlink()

    assert edges(project) == [("a", "enabled", "b")]
    assert project.graphs.edges() == [Edge(u("a"), LinkType.ENABLED, u("b"), "a says")]


def test_a_rebuilt_index_holds_the_same_links_to_the_byte(
    root: Path, project: Recollect, reopen: Callable[[], Recollect]
) -> None:
    """Whatever the order in which the files came and changed."""
    for number in range(12):
        put(root, f"m{number % 7}", ("caused", f"m{number}"), ("supports", f"m{number // 2}"))
        project.graphs.edges()
    (root / "decisions" / "m3.json").unlink()
    before = rows(project), list(project.graphs.edges()), list(project.graphs.near([u("m1")]))

    shutil.rmtree(root / ".recollect")
    again = reopen()

    assert (rows(again), list(again.graphs.edges()), list(again.graphs.near([u("m1")]))) == before


def test_a_link_told_twice_is_there_once_with_its_evidence(root: Path, project: Recollect) -> None:
    path = root / "decisions" / "a.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    told = [
        {"type": "caused", "target": "mem:b"},
        {"type": "caused", "target": "b", "evidence": "seen"},
        {"type": "caused", "target": "b", "evidence": "other"},
    ]
    path.write_bytes(render(document(id="a", links=told)))

    assert project.graphs.edges() == [Edge(u("a"), LinkType.CAUSED, u("b"), "seen")]


def test_loops_and_loose_ends_are_kept_as_they_are_told(root: Path, project: Recollect) -> None:
    put(root, "a", ("caused", "a"), ("caused", "nobody"))

    assert edges(project) == [("a", "caused", "a"), ("a", "caused", "nobody")]


def test_a_target_in_capitals_is_no_id_and_its_file_no_memory(root: Path, project: Recollect) -> None:
    """Two spellings of one id would be two nodes; `doctor` names the file."""
    put(root, "b")
    put(root, "a", ("caused", "mem:B"))

    assert edges(project) == []
    assert [broken.reason for broken in project.memories.scan().broken if "'B'" in broken.reason]


def test_links_of_a_users_memory_count_until_the_project_has_one_of_that_id(
    root: Path, project: Recollect
) -> None:
    own = project.user_space.store.root
    put(own.path, "same", ("caused", "mine"))
    assert edges(project) == [("same", "caused", "mine")]

    put(root, "same", ("caused", "ours"))

    assert edges(project) == [("same", "caused", "ours")]
    assert [edge.target for edge in project.graphs.near([u("same")])] == [u("ours")]


@requirement("graph:mirror:two-hops")
def test_around_reads_the_links_within_so_many_hops_nearest_first() -> None:
    found = web("a caused b\nc caused b\nc caused d\nd caused e")

    assert [(e.source, e.target) for e in found.around([u("a")], 1)] == [(u("a"), u("b"))]
    assert [(e.source, e.target) for e in found.around([u("a")], 2)] == [
        (u("a"), u("b")),
        (u("c"), u("b")),
    ]
    assert len(found.around([u("a")], 3)) == 3
    assert found.around([], 2) == found.around([u("a")], 0) == []


@requirement("graph:mirror:two-hops")
def test_of_a_hub_some_links_of_each_type_and_direction_are_read() -> None:
    many = [("hub", "caused", f"m{number:04}") for number in range(500)]
    found = web([*many, ("hub", "supports", "rare"), ("reason", "caused", "hub")])

    near = found.around([u("hub")], 1, fan=3)

    assert [(edge.source, edge.target) for edge in near] == [
        (u("hub"), u("m0000")),
        (u("hub"), u("m0001")),
        (u("hub"), u("m0002")),
        (u("hub"), u("rare")),
        (u("reason"), u("hub")),
    ]


def test_active_leaves_out_the_retired_the_archived_and_the_missing() -> None:
    found = web("a caused b\nc caused d", b="retired", c="archived", d="gone")

    assert found.active([u(name) for name in "abcd"]) == {u("a")}


def test_a_corrupt_index_is_replaced_and_the_links_are_there(
    root: Path, project: Recollect, reopen: Callable[[], Recollect]
) -> None:
    put(root, "a", ("caused", "b"))
    edges(project)
    project.finder.index.close()
    (root / ".recollect" / "index.db").write_bytes(b"no database" * 500)

    assert edges(reopen()) == [("a", "caused", "b")]
