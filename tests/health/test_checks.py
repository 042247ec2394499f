"""What is wrong with the memories themselves: each check, triggered."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Wall
from tests.health.conftest import Examine
from tests.health.files import of, one, put, write
from tests.requirements import requirement
from tests.samples import CONTENT, NOW, draft

from recollect.app.project import Recollect
from recollect.health.finding import Fix, Level
from recollect.ids import UnifiedId
from recollect.records.categories import Category
from recollect.records.record import LinkType
from recollect.storage.files.inventory import NAME

SHOWN = ".claude/memory/decisions"


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b'{\n  "id": "x",\n  "title": oops\n}', 3, "not valid JSON"),
        (b'{\n\n"a": 1,\n"a": 2}', 4, "the key 'a' appears twice"),
        (b'{"a":\nNaN}', 2, "NaN is not valid JSON"),
        (b'{"a": 1,\n"b": "\xff"}', 2, "not UTF-8"),
        (b'{\n<<<<<<< ours\n"a": 1\n', 2, "unresolved merge conflict"),
        (b"", 1, "not valid JSON"),
        (b"[" * 40, 1, "nested deeper"),
    ],
)
@requirement("health:unreadable:where-and-why")
def test_a_file_that_is_no_json_is_found_with_its_line_and_the_reason(
    root: Path, examine: Examine, data: bytes, line: int, reason: str
) -> None:
    write(root, "broken.json", data)

    found = one("unreadable", examine())

    assert (found.level, found.path, found.line) == (Level.ERROR, f"{SHOWN}/broken.json", line)
    assert reason in found.message
    assert "by hand" in found.advice
    assert found.fix is None


def test_a_record_that_breaks_the_format_is_found_with_all_its_problems(
    root: Path, examine: Examine
) -> None:
    path = put(root, id="bad", tags=[], content={"status": "maybe"})

    found = one("unreadable", examine())

    for field in ("tags", "content.status", "content.decision"):
        assert f"{field}: " in found.message
    lines = path.read_text().splitlines()
    assert '"tags"' in lines[(found.line or 0) - 1]


def test_a_memory_in_a_place_that_is_not_its_own_is_found(root: Path, examine: Examine) -> None:
    put(root, id="one").rename(root / "decisions" / "other.json")
    put(root, Category.RUNBOOK, id="two").rename(root / "decisions" / "two.json")

    misnamed, misplaced = of("unreadable", examine())

    assert misnamed.message == "id: is 'one' but the file is other.json; rename one"
    assert misplaced.message == "category: is runbook; move the file to runbooks/"


def test_what_is_no_plain_file_is_found(root: Path, examine: Examine, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("{}")
    (root / "decisions" / "folder.json").mkdir(parents=True)
    (root / "decisions" / "link.json").symlink_to(outside)
    write(root, "huge.json", b" " * (1024 * 1024 + 1))

    reasons = {found.path: found.message for found in of("unreadable", examine())}

    assert "a folder" in reasons[f"{SHOWN}/folder.json"]
    assert "leaves the memory root" in reasons[f"{SHOWN}/link.json"]
    assert "1,048,577 bytes" in reasons[f"{SHOWN}/huge.json"]


def test_two_files_of_one_id_are_found(root: Path, examine: Examine) -> None:
    put(root, id="same")
    put(root, Category.RUNBOOK, id="same")

    found = one("duplicate-id", examine())

    assert found.level is Level.ERROR
    assert (
        found.message
        == f"the id 'same' is used by {SHOWN}/same.json and .claude/memory/runbooks/same.json"
    )
    assert found.path == ".claude/memory/runbooks/same.json"
    assert "Rename" in found.advice


def test_a_link_to_no_memory_is_found_with_the_command_that_removes_it(
    root: Path, examine: Examine
) -> None:
    links = [
        {"type": "caused", "target": "skill:any"},
        {"type": "supports", "target": "mem:there"},
        {"type": "caused", "target": "mem:nobody"},
    ]
    put(root, id="there")
    path = put(root, id="here", links=links)

    found = one("dangling-link", examine())

    assert (found.level, found.path) == (Level.WARNING, f"{SHOWN}/here.json")
    assert found.advice == "Remove it: recollect unlink here caused mem:nobody"
    assert found.line is not None
    assert "mem:nobody" in path.read_text().splitlines()[found.line - 1]


def test_a_link_to_a_memory_of_the_users_is_not_dangling(
    root: Path, project: Recollect, examine: Examine
) -> None:
    project.user_space.store.root.path.mkdir(parents=True)
    project.user_memories.save(draft("Mine"))
    put(root, links=[{"type": "supports", "target": "mem:mine"}])

    assert of("dangling-link", examine()) == []


@requirement("health:drifted-anchor:found")
def test_code_that_changed_or_went_is_found(
    folder: Path, project: Recollect, root: Path, examine: Examine
) -> None:
    for name in ("fresh.py", "changed.py", "gone.py"):
        (folder / name).write_text("x\n")
    anchors = [project.worktree.anchor(name, folder) for name in ("fresh.py", "changed.py", "gone.py")]
    path = put(root, id="anchored", anchors=anchors)
    put(root, id="retired", anchors=anchors, record_status="retired", retired_at="2026-11-15T10:00:00Z")
    assert of("drifted-anchor", examine()) == []

    (folder / "changed.py").write_text("y\n")
    (folder / "gone.py").unlink()

    changed, gone = of("drifted-anchor", examine())
    assert changed.message == "the anchored code 'changed.py' has changed since"
    assert gone.message == "the anchored code 'gone.py' is gone"
    assert {changed.path, gone.path} == {f"{SHOWN}/anchored.json"}
    assert "recollect edit anchored --reanchor" in changed.advice
    assert changed.line is not None
    assert "changed.py" in path.read_text().splitlines()[changed.line - 1]


@requirement("health:superseded:cycle")
def test_memories_that_supersede_each_other_through_others_are_found_once(
    root: Path, examine: Examine
) -> None:
    for newer, older in (("a", "b"), ("b", "c"), ("c", "a"), ("before", "a"), ("c2", "d")):
        put(root, id=newer, links=[{"type": "supersedes", "target": f"mem:{older}"}])
    put(root, id="d", links=[{"type": "supersedes", "target": "mem:a"}])

    found = one("supersession-cycle", examine())

    assert (found.level, found.path) == (Level.ERROR, f"{SHOWN}/a.json")
    assert found.message.startswith("'a' and 'b' and 'c' supersede each other")
    assert "to keep 'a': recollect unlink c supersedes mem:a" in found.advice
    assert "before" not in found.advice


@requirement("health:superseded:cycle")
def test_a_memory_that_supersedes_itself_is_found(
    root: Path, examine: Examine, reopen: Callable[[], Recollect]
) -> None:
    put(root, id="odd", links=[{"type": "supersedes", "target": "mem:odd"}])

    assert "recollect unlink odd supersedes mem:odd" in one("supersession-cycle", examine()).advice
    reopen().memories.unlink("odd", LinkType.SUPERSEDES, UnifiedId("mem:odd"))
    assert of("supersession-cycle", examine()) == []


def test_a_superseded_memory_that_counts_as_valid_is_found_and_closed(
    root: Path, project: Recollect, examine: Examine, fix: Examine
) -> None:
    put(root, id="older")
    put(root, id="newer", links=[{"type": "supersedes", "target": "mem:older"}])

    found = one("superseded-still-valid", examine())
    assert (found.path, found.fix) == (f"{SHOWN}/newer.json", Fix.CLOSE_SUPERSEDED)
    assert "'older'" in found.message
    fix()

    assert project.get("older").memory.valid_to == NOW
    assert of("superseded-still-valid", examine()) == []


def test_an_end_to_come_does_not_hide_that_a_memory_is_superseded_already(
    root: Path, project: Recollect, examine: Examine, fix: Examine
) -> None:
    put(root, id="older", valid_to="2030-01-01")
    put(root, id="planned", valid_to="2027-01-01")
    put(root, id="newer", links=[{"type": "supersedes", "target": "mem:older"}])
    put(root, id="later", valid_from="2027-01-01",
        links=[{"type": "supersedes", "target": "mem:planned"}])  # fmt: skip

    assert "'older'" in one("superseded-still-valid", examine()).message
    fix()

    assert project.get("older").memory.valid_to == NOW
    assert of("superseded-still-valid", examine()) == []


@pytest.mark.parametrize(
    "text", [None, "", "nonsense", "# Memory index\n- [DECISION] gone -> x.json #tags:a\n"]
)
def test_an_index_that_does_not_list_what_is_there_is_found_and_rebuilt(
    root: Path, examine: Examine, fix: Examine, text: str | None
) -> None:
    put(root)
    if text is not None:
        (root / NAME).write_text(text)

    found = one("stale-index", examine())
    assert (found.level, found.path) == (Level.WARNING, ".claude/memory/index.md")
    assert "recollect index" in found.advice
    fix()

    assert "A decision to test with" in (root / NAME).read_text()
    assert of("stale-index", examine()) == []


@requirement("health:secret:found")
def test_a_secret_that_came_past_the_gate_is_found_by_field_and_line_and_not_shown(
    root: Path, examine: Examine
) -> None:
    token = "ghp_" + "a1B2" * 9
    content = dict(CONTENT[Category.DECISION]) | {"rationale": ["Fine.", f"The key is {token}."]}
    path = put(root, id="leaky", content=content, retired_reason=f"leaked {token}", x_note=token)

    found = of("stored-secret", examine())

    fields = [finding.message.split()[0] for finding in found]
    assert fields == ["content.rationale[1]", "retired_reason", "x_note"]
    for finding in found:
        assert (finding.level, finding.path) == (Level.ERROR, f"{SHOWN}/leaky.json")
        assert finding.line is not None
        assert token in path.read_text().splitlines()[finding.line - 1]
        assert token not in finding.message + finding.advice
        assert "recollect edit leaky" in finding.advice


def test_ids_and_digests_are_not_taken_for_secrets(root: Path, examine: Examine) -> None:
    anchors = [{"path": "a.py", "digest": "sha256:" + "ab" * 32, "commit": "c0ffee" * 6 + "abcd"}]
    put(root, id="sk-2024-is-how-this-id-begins-and-no-key", anchors=anchors)

    assert of("stored-secret", examine()) == []


def test_what_waits_for_a_collection_is_noted(root: Path, wall: Wall, examine: Examine) -> None:
    put(root, Category.SESSION_SUMMARY)
    put(root, id="retired", record_status="retired", retired_at="2026-11-15T10:00:00Z")
    assert of("overdue", examine()) == []

    wall.move(days=91)

    found = one("overdue", examine())
    assert found.level is Level.NOTE
    assert found.message == "1 to retire and 1 to delete by the retention rules"
    assert "recollect gc" in found.advice


def test_one_broken_file_hides_no_other(root: Path, examine: Examine) -> None:
    for name in ("one.json", "two.json"):
        write(root, name, b"{")
    put(root, links=[{"type": "caused", "target": "mem:nobody"}])

    checks = [finding.check for finding in examine()]

    assert checks.count("unreadable") == 2
    assert "dangling-link" in checks


def test_a_file_is_read_by_its_own_text_not_by_a_cache(root: Path, examine: Examine) -> None:
    path = put(root)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"title": ""}))

    assert "title" in one("unreadable", examine()).message


@requirement("health:superseded:by-whom")
def test_a_superseded_decision_without_a_successor_is_asked_about(root: Path, examine: Examine) -> None:
    superseded = CONTENT[Category.DECISION] | {"status": "superseded"}
    put(root, id="older", content=superseded)

    finding = one("superseded-by-whom", examine())
    assert finding.path == f"{SHOWN}/older.json"
    assert finding.message.startswith("its status is superseded, but no memory")
    assert "recollect link NEWER supersedes older" in finding.advice

    put(root, id="newer", links=[{"type": "supersedes", "target": "mem:older"}])
    assert of("superseded-by-whom", examine()) == []
