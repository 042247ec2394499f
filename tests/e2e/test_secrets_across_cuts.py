"""A secret across the place where a text is cut: the gate is first, so no part of it is written.

Each door gets texts in which a token begins shortly before each length that something is cut to.
"""

import json
import os
import string
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.e2e.test_no_secret_is_written import Place, place
from tests.redaction.sample_keys import ALNUM, HEX, drawn
from tests.requirements import requirement
from tests.samples import document, draft
from tests.server.running import OLD, raw_client

from recollect.app.merge_driver import MergeResult, merge_files
from recollect.errors import RecollectError, RefusedError
from recollect.importing import plan, sources
from recollect.importing.export import export_document
from recollect.importing.report import ImportAction
from recollect.records.json_format import JsonObject, render
from recollect.records.memories import Saved
from recollect.records.record import Memory

__all__ = ["place"]

# What titles, slugs, tags, quotes, goals, turns, commands and outputs are cut to.
CUTS = (40, 57, 60, 80, 120, 200, 240, 300, 500, 2_000, 4_000, 20_000)
SECRET = drawn(36, ALNUM, 7)
TOKEN = f"ghp_{SECRET}"
PART = 8  # characters that nobody may find


def texts(most: int = max(CUTS)) -> Iterator[str]:
    """A text for each cut, with some characters of the token before it and some behind."""
    for cut in CUTS:
        if cut <= most:
            words = "we keep the keys of the shop in one place "
            filler = (words * (cut // len(words) + 1))[: cut - 22].rsplit(" ", 1)[0]
            yield f"{filler} {TOKEN} and then some more words"


def written(folder: Path) -> list[str]:
    """The files that hold a part of the secret, in any case; those inside of backups too."""
    return [
        f"{name}: {part}"
        for path in folder.rglob("*")
        if path.is_file()
        for name, data in contents(path, str(path.relative_to(folder)))
        for part in parts_in(f"{name}\n{data.decode('latin-1')}")
    ]


def parts_in(text: str) -> list[str]:
    lower = text.lower()
    parts = {SECRET[start : start + PART].lower() for start in range(len(SECRET) - PART + 1)}
    return [part for part in sorted(parts) if part in lower]


def contents(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """A file, or the files in a backup: nothing can be seen in what is compressed."""
    if not name.endswith(".tar.gz"):
        yield name, path.read_bytes()
        return
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member)
            yield f"{name}/{member.name}", file.read() if file else b""


def bring_in(place: Place, path: Path) -> None:
    memories = place.open().memories
    kind = sources.detect(path)
    plan.apply(
        plan.plan(sources.read(path, kind, base=place.given, gate=memories.gate), memories), memories
    )


def import_decision_records(place: Place) -> None:
    folder = place.given / "adr"
    folder.mkdir()
    for number, text in enumerate(texts(), start=1):
        options = f"* {text}\n* other, because {text}\n"
        (folder / f"{number:04}-x.md").write_text(
            f"# {number}. {text}\n\n## Status\n\n{text}\n\nSuperseded by [{text}](0001-x.md)\n\n"
            f"## Context\n\n{text}\n\n## Considered Options\n\n{options}\n## Decision\n\n{text}\n"
        )
        body = "## Context\n\nPlain.\n\n## Decision\n\nPlain.\n"
        (folder / f"{number:04}-token-{TOKEN}.md").write_text(body + f"Number {number}.\n")
    bring_in(place, folder)


def import_rules(place: Place) -> None:
    for number, text in enumerate(texts()):
        folder = place.given / f"{TOKEN}-{number}"
        folder.mkdir()
        path = folder / "CLAUDE.md"
        path.write_text(f"- Always {text}\n\n## {text}\n\n- Never {text}\n- {text}:\n  - {text}\n")
        bring_in(place, path)


def import_memories(place: Place) -> None:
    folder = place.given / "memory" / "decisions"
    folder.mkdir(parents=True)
    records = []
    for number, text in enumerate(texts()):
        title = text if len(text) <= 120 else f"A title of its own, {number}"
        spoiled = document(id=f"m{number}", title=title, tags=[f"token-{TOKEN}"])
        spoiled["content"]["decision"] = text  # type: ignore[index, call-overload]
        (folder / f"m{number}.json").write_bytes(render(spoiled))
        records.append(Memory.parse({**spoiled, "id": f"e{number}"}, "x"))
    bring_in(place, folder.parent)
    exported = place.given / "export.json"
    exported.write_bytes(export_document(records, "shop", place.open().memories.clock()))
    bring_in(place, exported)


def save_and_change(place: Place) -> None:
    memories = place.open().memories
    for number, text in enumerate(texts()):
        title = text if len(text) <= 120 else f"A title of its own, {number}"
        fields = draft(title, content={"decision": text}, tags=["a", f"token {TOKEN}"])
        memories.save(fields, allow_repeat=True)
    id = memories.scan().stored[0].memory.id
    for text in texts():
        memories.edit(id, partial(with_decision, text), text)
        memories.retire(id, text)
        memories.restore(id)


def with_decision(text: str, old: Memory) -> JsonObject:
    return {"content": {**old.content, "decision": text}}


def work_in_sessions(place: Place) -> None:
    """Prompts, commands, outputs and the end of a session, for each cut."""
    for number, text in enumerate(texts()):
        session = f"s{number}"
        shrinking = "".join(f"ghp_{drawn(36, ALNUM, 90 + turn)} " for turn in range(95)) + text
        place.hook("UserPromptSubmit", prompt=text, session_id=session)
        place.hook("UserPromptSubmit", prompt=shrinking, session_id=f"{session}-long")
        command = {"command": f"deploy --note '{text}'"}
        output = {"stdout": f"{text}\nValueError: {text}\nFAILED tests/test_a.py::test_b - {text}"}
        place.hook(
            "PostToolUse",
            tool_name="Bash",
            tool_input=command,
            tool_response=output,
            session_id=session,
        )
        for name in (session, f"{session}-long"):
            place.hook("Stop", session_id=name)


def keep_drafts(place: Place) -> None:
    """What a session leaves for review becomes memories: by a person, and by itself."""
    work_in_sessions(place)
    sessions = place.open().sessions
    names = [draft.name for draft in sessions.drafts.all()]
    assert names
    for name in names:
        sessions.keep(name)
    place.env["RECOLLECT_KEEP_DRAFTS"] = "auto"
    for text in texts(120):
        place.hook("UserPromptSubmit", prompt=text, session_id="auto")
        place.hook("Stop", session_id="auto", last_assistant_message=text)


def ask_the_server(place: Place) -> None:
    """An agent saves, changes, links and searches."""
    recollect = place.open()
    recollect.memories.save(draft("One thing"))
    recollect.memories.save(draft("Another thing entirely"), allow_repeat=True)
    with raw_client(place.folder, {**place.env, "PATH": os.environ["PATH"]}, OLD) as client:
        client.begin()
        for number, text in enumerate(texts()):
            title = text if len(text) <= 120 else f"A title of its own, {number}"
            record = draft(title, content={"decision": text}, tags=["a", f"token {TOKEN}"]).document
            calls: list[tuple[str, JsonObject]] = [
                ("memory_save", {**record, "allow_duplicate": True}),
                ("memory_update", {"id": "one-thing", "action": "retire", "reason": text}),
                ("memory_update", {"id": "one-thing", "action": "restore", "reason": text}),
                ("memory_link", {**LINK, "evidence": text}),
                ("memory_search", {"query": text}),
                ("memory_context", {"text": text}),
                ("memory_why", {"question": text}),
            ]
            for name, arguments in calls:
                reply = client.answer(client.ask("tools/call", {"name": name, "arguments": arguments}))
                assert name != "memory_save" or not reply["result"].get("isError"), reply
                assert name.startswith(("memory_s", "memory_w")) or not parts_in(json.dumps(reply))


def back_up(place: Place) -> None:
    save_and_change(place)
    work_in_sessions(place)
    path, files = place.open().upkeep.back_up(None)
    assert path.is_relative_to(place.home)
    assert files > len(CUTS)


def fail(place: Place) -> None:
    """Hooks that break on their input note where, never what."""
    state = place.folder / ".claude" / "memory" / ".recollect"
    state.mkdir()
    for number, text in enumerate(texts()):
        (state / "state.db").write_bytes(b"no database" * 100)
        place.raw_hook("UserPromptSubmit", f'{{"prompt": "{text}')
        place.hook("UserPromptSubmit", prompt=text, session_id=f"s{number}")
        place.hook("PostToolUse", tool_name=text, tool_input=[text], tool_response={text: text})
        (place.folder / ".claude" / "memory" / "memory-config.json").write_text("[")
        place.hook("UserPromptSubmit", prompt=text, session_id=f"s{number}")
        (place.folder / ".claude" / "memory" / "memory-config.json").write_text("{}")
    assert (place.home / "recollect" / "hook.log").read_text()


LINK: JsonObject = {"id": "one-thing", "type": "supports", "target": "mem:another-thing-entirely"}
DOORS = (
    import_decision_records,
    import_rules,
    import_memories,
    save_and_change,
    work_in_sessions,
    keep_drafts,
    ask_the_server,
    back_up,
    fail,
)


@requirement("redaction:everywhere:before-cuts")
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_part_of_a_secret_across_a_cut_is_written(
    door: Callable[[Place], None], place: Place
) -> None:
    door(place)
    place.open().finder.index.update()

    assert written(place.folder) == []
    assert written(place.home) == []
    if door not in (work_in_sessions, fail):
        stored = place.open().memories.scan().stored
        assert "[REDACTED]" in json.dumps([found.memory.document for found in stored])


def test_a_part_of_a_secret_in_a_file_or_its_name_would_be_seen(place: Place) -> None:
    (place.folder / "notes.txt").write_text(SECRET[5:13].upper())
    (place.folder / f"x-{SECRET[:9]}").write_text("")

    assert len(written(place.folder)) == 3


def test_a_part_of_a_secret_in_a_backup_would_be_seen(place: Place) -> None:
    place.open().memories.save(draft("One thing"))
    path = next((place.folder / ".claude" / "memory" / "decisions").iterdir())
    path.write_text(path.read_text().replace("One thing", TOKEN))
    place.open().upkeep.back_up(None)

    assert written(place.home)


@requirement("redaction:everywhere:before-cuts")
def test_an_export_holds_no_part_of_a_secret_that_was_typed_into_a_file(place: Place) -> None:
    put_by_hand(place)

    data, count, _ = place.open().upkeep.export()

    assert count == len(CUTS)
    assert parts_in(data.decode()) == []
    assert b"[REDACTED]" in data


@requirement("redaction:everywhere:before-cuts")
def test_a_merge_spreads_no_secret_beyond_the_file_that_brought_it(place: Place) -> None:
    """git merges what a person committed, so it does not pass the gate; nothing else gets a part of it."""
    for number, path in enumerate(put_by_hand(place)):
        folder = place.given / f"merge-{number}"
        folder.mkdir()
        base, ours, theirs = (folder / name for name in ("base", "ours", "theirs"))
        plain = path.read_text().replace(TOKEN, "nothing")
        base.write_text(plain)
        ours.write_text(plain.replace('"auth"', '"login"'))
        theirs.write_bytes(path.read_bytes())
        path.unlink()

        result = merge_files(base, ours, theirs, path.name)

        assert result == MergeResult(clean=True)
        assert TOKEN in ours.read_text()
        assert sorted(file.name for file in folder.iterdir()) == ["base", "ours", "theirs"]
    assert written(place.folder) == []


def put_by_hand(place: Place) -> list[Path]:
    """Memories that a person edited: nothing has been taken out of them."""
    folder = place.folder / ".claude" / "memory" / "decisions"
    folder.mkdir(exist_ok=True)
    paths = []
    for number, text in enumerate(texts()):
        title = text if len(text) <= 120 else f"A title of its own, {number}"
        record = document(id=f"m{number}", title=title)
        record["content"]["decision"] = text  # type: ignore[index, call-overload]
        paths.append(folder / f"m{number}.json")
        paths[-1].write_bytes(render(record))
    return paths


LOWER = drawn(36, string.ascii_lowercase + string.digits, 7)
IDS = (f"glpat-{LOWER[:20]}", f"ghp-{LOWER}", f"the-token-is-{LOWER[:20]}", f"api-key-{drawn(32, HEX)}")


@requirement("redaction:everywhere:ids")
@pytest.mark.parametrize("id", IDS, ids=lambda id: id[:6])
def test_an_id_that_a_record_brings_holds_no_secret(place: Place, id: str) -> None:
    memories = place.open().memories
    with pytest.raises(RefusedError, match="the id contains a secret") as refused:
        memories.save(draft("A plain title", id=id))
    assert id not in str(refused.value)
    folder = place.given / "memory" / "decisions"
    folder.mkdir(parents=True)
    (folder / f"{id}.json").write_bytes(render(document(id=id)))

    report = plan.plan(sources.read(folder.parent, base=place.given, gate=memories.gate), memories)

    assert [row.action for row in report.rows] == [ImportAction.SKIP]
    assert "its id contains a secret" in report.rows[0].reason
    assert id not in repr(report)

    (place.given / "adr").mkdir()
    (place.given / "adr" / f"{id}.md").write_text("# Decide\n\n## Decision\n\nPlain.\n")
    bring_in(place, place.given / "adr")
    record = json.dumps(place.open().memories.scan().stored[0].memory.document)
    assert "[REDACTED].md" in record
    assert id not in record


@requirement("redaction:everywhere:ids")
@pytest.mark.parametrize("id", ["rotate-the-api-key", "the-password-is-redacted", "use-jwt-tokens-v2"])
def test_an_ordinary_id_stays(place: Place, id: str) -> None:
    saved = place.open().memories.save(draft("A plain title", id=id))

    assert isinstance(saved, Saved)
    assert saved.stored.memory.id == id


@requirement("redaction:everywhere:ids")
def test_an_anchor_that_a_record_brings_holds_no_secret(place: Place) -> None:
    """Its digest and its commit stay, which code is compared with."""
    digest, commit = drawn(64, HEX), drawn(40, HEX)
    anchor: JsonObject = {"path": f"src/{TOKEN}", "digest": f"sha256:{digest}", "commit": commit}
    saved = place.open().memories.save(draft("A title", anchors=[{**anchor, "password": "swordfish"}]))

    assert isinstance(saved, Saved)
    row = saved.stored.memory.rows("anchors")[0]
    assert (row["digest"], row["commit"]) == (f"sha256:{digest}", commit)
    assert "swordfish" not in json.dumps(row)
    assert written(place.folder) == []


def test_a_text_that_is_refused_is_not_written_either(place: Place) -> None:
    with pytest.raises(RecollectError):
        place.open().memories.save(draft(next(text for text in texts() if len(text) > 120)))

    assert written(place.folder) == []
