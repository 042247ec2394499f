"""Bringing things into a real project, file by file."""

import json
from pathlib import Path

import pytest
from tests.conftest import Wall
from tests.importing.conftest import Import, Plan, Write
from tests.importing.texts import LOOSE, MADR, NYGARD, RULES
from tests.requirements import requirement
from tests.samples import draft

from recollect import clock
from recollect.app.project import Recollect
from recollect.importing import plan as importing
from recollect.importing import sources
from recollect.importing.incoming import Incoming, Succession
from recollect.importing.report import (
    ALREADY_IMPORTED,
    EDITED_HERE,
    ImportAction,
    ImportReport,
)
from recollect.records.draft import Draft
from recollect.records.memories import Saved
from recollect.records.record import LinkType

SECRET = "ghp_" + "a1B2" * 10


def _actions(found: ImportReport) -> list[ImportAction]:
    return [row.action for row in found.rows]


def _files(folder: Path) -> dict[str, bytes]:
    found = (folder / ".claude/memory").rglob("*")
    return {path.name: path.read_bytes() for path in found if path.is_file()}


def test_a_plan_shows_every_file_and_writes_nothing(write: Write, plan: Plan, folder: Path) -> None:
    before = _files(folder)
    made = plan(write("docs/adr", MADR))

    assert [(row.origin, row.action, row.reason) for row in made.rows] == [
        ("docs/adr/0000-template.md", ImportAction.SKIP, "a template: its text is placeholders"),
        ("docs/adr/0005-queue.md", ImportAction.CREATE, "new"),
        ("docs/adr/0011-log.md", ImportAction.CREATE, "new"),
        ("docs/adr/README.md", ImportAction.SKIP, "an index or a readme, not a decision"),
    ]
    assert made.rows[1].title == "Use RabbitMQ as the message queue"
    assert made.rows[1].id == "use-rabbitmq-as-the-message-queue"
    assert _files(folder) == before


@requirement("importing:plan:idempotent")
@pytest.mark.parametrize("files", [NYGARD, MADR, LOOSE, {"CLAUDE.md": RULES}])
def test_a_second_import_creates_nothing_and_says_so(
    files: dict[str, str], write: Write, bring_in: Import, folder: Path
) -> None:
    path = write("docs/adr", files)
    path = path / "CLAUDE.md" if "CLAUDE.md" in files else path
    first = bring_in(path)
    before = _files(folder)
    second = bring_in(path)

    assert first.of(ImportAction.CREATE)
    assert _files(folder) == before
    assert set(_actions(second)) == {ImportAction.SKIP}
    created = {row.origin for row in first.of(ImportAction.CREATE)}
    assert {row.reason for row in second.rows if row.origin in created} == {ALREADY_IMPORTED}


def test_a_change_in_the_source_updates_its_memory(
    write: Write, bring_in: Import, project: Recollect, wall: Wall
) -> None:
    name = "0001-record-decisions.md"
    path = write("docs/adr", NYGARD)
    bring_in(path)
    wall.move(days=1)
    write("docs/adr", {name: NYGARD[name].replace("a short file", "a page")})
    report = bring_in(path)

    assert [(row.id, row.reason) for row in report.of(ImportAction.UPDATE)] == [
        ("record-our-decisions", "changed in the source")
    ]
    memory = project.memories.get("record-our-decisions").memory
    assert memory.content["decision"] == "We will write a page for each decision."
    assert memory.times_updated == 1
    assert memory.rows("changes")[-1]["summary"] == f"Imported again from docs/adr/{name}"
    assert not bring_in(path).of(ImportAction.UPDATE)


def test_a_change_that_says_nothing_new_changes_nothing(write: Write, bring_in: Import) -> None:
    path = write("docs/adr", NYGARD)
    bring_in(path)
    write("docs/adr", {name: text.replace("\n\n", "\n\n\n") for name, text in NYGARD.items()})

    assert {row.reason for row in bring_in(path).rows} == {ALREADY_IMPORTED}


