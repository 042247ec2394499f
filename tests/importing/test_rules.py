"""Rules files, read as text."""

from typing import Any

import pytest
from tests.importing.texts import RULES
from tests.requirements import requirement
from tests.samples import NOW

from recollect.importing.incoming import Incoming, Skipped
from recollect.importing.rules import read
from recollect.records.draft import Draft


def _rules(text: str) -> dict[str, dict[str, Any]]:
    found = (thing for thing in read(text, "CLAUDE.md") if isinstance(thing, Incoming))
    drafts = [thing.memory for thing in found if isinstance(thing.memory, Draft)]
    return {str(draft.document["title"]): draft.document for draft in drafts}


def _skipped(text: str) -> dict[str, str]:
    found = (thing for thing in read(text, "CLAUDE.md") if isinstance(thing, Skipped))
    return {thing.origin.removeprefix("CLAUDE.md#"): thing.reason for thing in found}


@requirement("importing:rules:categories")
def test_what_binds_becomes_a_constraint_and_the_rest_a_preference() -> None:
    assert {title: rule["category"] for title, rule in _rules(RULES).items()} == {
        "The code must stay readable.": "constraint",
        "Write the failing test first": "preference",
        "You must never merge a red build": "constraint",
        "Consider property tests for parsers": "preference",
        "Run make check before you push": "preference",
        "Don't: commit secrets": "constraint",
        "Don't: rename public functions": "constraint",
    }


def test_a_preference_says_what_it_is_about_and_where_it_stands() -> None:
    rule = _rules(RULES)["Write the failing test first"]

    assert rule["tags"] == ["testing", "rules"]
    assert rule["content"] == {
        "topic": "Testing",
        "value": "Write the failing test first\n- and see it fail",
        "reason": 'Stated under "Testing" in CLAUDE.md.',
        "strength": "default",
    }


def test_a_constraint_says_how_much_it_binds() -> None:
    rule = _rules(RULES)["You must never merge a red build"]

    assert rule["content"] == {
        "kind": "policy",
        "rule": "You must never merge a red build",
        "impact": ['Stated under "Testing" in CLAUDE.md.'],
        "severity": "high",
        "active": True,
    }


def test_what_is_no_rule_is_skipped_with_its_line_and_the_reason() -> None:
    assert _skipped(RULES) == {
        "L3": "prose, not a rule",
        "L5": "an import of another file; import that file by its own path",
        "L16": "says what a command or a file is, not a rule",
        "L17": "a command, not a rule",
        "L18": "a link, not a rule",
        "L28": "names a path, not a rule",
        "L30": "a code block",
        "L34": "a table",
        "L41": "a heading without rules",
    }


@pytest.mark.parametrize(
    ("rule", "category", "measure"),
    [
        ("Do not log in loops", "constraint", "medium"),
        ("A changelog entry is required", "constraint", "medium"),
        ("Never log in loops", "constraint", "high"),
        ("You don't need to ask", "preference", "default"),
        ("Always ask", "preference", "strong"),
        ("Ideally ask", "preference", "soft"),
        ("Call `never()` to stop", "preference", "default"),
        ("Small functions", "preference", "default"),
    ],
)
def test_the_words_of_a_rule_decide(rule: str, category: str, measure: str) -> None:
    (document,) = _rules(f"# Style\n\n* {rule}\n").values()

    assert document["category"] == category
    assert measure in (document["content"].get("severity"), document["content"].get("strength"))


def test_a_lead_in_goes_with_each_item_below_it() -> None:
    """Without it, "commit secrets" would stand as an order."""
    titles = _rules("# Git\n\nNever do this:\n\n- commit secrets\n- push by force\n")

    assert list(titles) == ["Never do this: commit secrets", "Never do this: push by force"]


def test_lines_without_a_full_stop_are_rules_of_their_own() -> None:
    assert list(_rules("# Git\n\nNEVER push to main\nALWAYS ask before\nyou rebase\n")) == [
        "NEVER push to main",
        "ALWAYS ask before you rebase",
    ]


def test_the_name_of_a_rule_survives_rewording_its_end_and_moving() -> None:
    one = read("# Style\n\n- Use four spaces and never any tabs\n", "CLAUDE.md")
    other = read("# Style\n\n- Be kind\n- Use four spaces and never any others\n", "CLAUDE.md")

    assert next(iter(one)).origin in {thing.origin for thing in other}


def test_equal_rules_under_one_heading_have_names_of_their_own() -> None:
    origins = [thing.origin for thing in read("# A\n\n- Be kind\n- Be kind\n", "CLAUDE.md")]

    assert len(set(origins)) == 2


def test_every_rule_of_the_sample_is_a_valid_memory_with_a_short_title() -> None:
    for document in _rules(RULES + f"\n## Long\n\n- Use {'very ' * 60}short titles\n").values():
        draft = Draft(document)
        assert len(draft.as_memory(draft.proposed_id(), NOW).title) <= 120


def test_rules_above_the_first_heading_are_about_the_file() -> None:
    (rule,) = _rules("- Use tabs\r\n").values()

    assert rule["content"]["topic"] == "CLAUDE.md"
    assert rule["content"]["reason"] == "Stated at the top of CLAUDE.md."
