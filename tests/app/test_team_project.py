"""One story on both engines: save, search, list, explain, retire, and the prompt that gets a memory."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Wall
from tests.hook.conftest import Harness
from tests.postgres import Server
from tests.requirements import requirement
from tests.samples import document, draft

from recollect.app.memory_history import revision_texts, revisions
from recollect.app.opening import open_project, open_user
from recollect.app.project import Recollect
from recollect.app.review.pins import PinReview
from recollect.app.review.source import ReviewDecision
from recollect.errors import ConflictError, DatabaseError, MemoryNotFoundError
from recollect.ids import UnifiedId
from recollect.records.categories import Category
from recollect.records.json_format import render
from recollect.records.memories import Repeats, Saved
from recollect.records.record import Link, LinkType, Memory
from recollect.retrieval.index import Filters
from recollect.retrieval.request import Request


@pytest.fixture(params=["files", "postgres"])
def engine_env(request: pytest.FixtureRequest, env: dict[str, str]) -> dict[str, str]:
    """An environment whose memories are in files, or in a database."""
    if request.param == "files":
        return env
    server: Server = request.getfixturevalue("postgres_server")
    return {**env, "RECOLLECT_DATABASE": server.url("tests")}


@pytest.fixture
def team_env(env: dict[str, str], postgres_server: Server) -> dict[str, str]:
    return {**env, "RECOLLECT_DATABASE": postgres_server.url("tests")}


@pytest.fixture
def opened(folder: Path, engine_env: dict[str, str], wall: Wall) -> Recollect:
    return open_project(folder, env=engine_env, clock=wall)


@pytest.fixture
def team(folder: Path, team_env: dict[str, str], wall: Wall) -> Callable[[], Recollect]:
    """The project in the database, opened as often as wanted."""
    return lambda: open_project(folder, env=team_env, clock=wall)


def save(recollect: Recollect, title: str, category: Category = Category.DECISION) -> str:
    saved = recollect.memories.save(draft(title, category), allow_repeat=True)
    assert isinstance(saved, Saved)
    return saved.stored.memory.id


def ids(recollect: Recollect, text: str) -> list[str]:
    hits = recollect.find(Request(text, session="")).answer.hits
    return [hit.document.id.removeprefix("mem:") for hit in hits]


def quiet(_done: int, _of: int) -> None:
    """Progress that nobody looks at."""


@requirement("team:postgres:stories")
def test_what_is_saved_is_found_listed_shown_and_explained(opened: Recollect) -> None:
    jwt, cookie = save(opened, "Sign a JWT at login"), save(opened, "Store sessions in a cookie")
    opened.memories.link(jwt, Link(LinkType.DERIVED_FROM, UnifiedId(f"mem:{cookie}"), "load tests"))

    assert ids(opened, "jwt login")[0] == jwt
    assert opened.get(jwt).memory.title == "Sign a JWT at login"
    listing = opened.listing(Filters(), (), quiet)
    assert {each.id for each in listing.page.documents} == {f"mem:{jwt}", f"mem:{cookie}"}
    assert [step.edge.target for step in opened.graphs.why("jwt login").why.steps] == [f"mem:{cookie}"]
    assert opened.memory_count == 2
    assert jwt in opened.inventory


def test_a_repeated_memory_is_offered_as_an_update(opened: Recollect) -> None:
    jwt = save(opened, "Sign a JWT at login")

    repeats = opened.memories.save(draft("Sign a JWT at login"))

    assert isinstance(repeats, Repeats)
    assert repeats.existing.memory.id == jwt


def test_what_is_superseded_or_retired_is_no_longer_in_force(opened: Recollect) -> None:
    old, new = save(opened, "Store sessions in a cookie"), save(opened, "Sign a JWT at login")
    opened.memories.link(new, Link(LinkType.SUPERSEDES, UnifiedId(f"mem:{old}")))
    gone = save(opened, "Hash with bcrypt")
    opened.memories.retire(gone, "argon2 now")

    in_force = opened.search.browse(opened.in_force, quiet)[0]

    assert {document.id for document in in_force} == {f"mem:{new}"}
    assert not opened.force(opened.get(old).memory).is_in_force(opened.now)


@requirement("team:postgres:sessions")
def test_a_pin_that_nobody_confirmed_for_long_waits_for_review(opened: Recollect, wall: Wall) -> None:
    old, new = save(opened, "Sign a JWT at login"), save(opened, "Hash with bcrypt")
    opened.memories.pin(old)
    wall.move(days=400)
    opened.memories.pin(new)
    pins = PinReview(opened)

    [item] = pins.items()

    assert (item.id, pins.find(old), pins.find(new)) == (old, item, None)
    pins.act(item, ReviewDecision("drop"))
    assert (pins.items(), pins.find(old)) == ([], None)


def test_the_doctor_finds_nothing_wrong_that_is_about_memories(opened: Recollect) -> None:
    save(opened, "Sign a JWT at login")

    (examination, *_) = opened.upkeep.examine()

    assert examination.count == 1
    assert [each for each in examination.findings if each.level == "error"] == []


def test_a_prompt_gets_the_memory_without_asking_the_database(
    opened: Recollect, folder: Path, engine_env: dict[str, str]
) -> None:
    """The hook reads this machine's copy: the address of the database leads nowhere for it."""
    save(opened, "Sign a JWT at login")
    for number in range(3):
        save(opened, f"Rotate log file number {number}", Category.RUNBOOK)
    nowhere = {name: "postgresql://nowhere.invalid/x" for name in engine_env if "DATABASE" in name}

    context = Harness(folder, {**engine_env, **nowhere}).prompt("how do we sign the JWT at login?")

    assert "Sign a JWT at login" in context
    path = context.partition(" -> ")[2].partition(" #")[0]
    assert (folder / path).is_file(), "what is shown can be opened"