@requirement("importing:plan:local-edit")
def test_a_memory_edited_here_is_not_overwritten(
    write: Write, bring_in: Import, project: Recollect
) -> None:
    name = "0001-record-decisions.md"
    path = write("docs/adr", NYGARD)
    bring_in(path)
    id = "record-our-decisions"
    project.memories.edit(id, lambda _: {"title": "Write decisions down"}, "Clearer")
    unchanged = bring_in(path)
    write("docs/adr", {name: NYGARD[name].replace("a short file", "a page")})
    changed = bring_in(path)

    assert unchanged.rows[0].reason == ALREADY_IMPORTED
    assert changed.rows[0].reason == EDITED_HERE
    assert project.memories.get(id).memory.title == "Write decisions down"


def test_a_rule_that_became_binding_is_left_to_a_person(write: Write, bring_in: Import) -> None:
    path = (
        write("", {"CLAUDE.md": "# Git\n\n- Squash before you merge a branch please\n"}) / "CLAUDE.md"
    )
    bring_in(path)
    write("", {"CLAUDE.md": "# Git\n\n- Squash before you merge a branch, this is mandatory\n"})
    (row,) = bring_in(path).rows

    assert row.action is ImportAction.SKIP
    assert row.reason.startswith("now a constraint in the source, but a preference here")


def test_a_reworded_rule_updates_its_memory(write: Write, bring_in: Import, project: Recollect) -> None:
    path = write("", {"CLAUDE.md": "# Git\n\n- Squash before you merge a branch\n"}) / "CLAUDE.md"
    bring_in(path)
    write("", {"CLAUDE.md": "# Git\n\n- Squash before you merge a branch, and sign it\n"})
    (row,) = bring_in(path).rows

    assert row.action is ImportAction.UPDATE
    memory = project.memories.get("squash-before-you-merge-a-branch").memory
    assert memory.content["value"] == "Squash before you merge a branch, and sign it"


def test_a_retired_import_stays_retired(write: Write, bring_in: Import, project: Recollect) -> None:
    name = "0001-record-decisions.md"
    path = write("docs/adr", NYGARD)
    bring_in(path)
    project.memories.retire("record-our-decisions", "No longer so")
    write("docs/adr", {name: NYGARD[name].replace("a short file", "a page")})

    assert "retired here" in bring_in(path).rows[0].reason


def test_what_is_here_already_is_skipped_and_named(
    write: Write, plan: Plan, project: Recollect
) -> None:
    saved = project.memories.save(
        draft("Retry three times", content={"decision": "Retry a failed call three times."})
    )
    assert isinstance(saved, Saved)
    (row,) = plan(write("docs/adr", {"retry.md": LOOSE["retry.md"]})).rows

    assert row.action is ImportAction.SKIP
    assert row.id == "retry-three-times"
    assert row.reason.startswith("nearly the same text as retry-three-times (")
    assert row.reason.endswith("% similar)")


def test_files_that_are_alike_do_not_keep_each_other_out(write: Write, bring_in: Import) -> None:
    """Two ADRs of one folder are two decisions, however similar; only the same text is one."""
    text = LOOSE["retry.md"]
    files = {"a.md": text, "b.md": text.replace("a second", "one second"), "c.md": text}
    report = bring_in(write("docs/adr", files))

    assert _actions(report) == [ImportAction.CREATE, ImportAction.CREATE, ImportAction.SKIP]
    assert report.rows[2].reason == (
        "the same text as retry-three-times (100% similar), from docs/adr/a.md of this import"
    )
    assert report.rows[1].id == "retry-three-times-2"


def test_a_new_file_beside_imported_ones_may_be_like_them(write: Write, bring_in: Import) -> None:
    text = LOOSE["retry.md"]
    bring_in(write("docs/adr", {"a.md": text}))
    report = bring_in(write("docs/adr", {"b.md": text.replace("a second", "one second")}))

    assert _actions(report) == [ImportAction.SKIP, ImportAction.CREATE]


@requirement("importing:plan:redacted")
def test_a_secret_reaches_neither_the_plan_nor_a_file(
    write: Write, plan: Plan, bring_in: Import, folder: Path
) -> None:
    text = NYGARD["0002-store-sessions-in-redis.md"].replace("Redis", f"Redis {SECRET}")
    rules = f"# Keys\n\n- Use {SECRET} for tests\n"
    path = write("docs/adr", {"0002-x.md": text})
    made = plan(path)
    bring_in(path)
    bring_in(write("", {"CLAUDE.md": rules}) / "CLAUDE.md")

    assert SECRET not in repr(made)
    assert made.rows[0].redacted
    written = b"".join(_files(folder).values())
    assert b"[REDACTED]" in written
    assert SECRET.encode() not in written
    assert SECRET.lower().replace("_", "-").encode() not in written


