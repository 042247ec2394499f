"""Review over the API of the page: what waits, what each act does, and that it can be taken back."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.conftest import Wall
from tests.requirements import requirement
from tests.server.conftest import save
from tests.web.conftest import CHANGE

from recollect.app.project import Recollect
from recollect.ids import UnifiedId
from recollect.paths import STATE_NAME
from recollect.records.categories import Category
from recollect.records.record import Link, LinkType
from recollect.redaction.redact import redact
from recollect.storage.sqlite.state import StateDatabase
from recollect.working.session_state import Injection
from recollect.working.statement_draft import Evidence, draft_statements

RUNBOOK = {
    "category": "runbook",
    "title": "Restart the worker",
    "tags": ["queue", "worker"],
    "source": {"kind": "tool", "session": "s-1"},
    "content": {
        "trigger": "The queue stops.",
        "steps": ["Restart it.", "Look at the dead letters."],
        "verification": "The queue drains.",
    },
}


def waiting(browser: TestClient, kind: str = "") -> list[dict[str, Any]]:
    items = browser.get("/api/review").json()["items"]
    return [item for item in items if not kind or item["kind"] == kind]


def act(browser: TestClient, item: dict[str, Any], act: str, **more: Any) -> Any:
    body = {"kind": item["kind"], "id": item["id"], "act": act, **more}
    return browser.post("/api/review", json=body, headers=CHANGE)


def undo(browser: TestClient, kind: str, data: Any) -> Any:
    return browser.post("/api/review/undo", json={"kind": kind, "undo": data}, headers=CHANGE)


@pytest.fixture
def draft(project: Recollect) -> str:
    project.prepare_state_folder()
    return project.sessions.drafts.put("restart", dict(RUNBOOK))


@requirement("page:review:drafts")
def test_a_draft_is_edited_saved_and_both_are_undone(
    project: Recollect, browser: TestClient, draft: str
) -> None:
    [item] = waiting(browser, "draft")
    edited = act(browser, item, "edit", fields={"title": "Restart the queue's worker"}).json()
    [item] = waiting(browser, "draft")
    assert item["title"] == "Restart the queue's worker"

    out = act(browser, item, "keep").json()

    assert waiting(browser, "draft") == []
    memory = project.get("restart-the-queue-s-worker").memory
    assert memory.source["kind"] == "user"
    assert undo(browser, "draft", out["undo"]).status_code == 200
    assert not project.memories.has(memory.id)
    assert undo(browser, "draft", edited["undo"]).status_code == 200
    assert [item["title"] for item in waiting(browser, "draft")] == ["Restart the worker"]


def test_an_undo_does_not_take_away_what_changed_since(
    project: Recollect, browser: TestClient, draft: str
) -> None:
    [item] = waiting(browser, "draft")
    out = act(browser, item, "keep").json()
    project.memories.edit("restart-the-worker", lambda _: {"tags": ["other"]}, "Edited since")

    assert undo(browser, "draft", out["undo"]).status_code == 409
    assert project.get("restart-the-worker").memory.tags == ("other",)


@requirement("page:review:drafts")
def test_a_draft_is_merged_into_a_memory_of_its_kind_or_dropped(
    project: Recollect, browser: TestClient, draft: str
) -> None:
    target = save(project, "Mend the queue", Category.RUNBOOK)
    other = save(project, "Sign a token")
    before = project.get(target).memory
    [item] = waiting(browser, "draft")

    assert act(browser, item, "merge", target=other).status_code == 409
    merged = act(browser, item, "merge", target=target).json()

    memory = project.get(target).memory
    assert memory.content["steps"] == [
        "Restart the worker.",
        "Look at the dead letters.",
        "Restart it.",
    ]
    assert memory.content["trigger"] == before.content["trigger"]
    assert set(memory.tags) == {*before.tags, "queue", "worker"}
    undo(browser, "draft", merged["undo"])
    assert project.get(target).memory.content == before.content
    [item] = waiting(browser, "draft")
    dropped = act(browser, item, "drop").json()
    assert waiting(browser, "draft") == []
    undo(browser, "draft", dropped["undo"])
    assert len(waiting(browser, "draft")) == 1


@requirement("page:review:memories")
def test_a_memory_whose_code_changed_is_anchored_again_or_retired(
    folder: Path, project: Recollect, browser: TestClient
) -> None:
    (folder / "a.py").write_text("one\n")
    (folder / "b.py").write_text("two\n")
    anchors = [project.worktree.anchor(name, folder) for name in ("a.py", "b.py")]
    id = save(project, "Sign a token", anchors=anchors)
    (folder / "a.py").write_text("another\n")
    (folder / "b.py").unlink()
    [item] = waiting(browser, "drift")
    assert item["details"] == ["a.py: drifted", "b.py: orphaned"]

    out = act(browser, item, "keep").json()

    assert [anchor.path for anchor in project.get(id).memory.anchors] == ["a.py"]
    assert waiting(browser, "drift") == []
    undo(browser, "drift", out["undo"])
    [item] = waiting(browser, "drift")
    retired = act(browser, item, "drop").json()
    assert project.get(id).memory.status == "retired"
    undo(browser, "drift", retired["undo"])
    assert project.get(id).memory.status == "active"


@requirement("page:review:memories")
def test_of_two_that_contradict_each_other_both_stay_or_the_older_goes(
    project: Recollect, browser: TestClient, wall: Wall
) -> None:
    older = save(project, "Sign a token")
    wall.move(days=1)
    newer = save(project, "Use opaque sessions")
    project.memories.link(older, Link(LinkType.CONTRADICTS, UnifiedId(f"mem:{newer}")))
    [item] = waiting(browser, "contradiction")

    both = act(browser, item, "keep").json()
    assert waiting(browser, "contradiction") == []
    undo(browser, "contradiction", both["undo"])
    [item] = waiting(browser, "contradiction")
    act(browser, item, "drop")

    assert project.get(older).memory.status == "retired"
    assert project.get(newer).memory.status == "active"
    assert waiting(browser, "contradiction") == []


@requirement("page:review:memories")
def test_a_memory_that_no_prompt_used_waits_until_somebody_wants_it(
    project: Recollect, browser: TestClient
) -> None:
    id = save(project, "Sign a token")
    project.prepare_state_folder()
    database = StateDatabase(str(project.state_folder / STATE_NAME))
    rows = [
        Injection(f"s{number}", UnifiedId(f"mem:{id}"), "2026-11-14T10:00:00Z", 0.9)
        for number in range(5)
    ]
    database.injections.save(rows)
    database.close()
    [item] = waiting(browser, "unused")

    act(browser, item, "keep")
    assert waiting(browser, "unused") == []
    project.memories.edit(id, lambda _: {"title": "Sign each token"}, "Changed title")
    assert [item["title"] for item in waiting(browser, "unused")] == ["Sign each token"]


@requirement("page:review:links")
def test_a_suggested_link_is_added_or_suggested_no_more(
    project: Recollect, browser: TestClient
) -> None:
    save(project, "Sign a token")
    reason = "We do it because of sign-a-token, whose keys are old."
    save(project, "Rotate the keys", content={"context": reason})
    [item, *_] = waiting(browser, "link")

    added = act(browser, item, "keep").json()
    assert waiting(browser, "link") == []
    undo(browser, "link", added["undo"])
    [item, *_] = waiting(browser, "link")
    dropped = act(browser, item, "drop").json()
    assert waiting(browser, "link") == []
    undo(browser, "link", dropped["undo"])
    assert waiting(browser, "link")


def test_what_is_seen_no_more_is_in_a_private_file(project: Recollect, browser: TestClient) -> None:
    older, newer = save(project, "Sign a token"), save(project, "Use opaque sessions")
    project.memories.link(older, Link(LinkType.CONTRADICTS, UnifiedId(f"mem:{newer}")))
    [item] = waiting(browser, "contradiction")
    act(browser, item, "keep")

    file = project.state_folder / "review.json"
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"kind": "draft", "id": "none", "act": "drop"}, 404),
        ({"kind": "nothing", "id": "x", "act": "drop"}, 404),
        ({"kind": "draft", "id": "restart", "act": "burn"}, 400),
        ({"kind": "draft", "id": "restart", "act": "edit", "fields": {"source": {}}}, 400),
        ({"kind": "draft", "id": "restart", "act": "merge", "target": "nowhere"}, 404),
    ],
)
def test_a_decision_about_nothing_is_refused(
    browser: TestClient, draft: str, body: dict[str, Any], code: int
) -> None:
    assert browser.post("/api/review", json=body, headers=CHANGE).status_code == code
    assert len(waiting(browser, "draft")) == 1


@pytest.mark.parametrize("kind", ["draft", "tool", "drift", "contradiction", "unused", "link"])
@pytest.mark.parametrize("data", [{}, {"id": 1}, {"restore": []}, {"draft": "x"}])
def test_an_undo_that_no_act_gave_is_refused(browser: TestClient, kind: str, data: Any) -> None:
    assert undo(browser, kind, data).status_code == 400


@requirement("page:review:statements")
def test_a_statement_says_where_it_was_said_and_is_edited_kept_dropped_and_undone(
    project: Recollect, browser: TestClient
) -> None:
    project.prepare_state_folder()
    evidence = Evidence("s-1", "2026-01-01T00:00:00Z", 4, "/t.jsonl", 17)
    rule = "We never mock the database, because the mocks drifted."
    draft_statements(rule, evidence, project.sessions.drafts, redact, lambda _: False)
    assert waiting(browser, "draft") == []
    [item] = waiting(browser, "statement")
    assert item["reason"] == "said once; it would become a constraint"
    assert item["details"][0] == f"\u201c{rule}\u201d (session s-1, turn 4, line 17)"

    edited = act(browser, item, "edit", fields={"title": "Never mock the database"}).json()
    [item] = waiting(browser, "statement")
    out = act(browser, item, "keep").json()
    assert waiting(browser, "statement") == []
    memory = project.get("never-mock-the-database").memory
    assert memory.source == {"kind": "user", "session": "s-1", "turn": 4, "line": 17}
    assert memory.content["rule"] == rule

    assert undo(browser, "statement", out["undo"]).status_code == 200
    assert not project.memories.has(memory.id)
    assert undo(browser, "statement", edited["undo"]).status_code == 200
    [item] = waiting(browser, "statement")
    dropped = act(browser, item, "drop").json()
    assert waiting(browser, "statement") == []
    undo(browser, "statement", dropped["undo"])
    assert [each["title"] for each in waiting(browser, "statement")] == [item["title"]]


def test_a_statement_is_merged_into_a_memory_of_its_kind(
    project: Recollect, browser: TestClient
) -> None:
    project.prepare_state_folder()
    rule = "We never mock the database, because the mocks drifted."
    draft_statements(rule, Evidence("s-1"), project.sessions.drafts, redact, lambda _: False)
    [item] = waiting(browser, "statement")
    save(project, "Tests use PostgreSQL", Category.CONSTRAINT, tags=["tests"])

    out = act(browser, item, "merge", target="tests-use-postgresql").json()

    assert waiting(browser, "statement") == []
    assert "database" in project.get("tests-use-postgresql").memory.tags
    assert undo(browser, "statement", out["undo"]).status_code == 200
    assert waiting(browser, "statement") == [item]
