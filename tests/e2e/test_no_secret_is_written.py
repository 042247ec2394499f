"""Secrets go in at every door, and nothing that Recollect wrote holds one: databases and logs included.

A door is a function here; whoever adds a writer adds a door.
"""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.redaction.sample_keys import ALNUM, HEX, ISSUED, drawn, pem
from tests.requirements import requirement
from tests.samples import CONTENT, document, draft
from tests.server.running import OLD, raw_client

from recollect.app.opening import hook_command, open_project
from recollect.app.project import Recollect
from recollect.ids import UnifiedId
from recollect.importing import plan, sources
from recollect.importing.export import export_document
from recollect.records.categories import Category
from recollect.records.json_format import JsonObject, render
from recollect.records.memories import Saved
from recollect.records.record import Link, LinkType, Memory

PASSWORD = drawn(18, ALNUM + "!#%^*")
ASSIGNED = drawn(32, HEX)
GITHUB, AWS = ISSUED["github token"][0], ISSUED["aws access key"][0]
LINE = drawn(64, ALNUM + "+/", 1)  # the middle of the private key
NEEDLES = (PASSWORD, ASSIGNED, GITHUB, AWS, LINE)
TEXT = (
    f"Connect with postgres://app:{PASSWORD}@db/shop, then export ACME_API_KEY={ASSIGNED} and\n"
    f"use {GITHUB} or {AWS}.\n{pem()}\nThat is all."
)
ONE_LINE = TEXT.replace("\n", " ").partition("-----")[0]


@dataclass(frozen=True, slots=True)
class Place:
    """A project, the user's home, and a folder of what is brought in, which is not ours."""

    folder: Path
    home: Path
    given: Path
    env: dict[str, str]

    def open(self) -> Recollect:
        return open_project(self.folder, env=self.env)

    def hook(self, event: str, **fields: Any) -> None:
        told = {"session_id": "s1", "cwd": str(self.folder), "hook_event_name": event, **fields}
        self.raw_hook(event, json.dumps(told))

    def raw_hook(self, event: str, given: str) -> None:
        done = subprocess.run(
            hook_command("claude-code", event),
            input=given.encode(),
            capture_output=True,
            env={**self.env, "PATH": os.environ["PATH"], "RECOLLECT_HOOK_PATIENCE": "10"},
            cwd=self.folder,
            timeout=30,
            check=False,
        )
        assert done.returncode == 0
        assert not [needle for needle in NEEDLES if needle.encode() in done.stdout]

    def holding(self) -> list[str]:
        """The files that hold a secret."""
        files = [
            path for place in (self.folder, self.home) for path in place.rglob("*") if path.is_file()
        ]
        assert files
        return [
            f"{path}: {number}"
            for path in files
            for number, needle in enumerate(NEEDLES)
            if needle.encode() in _bytes(path)
        ]