@pytest.mark.parametrize(
    ("files", "pair", "ended"),
    [
        (NYGARD, ("sign-tokens-instead-of-storing-sessions", "store-sessions-in-redis"), "2021-09-30"),
        (MADR, ("keep-messages-in-a-log", "use-rabbitmq-as-the-message-queue"), "2023-06-01"),
    ],
)
def test_the_older_decision_ends_where_the_newer_begins(
    files: dict[str, str],
    pair: tuple[str, str],
    ended: str,
    write: Write,
    bring_in: Import,
    project: Recollect,
) -> None:
    newer, older = pair
    bring_in(write("docs/adr", files))
    memory = project.memories.get(newer).memory
    closed = project.memories.get(older).memory.valid_to

    [link] = [link for link in memory.links if link.type is LinkType.SUPERSEDES]
    assert link.target == f"mem:{older}"
    assert "uper" in str(link.evidence)
    assert closed is not None
    assert closed.date().isoformat() == ended


def test_a_supersession_that_is_added_later_is_linked_then(
    write: Write, bring_in: Import, project: Recollect
) -> None:
    old, new = "0002-store-sessions-in-redis.md", "0004-sign-tokens.md"
    alone = {
        old: NYGARD[old].replace("Superseded by [4. Sign", "See [Sign"),
        new: NYGARD[new].replace("Supercedes", "See"),
    }
    path = write("docs/adr", alone)
    bring_in(path)
    assert not project.memories.get("sign-tokens-instead-of-storing-sessions").memory.links
    write("docs/adr", {old: NYGARD[old]})
    report = bring_in(path)

    assert {row.reason for row in report.of(ImportAction.UPDATE)} == {
        "changed in the source",
        "supersedes another memory now",
    }
    assert project.memories.get("store-sessions-in-redis").memory.valid_to is not None
    assert set(_actions(bring_in(path))) == {ImportAction.SKIP}


REAL = {
    "0007-own-servers.md": (
        "# 7. Run our own servers\n\n* Status: Accepted: 2018-03-01\n"
        "  Superseded: 2019-12-19 by [ADR 14](0014-rent-servers.md)\n\n## Decision\n\nWe will buy servers.\n"
    ),
    "0008-address-ranges.md": (
        "# 8. Address ranges\n\nDate: 2018-04-01\n\n## Status\n\nPartly superseded\n\n## Decision\n\n"
        "We will use 10.0.0.0/8.\n\nThese ranges have been superseded by [ADR 14](0014-rent-servers.md).\n"
    ),
    "0009-names.md": (
        "# 9. Names of hosts\n\nDate: 2018-05-01\n\n## Status\n\nAccepted\n\n"
        "Amended by [14. Rent servers](0014-rent-servers.md)\n\n## Decision\n\nWe will number hosts.\n"
    ),
    "0010-planned.md": (
        "# 10. Serverless\n\nDate: 2020-05-01\n\n## Status\n\nDraft\n\n"
        "Supersedes [14. Rent servers](0014-rent-servers.md)\n\n## Decision\n\nWe will run functions.\n"
    ),
    "0014-rent-servers.md": (
        "# 14. Rent servers\n\nDate: 2019-12-01\n\n## Status\n\nAccepted\n\n## Decision\n\n"
        "We will rent servers because nobody wants to carry them.\n"
    ),
}


@requirement("importing:plan:in-force")
def test_an_imported_decision_is_in_force_exactly_when_its_record_says_so(
    write: Write, bring_in: Import, project: Recollect
) -> None:
    report = bring_in(write("docs/adr", REAL))
    reasons = {
        stored.memory.id: project.force(stored.memory).reason(project.now)
        for stored in project.memories.scan().stored
    }
    project.search.update_index()
    servers = project.memories.get("run-our-own-servers").memory

    assert project.force(servers).reason(project.now) == "superseded by rent-servers since 2019-12-19"
    assert clock.to_text(servers.valid_from)[:10] == "2018-03-01"
    assert {id for id, reason in reasons.items() if not reason} == {
        "address-ranges",
        "names-of-hosts",
        "rent-servers",
    }
    notes = [note for row in report.rows for note in row.notes]
    assert any("only part of it is superseded" in note for note in notes)
    assert set(_actions(bring_in(write("docs/adr", REAL)))) == {ImportAction.SKIP}


