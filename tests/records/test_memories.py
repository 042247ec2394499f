"""The verbs, over the real store of files."""

from pathlib import Path

import pytest
from tests.conftest import Wall
from tests.records.test_record import OLD_PREFERENCE
from tests.requirements import requirement
from tests.samples import draft

from recollect.app.project import Recollect
from recollect.errors import (
    ConflictError,
    InvalidMemoryError,
    MemoryNotFoundError,
    RefusedError,
)
from recollect.ids import parse_unified
from recollect.records.categories import Category
from recollect.records.json_format import render
from recollect.records.memories import Memories, Repeats, Saved
from recollect.records.record import Link, LinkType, Status

SECRET = "AKIA" + "Q7MZ2XK4WPLR9TVB"
SUPERSEDES = LinkType.SUPERSEDES


@pytest.fixture
def memories(project: Recollect) -> Memories:
    return project.memories


def save(memories: Memories, title: str, number: int = 0, **fields: object) -> Saved:
    """Save a decision that no other one is like, told apart by a number."""
    content = {"decision": f"Take road {number} of {title!r}."}
    saved = memories.save(draft(title, content=content, **fields))  # type: ignore[arg-type]
    assert isinstance(saved, Saved)
    return saved


def session(memories: Memories, number: int) -> Saved:
    saved = memories.save(
        draft(f"Session {number}", Category.SESSION_SUMMARY, content={"goal": f"Reach {number}."})
    )
    assert isinstance(saved, Saved)
    return saved


def supersedes(target: str) -> list[dict[str, str]]:
    return [{"type": "supersedes", "target": f"mem:{target}"}]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.json")}


def test_a_saved_memory_is_a_file_named_by_its_id(memories: Memories, folder: Path) -> None:
    saved = save(memories, "Sign a JWT at login")

    assert saved.action == "created"
    assert saved.stored.path == ".claude/memory/decisions/sign-a-jwt-at-login.json"
    data = (folder / saved.stored.path).read_bytes()
    assert data == render(saved.stored.memory.document)


def test_the_path_taken_by_another_title_is_not_taken_twice(memories: Memories) -> None:
    save(memories, "Naïve", 1)

    assert save(memories, "Naive", 2).stored.memory.id == "naive-2"


def test_an_id_that_is_taken_is_refused_with_what_to_do(memories: Memories) -> None:
    save(memories, "One", 1, id="mine")

    with pytest.raises(RefusedError, match=r"'mine' is in use; `recollect edit mine`"):
        save(memories, "Two", 2, id="mine")


@requirement("records:memories:repeats-offered")
def test_an_exact_repeat_is_handed_back_unwritten(memories: Memories, folder: Path) -> None:
    first = memories.save(draft("Sign a JWT at login"))
    before = files(folder)

    again = memories.save(draft("Sign a JWT at login", tags=["other"]))

    assert isinstance(first, Saved)
    assert isinstance(again, Repeats)
    assert again.exact
    assert again.existing.memory == first.stored.memory
    assert files(folder) == before


def test_a_near_repeat_is_handed_back_with_its_similarity(memories: Memories) -> None:
    memories.save(draft("Sign a JWT at login"))

    again = memories.save(draft("Sign a JWT when logging in", tags=["other"]))

    assert isinstance(again, Repeats)
    assert not again.exact
    assert 0.55 <= again.similarity < 1


def test_a_repeat_is_written_when_it_is_allowed(memories: Memories) -> None:
    memories.save(draft("Sign a JWT at login"))

    again = memories.save(draft("Sign a JWT at login"), allow_repeat=True)

    assert isinstance(again, Saved)
    assert again.stored.memory.id == "sign-a-jwt-at-login-2"


def test_a_memory_may_repeat_the_one_it_supersedes_and_ends_it(memories: Memories) -> None:
    memories.save(draft("Sign a JWT at login"))

    newer = memories.save(draft("Sign a JWT at login", links=supersedes("sign-a-jwt-at-login")))

    assert isinstance(newer, Saved)
    assert newer.superseded == ("sign-a-jwt-at-login",)
    older = memories.get("sign-a-jwt-at-login").memory
    assert older.valid_to == newer.stored.memory.valid_from
    assert older.status is Status.ACTIVE


def test_two_links_that_supersede_one_memory_end_it_once(memories: Memories) -> None:
    save(memories, "Old", 1)
    links = [
        {"type": "supersedes", "target": "mem:old", "evidence": "one"},
        {"type": "supersedes", "target": "mem:old", "evidence": "two"},
    ]

    assert save(memories, "New", 2, links=links).superseded == ("old",)


