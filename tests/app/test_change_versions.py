"""What a page is told to ask for again: the topics of what changed, and nothing when somebody only reads."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.server.conftest import save

from recollect.app import change_versions
from recollect.app.change_versions import TOPICS, ChangeVersions, Topic
from recollect.app.gateway import open_gateway
from recollect.app.opening import open_project
from recollect.app.project import Recollect
from recollect.app.run_store import open_run_store
from recollect.retrieval.request import Request


@pytest.fixture
def versions(folder: Path, env: dict[str, str]) -> ChangeVersions:
    return ChangeVersions(open_gateway(env), folder)


def changed(versions: ChangeVersions, before: Mapping[Topic, object]) -> set[str]:
    now = versions.read()
    return {topic for topic in TOPICS if now[topic] != before[topic]}


def test_a_new_memory_changes_memories_and_review(project: Recollect, versions: ChangeVersions) -> None:
    before = versions.read()
    save(project, "Sign a token at login")

    assert changed(versions, before) == {"memories", "review"}


def test_reading_changes_nothing(
    project: Recollect, versions: ChangeVersions, folder: Path, env: dict[str, str]
) -> None:
    """Otherwise a page that asks again because of a change would never stop asking."""
    save(project, "Sign a token at login")
    store = open_run_store(open_gateway(env), folder)
    store.grant("a:b", {}, 1, 5, "test")
    project.find(Request("token"))
    before = versions.read()

    store.journal.runs(10)
    project.sessions.injections(10)
    project.sessions.view()
    project.sessions.drafts.all()
    project.find(Request("token"))
    open_run_store(open_gateway(env), folder).journal.runs(10)

    assert changed(versions, before) == set()


def test_a_memory_that_is_edited_in_place_is_noticed_by_the_next_look_at_all_files(
    project: Recollect, versions: ChangeVersions, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(project, "Sign a token at login")
    [file] = project.root.glob("*/*.json")
    before = versions.read()
    os.utime(file, ns=(file.stat().st_mtime_ns + 1_000, file.stat().st_mtime_ns + 1_000))
    soon = changed(versions, before)
    monkeypatch.setattr(change_versions, "_WALK_EVERY", 0.0)
    later = changed(versions, before)

    assert (soon, later) == (set(), {"memories", "review"})


def test_a_project_that_is_edited_in_place_is_searched_as_it_was_for_a_while(
    project: Recollect, folder: Path, env: dict[str, str]
) -> None:
    """A page searches with every key; looking at ten thousand files each time would take longer."""
    save(project, "Sign a token at login")
    [file] = project.root.glob("*/*.json")
    patient = open_project(folder, env=env, files=lambda: "unchanged")
    words = Request("zebra")
    for path in (file, *project.root.iterdir()):
        os.utime(path, (1_000_000_000, 1_000_000_000))  # a folder that just changed is read anyway
    patient.find(words)
    file.write_text(file.read_text("utf-8").replace("Sign a token", "Paint a zebra"), "utf-8")

    assert [len(each.find(words).answer.hits) for each in (patient, project)] == [0, 1]
    save(project, "Feed the zebra")
    assert len(patient.find(words).answer.hits) == 2


def test_a_file_that_is_overwritten_in_place_with_an_older_one_is_searched_after_the_next_look(
    project: Recollect,
    versions: ChangeVersions,
    folder: Path,
    env: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A copy that keeps its time (`cp -p`) is older than what it replaces."""
    save(project, "Sign a token at login")
    [file] = project.root.glob("*/*.json")
    for path in (file, *project.root.iterdir()):
        os.utime(path, (1_000_000_000, 1_000_000_000))  # a folder that just changed is read anyway
    watched, words = open_project(folder, env=env, files=versions.files), Request("zebra")
    watched.find(words)
    file.write_text(file.read_text("utf-8").replace("Sign a token", "Paint a zebra"), "utf-8")
    os.utime(file, (900_000_000, 900_000_000))
    soon = len(watched.find(words).answer.hits)
    monkeypatch.setattr(change_versions, "_WALK_EVERY", 0.0)

    assert (soon, len(watched.find(words).answer.hits)) == (0, 1)


def test_a_file_that_was_just_written_has_another_version_at_the_next_look(
    project: Recollect, versions: ChangeVersions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may change again within one step of the file system's clock, without another time or size."""
    save(project, "Sign a token at login")
    monkeypatch.setattr(change_versions, "_WALK_EVERY", 0.0)
    fresh = [versions.files() for _ in range(2)]
    for path in project.root.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    settled = [versions.files() for _ in range(2)]

    assert fresh[0] != fresh[1]
    assert settled[0] == settled[1]
