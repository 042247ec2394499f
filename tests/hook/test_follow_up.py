"""`fix that please`, in every harness: what was said before, and never what we said ourselves."""

from pathlib import Path
from typing import Any

import pytest
from tests.hook.conftest import Harness
from tests.hook.conversation import Conversation
from tests.hook.test_prompt import LOOP, keep
from tests.hook.transcripts import (
    HARNESSES,
    claude,
    codex_command,
    output_row,
    prompt_row,
    written,
)
from tests.requirements import requirement

from recollect.app.project import Recollect

EVENTS = {
    "claude-code": "UserPromptSubmit",
    "codex": "UserPromptSubmit",
    "gemini": "BeforeAgent",
    "opencode": "chat.message",
}
ASKED = "the oauth2 login is stuck in a redirect loop"
SECRET = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5A"


def talking(harness: Harness, name: str, session: str = "s1") -> Conversation:
    return Conversation(harness.folder, harness.env, session, name)


def ask(one: Conversation, prompt: str, **fields: Any) -> str:
    return one.send(EVENTS[one.harness], prompt=prompt, **fields).context


def kept_turns(one: Conversation) -> list[str]:
    return [str(text) for (text,) in one.asked("SELECT text FROM turn ORDER BY key")]


@pytest.mark.parametrize("name", HARNESSES)
@requirement("hook:prompt:follow-up")
def test_a_follow_up_finds_its_subject_behind_the_work_that_was_done(
    name: str, project: Recollect, harness: Harness, tmp_path: Path
) -> None:
    keep(project)
    work = [output_row(name, "x" * 20_000) for _ in range(10)]
    said = [prompt_row(name, ASKED), *work, prompt_row(name, "fix that please")]
    path = written(tmp_path / "t.jsonl", *said)

    assert LOOP in ask(talking(harness, name), "fix that please", transcript_path=path)
    assert kept_turns(talking(harness, name)) == []


def test_a_follow_up_without_a_transcript_finds_its_subject_in_the_last_prompts(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    one, other = (talking(harness, "opencode", session) for session in ("s1", "s2"))

    assert LOOP in ask(one, ASKED)
    one.send("experimental.session.compacting")
    one.send("session.created", source="compact")

    assert LOOP not in ask(other, "fix that please")
    assert LOOP in ask(one, "fix that please")


def test_only_the_last_three_prompts_are_kept_and_no_secret_of_them(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    one = talking(harness, "opencode")
    pasted = f"and use {SECRET} for the {'login ' * 200}"

    for prompt in (
        "number one of them",
        "number two of them",
        "/clear everything",
        "hm",
        "and three more",
    ):
        ask(one, prompt)
    ask(one, pasted)

    first, second, last = kept_turns(one)
    assert [first, second] == ["number two of them", "and three more"]
    assert last.startswith("and use [REDACTED")
    assert len(last) == 500
    for path in one.folder.rglob("state.db*"):
        assert SECRET.encode() not in path.read_bytes()


def test_patterns_that_are_refused_keep_a_prompt_from_being_written_and_not_from_being_answered(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    config = harness.folder / ".claude/memory/memory-config.json"
    config.write_text('{"redaction": {"patterns": [{"id": "ahead", "pattern": "(?=a)b"}]}}')
    one = talking(harness, "opencode")

    assert LOOP in ask(one, ASKED)
    assert kept_turns(one) == []


def test_a_follow_up_whose_memory_was_given_is_told_nothing(
    project: Recollect, harness: Harness, tmp_path: Path
) -> None:
    keep(project)
    path = written(tmp_path / "t.jsonl", claude(ASKED), claude("well then"), claude("hm, and now"))
    vague = written(tmp_path / "v.jsonl", claude("a"), claude("well then"), claude("hm, and now"))
    one, other = (talking(harness, "claude-code", session) for session in ("s1", "s2"))

    assert LOOP in ask(one, ASKED)
    assert ask(one, "fix that please", transcript_path=path) == ""
    assert ask(one, "fix that please", transcript_path=vague) == ""
    assert "recollect search" in ask(other, "fix that please", transcript_path=vague)
    assert "recollect search" in ask(
        one, "which river runs through the capital of France, and how long"
    )


def test_what_a_session_was_told_when_it_began_is_no_part_of_its_first_prompt(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    told = f'<memory-context source=".claude/memory/">\nLast session: {ASKED}\n</memory-context>'
    escaped = told.replace("<", "&lt;").replace(">", "&gt;")
    front = f"<hook_context>{escaped}</hook_context>\n\n"
    greeting = "please greet my new colleague"

    assert LOOP in ask(talking(harness, "gemini", "s0"), ASKED)
    for name, prompt in (
        ("gemini", front + greeting),
        ("opencode", f"{told}\n{greeting}"),
        ("claude-code", f"{greeting}\n{escaped}"),
    ):
        assert LOOP not in ask(talking(harness, name, name), prompt)
        assert ask(talking(harness, name, f"{name}-alone"), front if name == "gemini" else told) == ""


def test_a_command_that_fails_in_codex_is_kept_as_a_failure(
    project: Recollect, harness: Harness, tmp_path: Path
) -> None:
    keep(project)
    one = talking(harness, "codex")
    ask(one, "so that there is a session")
    path = written(
        tmp_path / "t.jsonl", codex_command("call_1", 3, "no key\n"), codex_command("call_2", 0)
    )

    for call in ("call_2", "call_1"):
        given = {"command": f"make {call}"}
        one.tool("Bash", given, "no key\n", transcript_path=path, tool_use_id=call)

    [(content, rule)] = one.asked("SELECT content, rule FROM item")
    assert "no key" in content
    assert rule == "failed-command"
    assert one.asked("SELECT command FROM trouble") == [("make call_1",)]