def test_another_machine_sees_what_was_saved_and_who_changed_it(
    team: Callable[[], Recollect], tmp_path: Path, team_env: dict[str, str], wall: Wall
) -> None:
    ours = team()
    jwt = save(ours, "Sign a JWT at login")
    elsewhere = tmp_path / "clone"
    (elsewhere / ".claude" / "memory").mkdir(parents=True)
    name = (ours.root / "project-id").read_text()
    (elsewhere / ".claude" / "memory" / "project-id").write_text(name)
    theirs = open_project(elsewhere, env=team_env, clock=wall)

    assert ids(theirs, "jwt login") == [jwt]
    theirs.memories.edit(jwt, lambda _: {"title": "Sign a JWT at each login"}, "more exact")

    assert ids(ours, "each login") == [jwt]
    assert ours.get(jwt).memory.title == "Sign a JWT at each login"
    changed, created = revisions(ours, ours.get(jwt).memory)
    assert (changed.summary, created.summary) == ("changed", "created")
    texts = revision_texts(ours, ours.get(jwt).memory, changed.name)
    assert "at each login" not in texts.before
    assert "at each login" in texts.after
    copies = [each / ".claude/memory/.recollect/team/decisions" for each in (ours.folder, elsewhere)]
    ours.search.update_index()
    assert [(copy / f"{jwt}.json").read_text() for copy in copies] == [texts.after] * 2


def test_what_a_colleague_deleted_leaves_this_machine_too(team: Callable[[], Recollect]) -> None:
    ours, theirs = team(), team()
    jwt = save(ours, "Sign a JWT at login")
    copy = ours.root / ".recollect" / "team" / "decisions" / f"{jwt}.json"
    assert copy.is_file()

    store = theirs.memories.store
    store.delete(store.load(theirs.get(jwt).memory.id))
    ours.search.update_index()

    assert not copy.exists()
    with pytest.raises(MemoryNotFoundError):
        ours.get(jwt)


