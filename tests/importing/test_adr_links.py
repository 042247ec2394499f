"""Which ADR supersedes which, in the words of either."""

from collections.abc import Mapping

import pytest
from tests.importing.texts import MADR, MINIMAL, NYGARD

from recollect.importing.adr import read_all
from recollect.importing.incoming import Incoming, Skipped


def _batch(files: Mapping[str, str]) -> dict[str, Incoming | Skipped]:
    found = read_all((f"docs/adr/{name}", text) for name, text in files.items())
    return {thing.origin.removeprefix("docs/adr/"): thing for thing in found}


def test_both_spellings_of_a_supersession_name_the_same_pair() -> None:
    found = _batch(NYGARD)
    pairs = {
        (edge.newer, edge.older)
        for thing in found.values()
        if isinstance(thing, Incoming)
        for edge in thing.successions
        if not edge.is_amendment
    }

    assert pairs == {("docs/adr/0004-sign-tokens.md", "docs/adr/0002-store-sessions-in-redis.md")}


def test_a_supersession_is_found_by_number_and_one_that_leads_nowhere_is_noted() -> None:
    found = _batch(MADR)
    queue, log = found["0005-queue.md"], found["0011-log.md"]

    assert isinstance(queue, Incoming)
    assert isinstance(log, Incoming)
    assert [(edge.newer, edge.older) for edge in queue.successions] == [
        ("docs/adr/0011-log.md", "docs/adr/0005-queue.md")
    ]
    assert len(log.successions) == 1
    assert "Supersedes [ADR-0005](0005-queue.md)" in log.successions[0].evidence
    assert any("no ADR of this import" in note for note in log.notes)


@pytest.mark.parametrize(
    ("line", "linked"),
    [
        ("This supersedes ADR 3.", True),
        ("Supersedes [Old](0003-old.md)", True),
        ("This is not superseded by ADR 3.", False),
        ("This would be superseded by ADR 3.", False),
        ("Amends ADR 3", False),
        ("It replaces 3 servers.", False),
        ("It supersedes 3 servers.", False),
    ],
)
def test_prose_supersedes_only_what_it_names_as_an_adr(line: str, linked: bool) -> None:
    text = MINIMAL.format(title="New").replace("A.\n", f"{line}\n")
    found = _batch({"0003-old.md": MINIMAL.format(title="Old"), "0009-new.md": text})["0009-new.md"]

    assert isinstance(found, Incoming)
    assert any(not edge.is_amendment for edge in found.successions) is linked


@pytest.mark.parametrize(
    "line",
    [
        "Amends ADR 3",
        "This partly supersedes ADR 3.",
        "It supersedes parts of ADR 3.",
        "These ranges have been superseded by ADR 3.",
        "This section is superseded by ADR 3.",
        "Partially superseded by [Old](0003-old.md)",
    ],
)
def test_what_changes_only_a_part_is_an_amendment(line: str) -> None:
    text = MINIMAL.format(title="New").replace("A.\n", f"{line}\n")
    found = _batch({"0003-old.md": MINIMAL.format(title="Old"), "0009-new.md": text})["0009-new.md"]

    assert isinstance(found, Incoming)
    assert [edge.is_amendment for edge in found.successions] == [True]


def test_a_record_that_calls_itself_partly_superseded_is_ended_by_no_other() -> None:
    """Whatever the newer record says of it."""
    old = MINIMAL.format(title="Old").replace("Accepted", "Partly superseded")
    assert "Partly superseded" in old
    new = MINIMAL.format(title="New").replace("A.\n", "It supersedes ADR 3.\n")
    found = _batch({"0003-old.md": old, "0009-new.md": new})["0009-new.md"]

    assert isinstance(found, Incoming)
    assert [edge.is_amendment for edge in found.successions] == [True]


def test_a_section_called_supersedes_names_what_it_lists() -> None:
    text = MINIMAL.format(title="New") + "\n## Supersedes\n\n- ADR-3\n"
    found = _batch({"0003-old.md": MINIMAL.format(title="Old"), "0009-new.md": text})["0009-new.md"]

    assert isinstance(found, Incoming)
    assert [edge.older for edge in found.successions] == ["docs/adr/0003-old.md"]
