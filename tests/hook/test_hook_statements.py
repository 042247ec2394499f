"""What a prompt says becomes a draft after the answer; what a harness or a paste says does not."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.hook.conftest import Harness
from tests.hook.sessions import Sessions
from tests.hook.test_prompt import keep
from tests.hook.transcripts import claude
from tests.redaction.sample_keys import ISSUED
from tests.requirements import requirement
from tests.working.test_statements import HARNESS, LOG, README, STATEMENTS

from recollect.agents.event import Event
from recollect.app.project import Recollect
from recollect.hook.answer import answer
from recollect.hook.process import run_afterwards
from recollect.hook.statements import draft_prompt, waiting_line
from recollect.records.memories import Saved

RULE = "From now on always run the linter before you commit."
KEY = ISSUED["github token"][0]


def say(sessions: Sessions, prompt: str, session: str = "s1", **fields: Any) -> None:
    event = Event("prompt", "UserPromptSubmit", session, prompt=prompt, harness="claude-code", **fields)
    draft_prompt(event, sessions.place)


@requirement("working:capture:statements")
def test_a_prompt_that_states_a_rule_leaves_a_draft_and_its_answer_is_as_before(
    project: Recollect, harness: Harness
) -> None:
    keep(project)
    shown = harness.prompt(f"the oauth2 login is stuck in a redirect loop. {RULE}")

    assert "redirect" in shown
    [draft] = project.sessions.drafts.all()
    assert draft.document["title"] == RULE.rstrip(".")
    assert draft.session == "s1"


@requirement("working:capture:statements")
def test_the_evidence_names_the_turn_and_the_line_of_the_transcript(
    sessions: Sessions, tmp_path: Path
) -> None:
    rows = [claude("hello"), {"type": "assistant", "message": {}}, claude("go on")]
    path = tmp_path / "transcript.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    say(sessions, RULE, transcript=str(path))
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, claude(RULE)]))
    say(sessions, RULE, "s2", transcript=str(path))

    [document] = sessions.drafts.values()
    first, second = document["source"]["evidence"]
    assert (first["turn"], first["line"], first["transcript"]) == (3, 4, str(path))
    assert (second["turn"], second["line"]) == (3, 4)


def write_transcript(path: Path, *prompts: str) -> None:
    """A transcript of prompts, each with a reply below it."""
    reply = {"type": "assistant", "message": {"content": [{"type": "text", "text": RULE}]}}
    rows = [row for prompt in prompts for row in (claude(prompt), reply)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def notes(harness: Harness) -> list[Path]:
    return list((Path(harness.env["HOME"]) / ".local/share/recollect/noted-prompts").glob("*"))


@requirement("working:statements:pause")
@pytest.mark.parametrize("pause", ["Stop", "PreCompact", "SessionEnd"])
def test_a_prompt_with_a_transcript_is_noted_and_drafted_when_the_session_pauses(
    pause: str, project: Recollect, harness: Harness, tmp_path: Path
) -> None:
    keep(project)
    transcript = tmp_path / "transcript.jsonl"
    write_transcript(transcript, "hello")
    harness.prompt(RULE, transcript_path=str(transcript))
    [note] = notes(harness)
    assert "linter" not in note.read_text()
    assert note.stat().st_mode & 0o077 == 0
    assert project.sessions.drafts.all() == []

    write_transcript(transcript, "hello", RULE)
    answer = harness.send(pause, transcript_path=str(transcript))

    [draft] = project.sessions.drafts.all()
    [evidence] = draft.evidence
    place = {"session": "s1", "turn": 2, "line": 3, "transcript": str(transcript)}
    assert place.items() <= evidence.items()
    assert notes(harness) == []
    assert ("1 thing said" in answer.out) == (pause == "SessionEnd")


@requirement("working:statements:pause")
def test_a_note_waits_until_its_transcript_has_the_prompt_and_not_past_the_end_of_the_session(
    project: Recollect, harness: Harness, tmp_path: Path
) -> None:
    keep(project)
    transcript = tmp_path / "transcript.jsonl"
    write_transcript(transcript, "hello")
    harness.prompt(RULE, transcript_path=str(transcript))

    harness.send("Stop", transcript_path=str(transcript))
    assert len(notes(harness)) == 1
    harness.send("Stop", session="another")
    assert len(notes(harness)) == 1
    harness.send("SessionEnd", transcript_path=str(transcript))

    assert notes(harness) == []
    assert project.sessions.drafts.all() == []


@requirement("working:statements:pause")
def test_the_next_session_looks_at_prompts_of_one_that_ended_without_an_event(
    project: Recollect, harness: Harness, tmp_path: Path
) -> None:
    keep(project)
    transcript = tmp_path / "transcript.jsonl"
    write_transcript(transcript, RULE)
    harness.prompt(RULE, transcript_path=str(transcript))
    [note] = notes(harness)
    harness.send("SessionStart", session="s2", source="startup")
    assert project.sessions.drafts.all() == []

    key, moment, rest = note.name.split("-")
    earlier = int(moment) - 2 * 3600 * 10**9
    note.rename(note.with_name(f"{key}-{earlier:020d}-{rest}"))
    harness.send("SessionStart", session="s2", source="startup")

    [draft] = project.sessions.drafts.all()
    assert draft.session == "s1"
    assert notes(harness) == []


@requirement("working:statements:twice")
def test_a_prompt_said_twice_before_a_pause_is_one_draft_with_both_places(
    project: Recollect, harness: Harness, tmp_path: Path
) -> None:
    keep(project)
    transcript = tmp_path / "transcript.jsonl"
    write_transcript(transcript, RULE, RULE)
    for _ in range(2):
        harness.prompt(RULE, transcript_path=str(transcript))

    harness.send("Stop", transcript_path=str(transcript))

    [draft] = project.sessions.drafts.all()
    assert [row["turn"] for row in draft.evidence] == [1, 2]


def test_a_note_that_is_cut_off_or_of_another_project_is_left_alone(
    project: Recollect, harness: Harness, tmp_path: Path
) -> None:
    keep(project)
    transcript = tmp_path / "transcript.jsonl"
    write_transcript(transcript, RULE)
    harness.prompt(RULE, transcript_path=str(transcript))
    [note] = notes(harness)
    text = note.read_text()

    for damaged in (text[:-9], "{}", json.dumps(["/elsewhere", *json.loads(text)[1:]])):
        note.write_text(damaged)
        assert harness.send("Stop", transcript_path=str(transcript)).err == ""
        assert note.read_text() == damaged

    assert project.sessions.drafts.all() == []


@requirement("working:statements:typed")
@pytest.mark.parametrize(
    "prompt",
    [
        *HARNESS,
        LOG,
        f"what is wrong here?\n\n{LOG}",
        f"Summarise this README:\n\n{README}",
        f'Our guide says: "{STATEMENTS[1]}" What is meant?',
        f"<memory-context>\n{RULE}\n</memory-context>",
        f"<system-reminder>\n{RULE}\n</system-reminder>\nfix the test",
        f"```\n{RULE}\n```\nwhat does this mean?",
        f"> {RULE}\n\nwho wrote that?",
        f"⏺ {RULE}\n  ⎿ Done",
        f"$ cat AGENTS.md\n{RULE}\n{STATEMENTS[1]}",
    ],
)
def test_what_the_person_did_not_type_makes_no_draft(sessions: Sessions, prompt: str) -> None:
    say(sessions, prompt)

    assert sessions.drafts == {}


@requirement("working:statements:held")
def test_a_statement_that_a_memory_says_already_makes_no_draft(
    project: Recollect, sessions: Sessions
) -> None:
    say(sessions, RULE)
    [draft] = project.sessions.drafts.all()
    assert isinstance(project.sessions.keep(draft.name), Saved)

    say(sessions, "I told you, always run the linter before you commit!", "s2")

    assert sessions.drafts == {}


@requirement("working:statements:secrets")
def test_the_secret_in_a_prompt_is_nowhere(harness: Harness, project: Recollect) -> None:
    harness.prompt(f"From now on always deploy with the token {KEY}, because the old one expired.")

    files = [file for file in harness.folder.rglob("*") if file.is_file()]
    assert project.sessions.drafts.all()
    assert not [file for file in files if KEY.encode() in file.read_bytes()]


@requirement("working:drafts:apart")
def test_a_statement_is_neither_searched_nor_given_until_it_is_kept(
    project: Recollect, sessions: Sessions, harness: Harness
) -> None:
    say(sessions, RULE)

    assert "linter" not in harness.prompt("should I run the linter before I commit?", "s9")
    assert project.sessions.drafts.all()


@requirement("working:statements:person")
def test_no_setting_keeps_a_statement_without_a_person(sessions: Sessions) -> None:
    sessions.env["RECOLLECT_KEEP_DRAFTS"] = "auto"
    say(sessions, RULE, "s1")  # a session that no database has seen counts as ended long ago
    sessions.edit(session="s3")
    sessions.close("session_end", session="s3")
    sessions.leave_over()

    assert [name[:5] for name in sessions.drafts] == ["said-"]


@requirement("working:statements:flag")
def test_the_flag_switches_it_off(sessions: Sessions, env: dict[str, str]) -> None:
    payload = {"session_id": "s1", "cwd": str(sessions.folder), "prompt": RULE}
    data = json.dumps(payload).encode()
    answer("claude-code", "UserPromptSubmit", data, {**env, "RECOLLECT_STATEMENTS": "0"})
    run_afterwards()
    assert sessions.drafts == {}

    answer("claude-code", "UserPromptSubmit", data, env)
    run_afterwards()
    assert sessions.drafts


@requirement("working:statements:line")
def test_the_end_of_a_session_has_one_line_about_what_was_said(
    sessions: Sessions, env: dict[str, str]
) -> None:
    assert waiting_line("s1", sessions.place) == ""
    say(sessions, RULE)
    say(sessions, STATEMENTS[1])
    payload = json.dumps({"session_id": "s1", "cwd": str(sessions.folder)}).encode()

    line = "2 things said may be worth keeping: `recollect review`"
    for harness in ("claude-code", "gemini"):
        assert json.loads(answer(harness, "SessionEnd", payload, env)) == {"systemMessage": line}
    assert waiting_line("s2", sessions.place) == ""
    assert answer("claude-code", "SessionEnd", payload, {**env, "RECOLLECT_STATEMENTS": "0"}) == ""


def test_a_failure_while_drafting_is_logged_and_not_printed(harness: Harness, folder: Path) -> None:
    state = folder / ".claude/memory/.recollect"
    state.mkdir()
    (state / "drafts").write_text("a file where a folder should be")

    assert harness.send("UserPromptSubmit", prompt=RULE).exit_code == 0
    assert harness.send("UserPromptSubmit", prompt=RULE).err == ""


def test_a_kept_statement_names_where_it_was_said(project: Recollect, sessions: Sessions) -> None:
    say(sessions, RULE)
    [draft] = project.sessions.drafts.all()
    document = {**draft.document, "source": {**draft.document["source"], "turn": 3, "line": 9}}
    document["source"]["evidence"][0] |= {"turn": 3, "line": 9, "transcript": "/home/me/t.jsonl"}
    project.sessions.drafts.put(draft.name, document)

    saved = project.sessions.keep(draft.name)

    assert isinstance(saved, Saved)
    assert saved.stored.memory.source == {"kind": "user", "session": "s1", "turn": 3, "line": 9}
