"""Records that come in as they are: claude-memory folders and exports."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.importing.conftest import Import, Plan, Write
from tests.requirements import requirement
from tests.samples import NOW, document, draft

from recollect.app.project import Recollect
from recollect.errors import InvalidJsonError, RefusedError
from recollect.importing import export
from recollect.importing import plan as importing
from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.report import ALREADY_HERE, ImportAction
from recollect.records.categories import Category
from recollect.records.json_format import render
from recollect.records.record import Memory

OLD: dict[str, Any] = {
    "id": "old",
    "schema_version": "1.0",
    "created_at": "2024-01-01T09:00:00Z",
    "updated_at": "2024-02-01T09:00:00Z",
    "record_status": "retired",
    "retired_at": "2024-02-01T09:00:00Z",
    "retired_reason": "Over",
    "times_updated": 1,
    "changes": [{"date": "2024-02-01", "summary": "Retired", "by": "hook"}],
    "x_plugin": {"kept": [1, 2.5, None]},
}
ZEROS = "0" * 16


def _root(*documents: Mapping[str, Any]) -> dict[str, str]:
    return {
        f"{Category(found['category']).folder}/{found['id']}.json": json.dumps(found)
        for found in documents
    }


@requirement("importing:claude-memory:lossless")
@pytest.mark.parametrize("category", Category)
def test_a_claude_memory_file_comes_in_as_it_is(
    category: Category, write: Write, bring_in: Import, project: Recollect, folder: Path
) -> None:
    record = document(category, **OLD)
    report = bring_in(write("elsewhere", _root(record)))
    path = folder / ".claude/memory" / category.folder / "old.json"

    assert [row.action for row in report.rows] == [ImportAction.CREATE]
    assert path.read_bytes() == render(record)


def test_a_folder_comes_in_once_and_its_machinery_never(write: Write, bring_in: Import) -> None:
    files = _root(document(), document(Category.PREFERENCE))
    beside = {
        "index.md": "# Index\n",
        "memory-config.json": "{}",
        ".staging/decisions/x.json": "{}",
        "decisions/.tmp.json": "{}",
        "decisions/notes.txt": "",
    }
    path = write("elsewhere", {**files, **beside})
    first, second = bring_in(path), bring_in(path)

    assert [row.action for row in first.rows] == [ImportAction.CREATE, ImportAction.CREATE]
    assert [row.reason for row in second.rows] == [ALREADY_HERE, ALREADY_HERE]


def test_an_invalid_file_is_skipped_with_its_line_and_the_others_come_in(
    write: Write, bring_in: Import, folder: Path
) -> None:
    bad = render(document(id="bad", title=""))
    files = {
        **_root(document()),
        "decisions/bad.json": bad.decode(),
        "decisions/broken.json": '{\n"id": 1,\n',
        "decisions/large.json": " " * (1024 * 1024 + 1),
    }
    path = write("elsewhere", files)
    (path / "decisions/latin.json").write_bytes(b'{"a": "\xe9"}')
    rows = {row.origin: row for row in bring_in(path).rows}

    assert rows["elsewhere/decisions/a-decision.json"].action is ImportAction.CREATE
    assert rows["elsewhere/decisions/bad.json"].reason == "line 5: title: must not be empty"
    assert rows["elsewhere/decisions/broken.json"].reason.startswith("line 3: not valid JSON")
    assert "at most 1,048,576" in rows["elsewhere/decisions/large.json"].reason
    assert "not UTF-8" in rows["elsewhere/decisions/latin.json"].reason


def test_a_symlink_out_of_the_folder_is_not_followed(write: Write, plan: Plan, tmp_path: Path) -> None:
    path = write("elsewhere", _root(document()))
    outside = tmp_path / "outside.json"
    outside.write_bytes(render(document(id="outside")))
    (path / "decisions/outside.json").symlink_to(outside)

    assert "symlink" in plan(path).rows[1].reason


def test_an_id_that_another_memory_has_is_left_to_it(
    write: Write, plan: Plan, project: Recollect
) -> None:
    project.memories.save(draft("Unlike", id="a-decision", created_at="2023-01-01"))
    project.memories.save(draft("Newer", id="newer", created_at="2024-01-01", content={"context": "N"}))
    records = [
        document(),
        document(id="newer", title="Older", created_at="2024-01-01", updated_at="2024-01-01"),
    ]
    rows = plan(write("elsewhere", _root(*records))).rows

    assert [row.action for row in rows] == [ImportAction.SKIP, ImportAction.SKIP]
    assert rows[0].reason == (
        "its id is taken by another memory: .claude/memory/decisions/a-decision.json"
    )
    assert rows[1].reason.startswith("already here in another version")


def test_one_id_twice_in_a_folder_comes_in_once(write: Write, bring_in: Import) -> None:
    records = [document(id="same"), document(Category.PREFERENCE, id="same")]
    report = bring_in(write("elsewhere", _root(*records)))

    assert [row.action for row in report.rows] == [ImportAction.CREATE, ImportAction.SKIP]
    assert "elsewhere/decisions/same.json" in report.rows[1].reason


def test_records_that_are_alike_all_come_in_and_a_repeat_of_ours_does_not(
    write: Write, bring_in: Import, project: Recollect
) -> None:
    twins = [document(id="one"), document(id="two")]
    first = bring_in(write("elsewhere", _root(*twins)))
    third = bring_in(write("third", _root(document(id="three"))))

    assert [row.action for row in first.rows] == [ImportAction.CREATE, ImportAction.CREATE]
    assert third.rows[0].reason == "the same text as one (100% similar)"


def test_a_file_in_the_wrong_place_comes_in_at_the_right_one(
    write: Write, bring_in: Import, folder: Path
) -> None:
    files = {"decisions/x.json": json.dumps(document(Category.PREFERENCE, id="y"))}
    (row,) = bring_in(write("elsewhere", files)).rows

    assert (folder / ".claude/memory/preferences/y.json").exists()
    assert len(row.notes) == 2


def test_an_export_brings_back_the_same_files(
    write: Write, bring_in: Import, project: Recollect, folder: Path
) -> None:
    bring_in(
        write(
            "elsewhere",
            _root(
                *(
                    document(category, **OLD | {"id": f"x-{category.value[:4]}"})
                    for category in Category
                )
            ),
        )
    )
    root = folder / ".claude/memory"
    before = {path: path.read_bytes() for path in root.rglob("*.json")}
    memories = [stored.memory for stored in project.memories.scan().stored]
    whole = folder / "all.json"
    whole.write_bytes(export.export_document(memories, "shop", NOW))
    assert {row.reason for row in bring_in(whole).rows} == {ALREADY_HERE}
    for path in before:
        path.unlink()
    report = bring_in(whole)

    assert [row.action for row in report.rows] == [ImportAction.CREATE] * 6
    assert {path: path.read_bytes() for path in root.rglob("*.json")} == before


def test_an_export_says_what_it_is() -> None:
    data = json.loads(export.export_document([], "shop", NOW))

    assert data == {
        "format": "recollect-export",
        "version": 1,
        "project": "shop",
        "exported_at": "2026-11-15T10:00:00Z",
        "memories": [],
    }


@given(
    st.dictionaries(st.text().map("x_{}".format), st.text() | st.integers() | st.booleans() | st.none())
)
def test_any_unknown_field_survives_an_export(extra: dict[str, Any]) -> None:
    memory = Memory.parse({**extra, **document()})
    (found,) = export.read(export.export_document([memory], "shop", NOW), "x.json")

    assert isinstance(found, Incoming)
    assert isinstance(found.memory, Memory)
    assert render(found.memory.document) == render(memory.document)


def test_a_bad_memory_in_an_export_is_skipped_and_the_rest_comes_in() -> None:
    deep: Any = []
    for _ in range(50):
        deep = [deep]
    rows = [document(), document(id="bad", title=""), 7, document(id="deep", x=deep)]
    large = document(id="large", x="y" * 1024 * 1024)
    data = json.dumps({"format": "recollect-export", "version": 1, "memories": [*rows, large]})
    found = list(export.read(data.encode(), "x.json"))

    assert isinstance(found[0], Incoming)
    assert [thing.origin for thing in found[1:]] == [
        "x.json#bad",
        "x.json#2",
        "x.json#deep",
        "x.json#large",
    ]
    assert all(isinstance(thing, Skipped) for thing in found[1:])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"format": "recollect-export", "version": 2, "memories": []}', "Upgrade"),
        (b'{"format": "recollect-export", "version": 1}', "memories"),
        (b'{"format": "other"}', "not a Recollect export"),
        (b"[]", "top level must be an object"),
        (b'{"format": "recollect-export",\n "a": 1, "a": 2}', "'a' appears twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": 1e999}', "out of range"),
        (b'{"a": ' + b"9" * 5000 + b"}", "out of range"),
        (b'{\n"a": \xff}', "line 2"),
        (b"[" * 100_000, "nested deeper"),
        (b"{", "line 1"),
    ],
)
def test_a_file_that_is_no_export_is_refused_with_the_reason(data: bytes, message: str) -> None:
    with pytest.raises((RefusedError, InvalidJsonError), match=message):
        list(export.read(data, "x.json"))


def test_a_secret_in_a_record_is_taken_out(project: Recollect) -> None:
    record = document(content={**document()["content"], "context": "ghp_" + "a1B2" * 9})  # type: ignore[dict-item]
    thing = Incoming("x.json", Memory.parse(record))
    report = importing.apply(importing.plan([thing], project.memories), project.memories)

    assert report.rows[0].redacted
    assert project.memories.get("a-decision").memory.content["context"] == "[REDACTED]"