def _bytes(path: Path) -> bytes:
    """What a file holds; nothing when a database has let go of it meanwhile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder, home, given = (tmp_path / name for name in ("shop", "home", "given"))
    (folder / ".claude" / "memory").mkdir(parents=True)
    given.mkdir()
    return Place(folder, home, given, {"HOME": str(home), "RECOLLECT_HOME": str(home / "recollect")})


def kept(place: Place, title: str = "A plain title") -> str:
    saved = place.open().memories.save(draft(title), allow_repeat=True)
    assert isinstance(saved, Saved)
    return saved.stored.memory.id


def save(place: Place) -> None:
    fields: JsonObject = {"decision": TEXT, "context": TEXT, "rationale": [TEXT], "password": PASSWORD}
    kept_draft = draft(ONE_LINE[:110], content=fields, tags=["a", ASSIGNED[:20]], unknown={"key": TEXT})
    place.open().memories.save(kept_draft)


def save_for_the_user(place: Place) -> None:
    recollect = place.open()
    recollect.user_space.store.root.path.mkdir(parents=True, exist_ok=True)
    recollect.user_memories.save(draft("Mine", content={"decision": TEXT}))


def edit(place: Place) -> None:
    memories, id = place.open().memories, kept(place)
    memories.edit(id, lambda old: {"content": {**old.document["content"], "decision": TEXT}}, TEXT)  # type: ignore[dict-item]


def change_its_life(place: Place) -> None:
    memories = place.open().memories
    retired, archived = kept(place, "To retire"), kept(place, "To archive")
    memories.retire(retired, TEXT)
    memories.archive(archived, TEXT)


def link(place: Place) -> None:
    one, other = kept(place, "One thing"), kept(place, "Another thing entirely")
    place.open().memories.link(one, Link(LinkType.SUPPORTS, UnifiedId(f"mem:{other}"), TEXT))


def bring_in(place: Place) -> None:
    """Rules, a decision record, a folder of memories and an export."""
    (place.given / "CLAUDE.md").write_text(f"# Rules\n\n- Always {ONE_LINE}\n- Never {TEXT}\n")
    (place.given / "adr").mkdir()
    record = f"# 1. Decide\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\n## Context\n\n{TEXT}\n\n"
    (place.given / "adr" / "0001-decide.md").write_text(f"{record}## Decision\n\n{TEXT}\n")
    spoiled = document(id="spoiled", content={**document()["content"], "decision": TEXT})  # type: ignore[dict-item]
    (place.given / "decisions").mkdir()
    (place.given / "decisions" / "spoiled.json").write_bytes(render(spoiled))
    exported = export_document(
        [Memory.parse({**spoiled, "id": "other"}, "x")], "shop", place.open().memories.clock()
    )
    (place.given / "export.json").write_bytes(exported)
    for name in ("CLAUDE.md", "adr", "export.json", ""):
        path = place.given / name
        memories = place.open().memories
        made = plan.plan(sources.read(path, sources.detect(path), base=place.given), memories)
        plan.apply(made, memories)


def export_a_file_edited_by_hand(place: Place) -> None:
    id = kept(place)
    path = place.folder / ".claude" / "memory" / "decisions" / f"{id}.json"
    before = path.read_text()
    path.write_text(before.replace("A plain title", f"Uses {GITHUB}"))
    data, _, _ = place.open().upkeep.export()
    (place.folder / "export.json").write_bytes(data)
    path.write_text(before)


def prompt(place: Place) -> None:
    kept(place, "Connect with the shop database")
    place.hook("SessionStart", source="startup")
    place.hook("UserPromptSubmit", prompt=TEXT)
    place.open().finder.index.update()


def run_tools(place: Place) -> None:
    """Outputs, commands and failures with secrets in them, to the end of the session."""
    failure = f"Traceback (most recent call last):\n  File 'a.py', line 1, in f\nValueError: {TEXT}\n"
    outputs = {"stdout": f"{TEXT}\nFAILED tests/test_a.py::test_b - {ONE_LINE}", "stderr": failure}
    command = {"command": f"curl -u app:{PASSWORD} https://acme.io --data token={ASSIGNED}"}
    place.hook("UserPromptSubmit", prompt=f"Fix the login. {TEXT}")
    place.hook("PostToolUse", tool_name="Bash", tool_input=command, tool_response=outputs)
    place.hook("PostToolUseFailure", tool_name="Bash", tool_input=command, error=failure)
    for path in ("spec.md", f"{ASSIGNED}.md", "error.log"):
        read = {"file_path": str(place.folder / path)}
        place.hook("PostToolUse", tool_name="Read", tool_input=read, tool_response={"content": TEXT})
    grep = {"pattern": f"error {GITHUB}"}
    place.hook("PostToolUse", tool_name="Grep", tool_input=grep, tool_response=f"error: {TEXT}")
    commit = {"command": f"git commit -m 'Use {AWS}'"}
    place.hook(
        "PostToolUse",
        tool_name="Bash",
        tool_input=commit,
        tool_response={"stdout": f"[main 1a2b3c4] Use {AWS}"},
    )
    edited = {"file_path": str(place.folder / "a.py"), "old_string": TEXT, "new_string": TEXT}
    place.hook("PostToolUse", tool_name="Edit", tool_input=edited, tool_response="ok")
    place.hook(
        "PostToolUse", tool_name="Bash", tool_input=command, tool_response={"stdout": "1 passed"}
    )


def end_a_session(place: Place) -> None:
    transcript = place.given / "transcript.jsonl"
    turn = {"type": "user", "message": {"role": "user", "content": TEXT}}
    transcript.write_text(json.dumps(turn) + "\n")
    run_tools(place)
    for event in ("PreCompact", "Stop", "SessionEnd", "SessionStart"):
        place.hook(event, transcript_path=str(transcript), source="resume", reason="exit", last=TEXT)


def fail(place: Place) -> None:
    """Hooks that break on what they are given note where, never what."""
    place.raw_hook("UserPromptSubmit", f'{{"prompt": "{GITHUB}')
    place.hook("PostToolUse", tool_name=TEXT, tool_input=[TEXT], tool_response={TEXT: TEXT})
    (place.folder / ".claude" / "memory" / ".recollect").mkdir(exist_ok=True)
    (place.folder / ".claude" / "memory" / ".recollect" / "state.db").write_bytes(b"no database" * 100)
    place.hook("UserPromptSubmit", prompt=TEXT)
    place.hook("PostToolUse", tool_name="Bash", tool_input={"command": TEXT}, tool_response=TEXT)


def ask_the_server(place: Place) -> None:
    """An agent saves, changes, links and searches with secrets in every argument."""
    id, other = kept(place, "One thing"), kept(place, "Another thing entirely")
    record = {
        **draft(f"Uses {GITHUB}").document,
        "content": {**CONTENT[Category.DECISION], "decision": TEXT},
    }
    calls = {
        "memory_save": record,
        "memory_update": {"id": id, "action": "retire", "reason": TEXT},
        "memory_link": {"id": other, "type": "supports", "target": f"mem:{id}", "evidence": TEXT},
        "memory_search": {"query": TEXT},
        "memory_why": {"question": TEXT},
    }
    with raw_client(place.folder, {**place.env, "PATH": os.environ["PATH"]}, OLD) as client:
        client.begin()
        for name, given in calls.items():
            told = client.answer(client.ask("tools/call", {"name": name, "arguments": given}))
            assert name != "memory_save" or not told["result"].get("isError"), told


DOORS: tuple[Callable[[Place], None], ...] = (
    save,
    save_for_the_user,
    edit,
    change_its_life,
    link,
    bring_in,
    export_a_file_edited_by_hand,
    prompt,
    run_tools,
    end_a_session,
    fail,
    ask_the_server,
)


@requirement("redaction:everywhere:nothing-written")
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_file_holds_a_secret_that_went_in_at_this_door(
    door: Callable[[Place], None], place: Place
) -> None:
    door(place)
    place.open().finder.index.update()

    assert place.holding() == []


@pytest.mark.parametrize(
    "door", [save, edit, bring_in, run_tools, ask_the_server], ids=lambda door: door.__name__
)
def test_what_was_round_the_secrets_is_written(door: Callable[[Place], None], place: Place) -> None:
    """Else a door that writes nothing at all would pass."""
    door(place)

    files = [path for path in (place.folder / ".claude").rglob("*") if path.is_file()]
    assert any(b"[REDACTED]" in path.read_bytes() for path in files)


def test_a_secret_in_a_file_would_be_seen(place: Place) -> None:
    (place.folder / "notes.txt").write_text(TEXT)

    assert len(place.holding()) == len(NEEDLES)
