"""A secret across the place where a text is cut: the gate is first, so no part of it is written.

Each door gets texts in which a token begins shortly before each length that something is cut to.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.e2e.test_no_secret_is_written import Place, place
from tests.redaction.sample_keys import ALNUM, drawn
from tests.requirements import requirement
from tests.samples import document, draft

from recollect.errors import RecollectError
from recollect.importing import plan, sources
from recollect.importing.export import export_document
from recollect.records.json_format import JsonObject, render
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
    """The files that hold a part of the secret, in any case and with separators between."""
    parts = {SECRET[start : start + PART].lower() for start in range(len(SECRET) - PART + 1)}
    found = []
    for path in (path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder)).lower()
        data = f"{name}\n{path.read_bytes().decode('latin-1').lower()}"
        found += [f"{name}: {part}" for part in parts if part in data]
    return found


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


DOORS = (import_decision_records, import_rules, import_memories, save_and_change, work_in_sessions)


@requirement("redaction:everywhere:before-cuts")
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_part_of_a_secret_across_a_cut_is_written(
    door: Callable[[Place], None], place: Place
) -> None:
    door(place)
    place.open().finder.index.update()

    assert written(place.folder) == []
    assert written(place.home) == []
    if door is not work_in_sessions:
        stored = place.open().memories.scan().stored
        assert "[REDACTED]" in json.dumps([found.memory.document for found in stored])


def test_a_part_of_a_secret_in_a_file_or_its_name_would_be_seen(place: Place) -> None:
    (place.folder / "notes.txt").write_text(SECRET[5:13].upper())
    (place.folder / f"x-{SECRET[:9]}").write_text("")

    assert len(written(place.folder)) == 3


def test_a_text_that_is_refused_is_not_written_either(place: Place) -> None:
    with pytest.raises(RecollectError):
        place.open().memories.save(draft(next(text for text in texts() if len(text) > 120)))

    assert written(place.folder) == []