@requirement("importing:plan:amendments")
def test_an_amendment_is_a_link_with_its_evidence_and_ends_nothing(
    write: Write, bring_in: Import, project: Recollect
) -> None:
    bring_in(write("docs/adr", REAL))
    newer = project.memories.get("rent-servers").memory

    links = {(link.type.value, link.target): str(link.evidence) for link in newer.links}

    assert set(links) == {
        ("supersedes", "mem:run-our-own-servers"),
        ("derived_from", "mem:address-ranges"),
        ("derived_from", "mem:names-of-hosts"),
    }
    assert any("Amended by [14. Rent servers]" in evidence for evidence in links.values())
    assert project.memories.get("names-of-hosts").memory.valid_to is None


def test_a_link_that_a_person_took_away_is_not_put_back(
    write: Write, bring_in: Import, project: Recollect
) -> None:
    path = write("docs/adr", NYGARD)
    bring_in(path)
    newer = project.memories.get("sign-tokens-instead-of-storing-sessions").memory
    for link in newer.links:
        project.memories.unlink(newer.id, link.type, link.target)
    report = bring_in(path)

    assert set(_actions(report)) == {ImportAction.SKIP}
    assert not project.memories.get(newer.id).memory.links


def test_two_that_supersede_each_other_keep_one_link_and_a_note(write: Write, bring_in: Import) -> None:
    files = {
        "0001-a.md": "# A\n\nStatus: accepted, supersedes ADR 2\n\n## Decision\n\nWe will do A.\n",
        "0002-b.md": "# B\n\nStatus: accepted, supersedes ADR 1\n\n## Decision\n\nWe will do B.\n",
    }
    report = bring_in(write("docs/adr", files))

    assert _actions(report) == [ImportAction.CREATE, ImportAction.CREATE]
    assert any("each would supersede the other" in note for row in report.rows for note in row.notes)


def test_a_supersession_of_what_is_not_brought_in_is_a_note(project: Recollect) -> None:
    thing = Incoming(
        "a.md",
        Draft({**draft("A").document, "source": {"kind": "import", "origin": "a.md", "digest": "1"}}),
        successions=(Succession("a.md", "gone.md", "a.md says: Supersedes gone.md"),),
    )
    (row,) = importing.plan([thing], project.memories).rows

    assert row.action is ImportAction.CREATE
    assert row.notes == ("not linked, because gone.md is not imported: a.md says: Supersedes gone.md",)


def test_what_changed_since_the_plan_is_skipped(write: Write, plan: Plan, project: Recollect) -> None:
    path = write("docs/adr", {"retry.md": LOOSE["retry.md"]})
    made = plan(path)
    project.memories.save(draft("Something else", id="retry-three-times"))
    (row,) = importing.apply(made, project.memories).rows

    assert row.action is ImportAction.SKIP
    assert "run the import again" in row.reason
    assert project.memories.get("retry-three-times").memory.title == "Something else"


def test_progress_counts_every_row(write: Write, plan: Plan, project: Recollect) -> None:
    seen: list[tuple[int, int]] = []
    importing.apply(
        plan(write("docs/adr", NYGARD)), project.memories, lambda done, of: seen.append((done, of))
    )

    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_an_import_names_its_source_in_the_file(write: Write, bring_in: Import, folder: Path) -> None:
    bring_in(write("docs/adr", {"retry.md": LOOSE["retry.md"]}))
    path = folder / ".claude/memory/decisions/retry-three-times.json"
    source = json.loads(path.read_bytes())["source"]

    assert source["kind"] == "import"
    assert source["origin"] == "docs/adr/retry.md"
    assert len(source["digest"]) == 64


def test_the_same_source_by_another_path_is_the_same(
    write: Write, bring_in: Import, project: Recollect, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_in(write("docs/adr", NYGARD))
    monkeypatch.chdir(folder)
    made = importing.plan(sources.read(Path("./docs/../docs/adr")), project.memories)

    assert {row.reason for row in made.rows} == {ALREADY_IMPORTED}
