"""A session on both engines: hooks record it on this machine, and commands, pages and colleagues see it."""

from pathlib import Path

import pytest
from tests.hook.sessions import FAILING, PASSING, PYTEST, Sessions
from tests.requirements import requirement

from recollect.app.opening import open_project
from recollect.app.review.memory_acts import dismissals
from recollect.records.memories import Saved


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, env: dict[str, str]) -> dict[str, str]:
    if request.param == "sqlite":
        return env
    return env | {"RECOLLECT_DATABASE": request.getfixturevalue("postgres_server").url("tests")}


@pytest.fixture
def hooks(folder: Path, settings: dict[str, str]) -> Sessions:
    return Sessions(folder, settings)


@requirement("team:postgres:sessions")
def test_working_memory_of_a_session_is_shown_and_follows_what_happens(
    hooks: Sessions, folder: Path, settings: dict[str, str]
) -> None:
    hooks.prompt("Rename the login column.")
    hooks.tool("Bash", PYTEST, FAILING)
    hooks.edit("src/login.py")
    recorded = hooks.contents()
    before = open_project(folder, env=settings).sessions.view()
    hooks.tool("Bash", PYTEST, PASSING)

    after = open_project(folder, env=settings).sessions.view("s1")

    assert before is not None
    assert after is not None
    assert [item.content for item, _ in before.memory.ranked()] == recorded
    assert [item.content for item, _ in after.memory.ranked()] == hooks.contents()
    assert [(left.content, left.reason) for left in after.left] == [(recorded[0], "resolved")]
    activity = open_project(folder, env=settings).sessions.activity("s1")
    assert [action.text for action in activity.actions if action.kind == "edit"] == ["src/login.py"]


@requirement("team:postgres:sessions")
def test_the_draft_of_a_session_is_reviewed_kept_and_known_to_its_hooks(
    hooks: Sessions, folder: Path, settings: dict[str, str]
) -> None:
    hooks.prompt("Rename the login column.")
    hooks.edit("src/login.py")
    hooks.close()
    project = open_project(folder, env=settings)
    [draft] = project.sessions.drafts.all()

    kept = project.sessions.keep(draft.name)

    assert isinstance(kept, Saved)
    again = open_project(folder, env=settings)
    assert again.sessions.drafts.all() == []
    assert again.sessions.summary_of("s1") == kept.stored.memory.id
    assert again.get(kept.stored.memory.id).memory.title == kept.stored.memory.title


@requirement("team:postgres:sessions")
def test_what_a_person_dismissed_stays_dismissed(folder: Path, settings: dict[str, str]) -> None:
    dismissals(open_project(folder, env=settings)).add("unused mem:a")

    assert dismissals(open_project(folder, env=settings)).all() == {"unused mem:a"}
