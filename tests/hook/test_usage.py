"""Was a memory of use? Read, touched or cited after it was given."""

import sqlite3
from typing import Any

import pytest
from tests.hook.conftest import Harness
from tests.hook.test_prompt import keep
from tests.requirements import requirement

from recollect.app.project import Recollect

PROMPT = "the oauth2 login is stuck in a redirect loop again"


def used(project: Recollect) -> list[str | None]:
    return [row.used for row in project.sessions.injections(10)]


def tool(harness: Harness, session: str = "s1", event: str = "PostToolUse", **given: Any) -> None:
    answer = harness.send(event, session, tool_name="Edit", tool_input=given, tool_response="ok")
    assert (answer.exit_code, answer.out, answer.err) == (0, "", "")


@pytest.mark.parametrize("file", ["src/auth/callback.py", "src/größe/登录.py"])
@requirement("hook:impact:touched")
def test_a_file_that_a_given_memory_is_about_counts_as_touched(
    file: str, project: Recollect, harness: Harness
) -> None:
    keep(project, related_files=[file])
    harness.prompt(PROMPT)

    tool(harness, file_path=f"{harness.folder}/{file}")

    assert used(project) == ["touched"]


@pytest.mark.parametrize("file", ["src/oauth.py", "auth.pyi", "an-auth.py", "other.py"])
@requirement("hook:impact:touched")
def test_a_file_whose_name_only_holds_the_other_is_not_touched(
    file: str, project: Recollect, harness: Harness
) -> None:
    keep(project, related_files=["auth.py"])
    harness.prompt(PROMPT)

    tool(harness, file_path=file)

    assert used(project) == [None]


def test_a_tool_that_failed_still_shows_what_was_looked_at(
    project: Recollect, harness: Harness
) -> None:
    saved = keep(project)
    harness.prompt(PROMPT)

    tool(harness, event="PostToolUseFailure", command=f"cat {saved.stored.path}")

    assert used(project) == ["read"]


def test_another_session_and_a_message_about_something_else_count_for_nothing(
    project: Recollect, harness: Harness
) -> None:
    saved = keep(project)
    harness.prompt(PROMPT)

    tool(harness, session="another", file_path=saved.stored.path)
    harness.send("Stop", last_assistant_message="The weather is fine today.")

    assert used(project) == [None]


def test_the_first_use_counts(project: Recollect, harness: Harness) -> None:
    saved = keep(project)
    harness.prompt(PROMPT)

    tool(harness, file_path=saved.stored.path)
    harness.send("Stop", last_assistant_message=f"See {saved.stored.memory.id}.")

    assert used(project) == ["read"]


def test_a_memory_cited_by_its_id_counts(project: Recollect, harness: Harness) -> None:
    saved = keep(project)
    harness.prompt(PROMPT)

    harness.send("Stop", last_assistant_message=f"As {saved.stored.memory.id} says.")

    assert used(project) == ["cited"]


def test_every_tool_call_counts_as_an_event_of_its_session(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    harness.prompt(PROMPT)

    for _ in range(3):
        tool(harness, command="ls")

    state = sqlite3.connect(harness.folder / ".claude/memory/.recollect/state.db")
    assert state.execute("SELECT events FROM session WHERE id = 's1'").fetchone() == (4,)
    state.close()


def test_a_project_never_written_to_is_left_as_it_is(harness: Harness) -> None:
    tool(harness, command="ls")

    assert not (harness.folder / ".claude/memory/.recollect").exists()
