"""What is past its category's days is left out of a conversation, and labelled in a search."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import Wall
from tests.hook.conftest import Harness
from tests.requirements import requirement
from tests.samples import draft
from tests.working.test_tool_call import FAILING_CALL

from recollect.app.project import Recollect
from recollect.clock import to_text, utc_now
from recollect.paths import STATE_NAME
from recollect.records.categories import Category
from recollect.records.json_format import Json
from recollect.records.memories import Saved
from recollect.retrieval.request import Request
from recollect.server.context_tool import open_ends
from recollect.server.search_tool import SEARCH
from recollect.storage.sqlite.state import StateDatabase
from recollect.working.recorder import SessionRecorder

LEDGER = "Migrate the ledger to the new shard"
PROMPT = "how do we migrate the ledger to the new shard"
SUMMARY: dict[str, Json] = {
    "goal": f"{LEDGER}.",
    "outcome": "partial",
    "completed": [],
    "next_actions": ["move the ledger of the refunds"],
}
Age = Callable[..., Path]


@pytest.fixture
def saved(project: Recollect, wall: Wall) -> Age:
    """Save a memory that was last changed so many days ago; the path of its file."""
    wall.now = utc_now()  # a hook has no other clock

    def save(days: int, category: Category = Category.SESSION_SUMMARY, **fields: Json) -> Path:
        content = SUMMARY if category is Category.SESSION_SUMMARY else None
        done = project.memories.save(draft(LEDGER, category, content=content, **fields))
        assert isinstance(done, Saved)
        path = project.folder / done.stored.path
        document = json.loads(path.read_text())
        moment = to_text(utc_now() - timedelta(days=days))
        path.write_text(json.dumps(document | {"created_at": moment, "updated_at": moment}))
        return path

    return save


@requirement("retrieval:filters:retention")
@pytest.mark.parametrize(("days", "is_shown"), [(1, True), (89, True), (91, False), (318, False)])
def test_a_summary_past_its_days_is_in_no_conversation(
    days: int, is_shown: bool, saved: Age, harness: Harness, project: Recollect
) -> None:
    saved(days)

    start = harness.send("SessionStart", "a", source="startup").context
    resume = harness.send("SessionStart", "b", source="resume").context
    prompt = harness.prompt(PROMPT, "c")
    auto = project.find(Request(PROMPT, mode="auto")).answer.hits

    assert [LEDGER in text for text in (start, resume, prompt)] == [is_shown] * 3
    assert bool(auto) == is_shown
    assert bool(open_ends(project, lambda *_: None)) == is_shown


@requirement("retrieval:filters:retention")
@pytest.mark.parametrize("days", ["0", "400"])
def test_the_days_are_those_of_the_configuration(days: str, saved: Age, harness: Harness) -> None:
    saved(318)
    harness.env["RECOLLECT_SESSION_RETENTION_DAYS"] = days

    assert "Last session" in harness.send("SessionStart", "a", source="startup").context
    assert LEDGER in harness.prompt(PROMPT, "c")


@requirement("retrieval:filters:retention")
def test_every_category_has_its_own_days(saved: Age, harness: Harness) -> None:
    saved(40, Category.DECISION)
    given = [harness.prompt(PROMPT, "a")]
    harness.env["RECOLLECT_DECISION_RETENTION_DAYS"] = "30"
    given.append(harness.prompt(PROMPT, "b"))

    assert [LEDGER in text for text in given] == [True, False]


@requirement("retrieval:filters:retention")
@pytest.mark.parametrize(("days", "is_shown"), [(1, True), (318, False)])
def test_a_session_older_than_the_retention_of_summaries_leaves_no_open_ends(
    days: int, is_shown: bool, project: Recollect, harness: Harness
) -> None:
    moment = to_text(utc_now() - timedelta(days=days))
    database = StateDatabase(str(project.prepare_state_folder() / STATE_NAME))
    SessionRecorder(database, lambda: moment).call("old", "claude-code", FAILING_CALL)
    database.close()

    start = harness.send("SessionStart", "new", source="startup").context

    assert ("Last session" in start) == is_shown


@requirement("retrieval:filters:retention")
def test_a_search_finds_it_with_a_label(saved: Age, project: Recollect) -> None:
    saved(318)

    (hit,) = project.find(Request(PROMPT)).answer.hits

    assert hit.document.title == LEDGER
    assert project.overdue(hit.document) == "past its 90 days"
    reply = SEARCH.call(project, {"query": PROMPT}, lambda *_: None)
    assert reply.structured["hits"][0]["warnings"] == ["past its 90 days: not added to prompts"]


@requirement("retrieval:filters:retention")
def test_the_command_line_labels_it(saved: Age, project: Recollect, env: dict[str, str]) -> None:
    saved(318)

    def searched(*options: str) -> str:
        command = [sys.executable, "-m", "recollect", "search", PROMPT, *options]
        done = subprocess.run(
            command, cwd=project.folder, env=env, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert f"{LEDGER} (past its 90 days)" in searched()
    assert json.loads(searched("--json"))["hits"][0]["overdue"] == "past its 90 days"