def test_what_is_superseded_by_two_and_still_open_is_ended_once(
    memories: Memories, folder: Path
) -> None:
    """As a crash, a hand or a merge may leave it."""
    save(memories, "Old", 1)
    for number in (2, 3):
        save(memories, f"New {number}", number, links=supersedes("old"))
    open_again = memories.get("old").memory.with_fields({"valid_to": None})
    (folder / ".claude/memory/decisions/old.json").write_bytes(render(open_again.document))

    assert memories.close_superseded() == ("old",)
    assert memories.get("old").memory.valid_to is not None
    assert memories.close_superseded() == ()


def test_an_old_preference_without_a_reason_can_be_superseded(memories: Memories, folder: Path) -> None:
    place = folder / ".claude/memory/preferences/use-pytest.json"
    place.parent.mkdir()
    place.write_bytes(OLD_PREFERENCE)

    saved = memories.save(draft("Use tox", Category.PREFERENCE, links=supersedes("use-pytest")))

    assert isinstance(saved, Saved)
    assert memories.get("use-pytest").memory.valid_to is not None


def test_a_circle_of_supersession_writes_nothing(memories: Memories, folder: Path) -> None:
    save(memories, "Old", 1)
    save(memories, "New", 2, links=supersedes("old"))
    before = files(folder)

    with pytest.raises(RefusedError, match="would supersede itself"):
        memories.link("old", Link(SUPERSEDES, parse_unified("new")))

    assert files(folder) == before


def test_linking_ends_and_unlinking_reopens(memories: Memories) -> None:
    save(memories, "Old", 1)
    save(memories, "New", 2)

    assert memories.link("new", Link(SUPERSEDES, parse_unified("old"))).superseded == ("old",)
    assert memories.get("old").memory.valid_to is not None

    memories.unlink("new", SUPERSEDES, parse_unified("old"))
    assert memories.get("old").memory.valid_to is None


def test_what_another_still_supersedes_is_not_reopened(memories: Memories) -> None:
    save(memories, "Old", 1)
    save(memories, "New", 2, links=supersedes("old"))
    save(memories, "Newer", 3, links=supersedes("old"))

    memories.unlink("new", SUPERSEDES, parse_unified("old"))

    assert memories.get("old").memory.valid_to is not None


def test_a_link_to_a_memory_that_is_not_there_is_refused_with_a_near_name(memories: Memories) -> None:
    save(memories, "Sign a JWT", 1)
    save(memories, "Other", 2)

    with pytest.raises(MemoryNotFoundError, match="did you mean sign-a-jwt"):
        memories.link("other", Link(LinkType.CAUSED, parse_unified("sign-a-jwd")))


def test_an_edit_that_changes_nothing_writes_nothing(
    memories: Memories, folder: Path, wall: Wall
) -> None:
    saved = save(memories, "Same")
    place = folder / saved.stored.path
    before = (place.read_bytes(), place.stat().st_mtime_ns, place.stat().st_ino)
    wall.move(days=1)

    again = memories.edit("same", lambda old: {"title": "Same", "tags": list(old.tags)}, "Nothing")

    assert again.action == "unchanged"
    assert (place.read_bytes(), place.stat().st_mtime_ns, place.stat().st_ino) == before


def test_an_edit_is_written_noted_and_dated(memories: Memories, wall: Wall) -> None:
    save(memories, "Title")
    wall.move(days=1)

    edited = memories.edit("mem:title", lambda _: {"title": "Another"}, "Renamed")

    assert edited.action == "updated"
    found = memories.get("title").memory
    assert found.title == "Another"
    assert found.rows("changes")[-1]["summary"] == "Renamed"
    assert found.updated_at == wall.now


def test_an_edit_of_a_version_that_is_gone_is_a_conflict_that_names_both(memories: Memories) -> None:
    first = save(memories, "Title").stored
    second = memories.edit("title", lambda _: {"title": "Second"}, "x").stored

    with pytest.raises(ConflictError) as caught:
        memories.edit("title", lambda _: {"title": "Third"}, "x", expect=first.digest[:12])

    assert caught.value.expected.startswith(first.digest[:12])
    assert caught.value.current == second.digest
    memories.edit("title", lambda _: {"title": "Third"}, "x", expect=second.digest[:12])
    assert memories.get("title").memory.title == "Third"


@pytest.mark.parametrize("fields", [{"id": "other"}, {"category": "constraint"}])
def test_an_edit_does_not_move_a_memory(
    memories: Memories, folder: Path, fields: dict[str, str]
) -> None:
    save(memories, "Title")
    before = files(folder)

    with pytest.raises((RefusedError, InvalidMemoryError)):
        memories.edit("title", lambda _: dict(fields), "Moved")

    assert files(folder) == before