def test_a_copy_that_somebody_damaged_is_repaired(team: Callable[[], Recollect]) -> None:
    recollect = team()
    jwt = save(recollect, "Sign a JWT at login")
    copy = recollect.root / ".recollect" / "team" / "decisions" / f"{jwt}.json"
    before = copy.read_bytes()
    copy.write_bytes(b"damaged")
    (copy.parent / "stray.json").write_bytes(b"{}")

    recollect.upkeep.check_index()

    assert copy.read_bytes() == before
    assert not (copy.parent / "stray.json").exists()


def test_the_version_that_lost_a_race_is_kept_on_this_machine(team: Callable[[], Recollect]) -> None:
    recollect = team()
    id = save(recollect, "Sign a JWT at login")
    store, old = recollect.memories.store, recollect.get(id)
    store.replace(old, old.memory.with_fields({"title": "Winner"}))

    with pytest.raises(ConflictError) as caught:
        store.replace(old, old.memory.with_fields({"title": "Loser"}))

    assert caught.value.kept_at is not None
    assert "Loser" in (recollect.folder / caught.value.kept_at).read_text()


def test_the_users_own_memories_stay_on_this_machine_and_are_found_too(
    team: Callable[[], Recollect], team_env: dict[str, str], wall: Wall
) -> None:
    recollect = team()
    project = save(recollect, "Sign a JWT at login")
    own = recollect.memories_to_write(user=True).save(draft("Prefer JWT examples in Rust"))
    assert isinstance(own, Saved)
    recollect = team()

    assert set(ids(recollect, "jwt")) == {project, own.stored.memory.id}
    assert recollect.memories.store.taken() == {project}
    listing = open_user(env=team_env, clock=wall).listing(Filters(), (), quiet)
    assert [each.title for each in listing.page.documents] == ["Prefer JWT examples in Rust"]


def test_a_project_keeps_its_name_when_it_gets_a_remote(
    team: Callable[[], Recollect], folder: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    id = save(team(), "Sign a JWT at login")
    subprocess.run(
        ["git", "-C", str(folder), "remote", "add", "origin", "https://example.org/x"], check=True
    )

    assert team().get(id).memory.title == "Sign a JWT at login"


def test_a_database_that_does_not_answer_is_an_error_with_the_reason(
    folder: Path, env: dict[str, str], tmp_path: Path
) -> None:
    address = f"postgresql://ada:hunter2@/team?host={tmp_path}&connect_timeout=1"

    with pytest.raises(DatabaseError, match="check that it is running") as raised:
        open_project(folder, env={**env, "RECOLLECT_DATABASE": address})

    assert "hunter2" not in str(raised.value)


def test_a_repository_cannot_say_where_memories_are_sent(
    folder: Path, env: dict[str, str], wall: Wall
) -> None:
    (folder / ".claude" / "memory" / "memory-config.json").write_text(
        '{"database": "postgresql://evil.invalid/x"}'
    )

    recollect = open_project(folder, env=env, clock=wall)

    assert recollect.team is None
    assert recollect.config.database == ""


def test_memories_with_any_text_come_back_as_they_were(team: Callable[[], Recollect]) -> None:
    store = team().memories.store
    stored = store.create(
        Memory.parse(document(id="x", title="NUL \u0000 and \ue000 '; DROP TABLE memory"))
    )

    assert store.load(stored.memory.id) == stored


@requirement("team:postgres:lossless")
def test_a_copy_whose_writer_was_killed_changes_nothing_in_the_database(
    team: Callable[[], Recollect],
) -> None:
    """What a memory brings about is in its own transaction, so recovery of a copy has no part in it."""
    stores = team().team
    assert stores is not None
    links = [{"type": "supersedes", "target": "mem:old"}]
    files = {
        "decisions/old.json": render(document(id="old")),
        "decisions/new.json": render(document(id="new", links=links)),
    }
    stores.memories.apply(files)
    (stores.space.store.root.state / "writing").touch()

    assert team().team is not None

    assert dict(stores.memories.raw_files()) == files
    assert not (stores.space.store.root.state / "unsettled").exists()