def test_an_edit_that_would_break_the_memory_writes_nothing(memories: Memories, folder: Path) -> None:
    save(memories, "Title")
    before = files(folder)

    with pytest.raises(InvalidMemoryError, match="tags"):
        memories.edit("title", lambda _: {"tags": []}, "x")

    assert files(folder) == before


def test_a_secret_in_a_draft_is_not_written_and_is_reported_without_its_value(
    memories: Memories, folder: Path
) -> None:
    saved = memories.save(
        draft(f"Rotate {SECRET}", content={"context": f"key={SECRET}"}, tags=["a", SECRET])
    )

    assert isinstance(saved, Saved)
    assert {found.field for found in saved.redacted} == {"title", "content.context", "tags[1]"}
    assert SECRET not in repr(saved.redacted)
    assert SECRET.lower() not in saved.stored.path.lower()
    assert all(SECRET.encode() not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@requirement("gate:memories:every-verb")
def test_no_verb_writes_a_secret(memories: Memories, folder: Path) -> None:
    save(memories, "One", 1)
    save(memories, "Two", 2)

    memories.edit("one", lambda _: {"title": f"With {SECRET}"}, f"Put {SECRET} in")
    memories.link("one", Link(LinkType.CAUSED, parse_unified("two"), f"says {SECRET}"))
    memories.retire("one", f"leaked {SECRET}")
    memories.restore("one")
    memories.archive("one", f"leaked {SECRET}")

    assert all(SECRET.encode() not in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_gate_that_fails_stops_the_write(memories: Memories, folder: Path) -> None:
    def broken(value: object, field: str = "") -> None:
        raise RuntimeError("no gate")

    memories.gate = broken  # type: ignore[assignment]

    with pytest.raises(RuntimeError):
        memories.save(draft())

    assert files(folder) == {}


def test_the_sixth_session_summary_retires_the_oldest(memories: Memories, wall: Wall) -> None:
    for number in range(5):
        assert session(memories, number).retired == ()
        wall.move(hours=1)

    assert session(memories, 5).retired == ("session-0",)

    assert memories.get("session-0").memory.status is Status.RETIRED
    active = [s for s in memories.scan().stored if s.memory.status is Status.ACTIVE]
    assert len(active) == 5


def test_restoring_a_session_summary_retires_the_oldest_of_the_others(
    memories: Memories, wall: Wall
) -> None:
    for number in range(6):
        session(memories, number)
        wall.move(hours=1)

    assert memories.restore("session-0").retired == ("session-1",)


def test_a_collection_says_what_it_would_do_and_does_it_only_when_told(
    memories: Memories, folder: Path, wall: Wall
) -> None:
    save(memories, "Gone", 1)
    save(memories, "Kept", 2)
    save(memories, "Put away", 3)
    memories.retire("gone", "x")
    memories.archive("put-away", "x")
    session(memories, 1)
    wall.move(days=91)
    before = files(folder)

    plan = memories.collect(apply=False)

    assert files(folder) == before
    assert [expiry.memory.id for expiry in plan.delete] == ["gone"]
    assert [expiry.memory.id for expiry in plan.retire] == ["session-1"]
    assert memories.collect(apply=True) == plan
    assert set(files(folder)) == {"kept.json", "put-away.json", "session-1.json"}
    assert memories.get("session-1").memory.status is Status.RETIRED
    assert memories.collect(apply=True).delete == ()


def test_a_memory_that_was_retired_can_be_restored_until_it_is_collected(
    memories: Memories, wall: Wall
) -> None:
    save(memories, "Back")
    memories.retire("back", "x")
    wall.move(days=29)
    assert memories.collect(apply=True).delete == ()

    memories.restore("back")
    wall.move(days=100)
    assert memories.collect(apply=True).delete == ()
    assert memories.get("back").memory.status is Status.ACTIVE


@pytest.mark.parametrize("id", ["../x", "a/b", "A", "", "a.json", "mem:../../etc/passwd"])
def test_an_id_that_is_no_slug_leads_nowhere(memories: Memories, id: str) -> None:
    with pytest.raises(RefusedError, match="is not a memory id"):
        memories.get(id)


def test_a_broken_file_does_not_stop_a_save_and_keeps_its_id(memories: Memories, folder: Path) -> None:
    place = folder / ".claude/memory/decisions/sign-a-jwt-at-login.json"
    place.parent.mkdir()
    place.write_text("{")

    saved = memories.save(draft("Sign a JWT at login"))

    assert isinstance(saved, Saved)
    assert saved.stored.memory.id == "sign-a-jwt-at-login-2"
    assert place.read_text() == "{"
