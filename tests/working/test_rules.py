"""The rules of a configuration file: read, refused with reasons, put in order."""

from typing import Any

import pytest
from tests.requirements import requirement

from recollect.agents.harnesses import all_tools
from recollect.errors import InvalidConfigError
from recollect.working.default_rules import default_rules, rules_of
from recollect.working.rules import Rule, in_force, literals, overlaps, read_rules
from recollect.working.summarise import SUMMARIZERS

DEFAULT_RULES = default_rules(all_tools())

DEPLOY = {
    "id": "deploys",
    "tool_pattern": "Bash",
    "content_pattern": r"deploy (staging|production)",
    "attention": 0.9,
    "summarizer": "stdout",
}


@requirement("rules:reading:valid")
def test_a_rule_is_read_as_it_is_written() -> None:
    rules, problems = read_rules([DEPLOY], "memory-config.json")

    assert problems == []
    assert rules == [
        Rule(
            "deploys",
            "Bash",
            r"deploy (staging|production)",
            0.9,
            "stdout",
            origin="memory-config.json",
        )
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"content_pattern": "(?=a)b"},
            "content_pattern '(?=a)b' is refused: RE2 does not accept it (invalid perl operator: (?=); "
            "look-ahead is not supported: match the text that follows too (from here.json)",
        ),
        ({"tool_pattern": "(B)\\1"}, "tool_pattern '(B)\\\\1' is refused"),
        ({"content_pattern": "("}, "missing )"),
        ({"attention": 1.5}, "attention must be above 0 and at most 1, not 1.5"),
        ({"attention": True}, "attention must be"),
        ({"summarizer": "gpt"}, "summarizer must be one of first_last_500"),
        ({"id": ""}, "id must be text"),
        ({"looks_at": "inside"}, "looks_at must be one of either, given, output"),
        ({"outcome": "maybe"}, "outcome must be one of any, failed, succeeded"),
        ({"colour": "red"}, "unknown field 'colour'"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_with_its_id_and_the_reason(
    change: dict[str, Any], told: str
) -> None:
    rules, problems = read_rules([DEPLOY | change], "here.json")

    assert rules == []
    assert told in problems[0]
    assert repr((DEPLOY | change)["id"]) in problems[0]
    assert "here.json" in problems[0]


def test_one_bad_rule_does_not_take_the_others_with_it() -> None:
    rules, problems = read_rules([{"id": 1}, DEPLOY, "x", DEPLOY], "here.json")

    assert [rule.id for rule in rules] == ["deploys"]
    assert any("another rule has this id" in problem for problem in problems)
    assert any("must be an object, not 'x'" in problem for problem in problems)


@pytest.mark.parametrize("raw", [{}, "rules", 3])
def test_rules_that_are_no_list_are_refused(raw: object) -> None:
    assert "must be a list" in read_rules(raw, "here.json")[1][0]


def test_no_rules_are_no_problem() -> None:
    assert read_rules(None, "here.json") == ([], [])


def test_the_projects_rules_go_first_then_the_users_then_the_defaults() -> None:
    mine = DEPLOY | {"id": "mine"}
    rules, problems = in_force([("project", [DEPLOY]), ("user", [mine, DEPLOY])], DEFAULT_RULES)

    assert problems == []
    assert [(rule.id, rule.origin) for rule in rules[:2]] == [("deploys", "project"), ("mine", "user")]
    assert rules[2:] == DEFAULT_RULES


def test_a_default_can_be_switched_off_or_replaced() -> None:
    off = {"id": "file-edited", "enabled": False}
    mine = DEPLOY | {"id": "git-commit"}

    rules, problems = in_force([("project", [off, mine])], DEFAULT_RULES)

    assert problems == []
    assert "file-edited" not in [rule.id for rule in rules]
    assert [rule.origin for rule in rules if rule.id == "git-commit"] == ["project"]


@requirement("rules:reading:does-not-start")
def test_where_a_rule_is_refused_nothing_starts() -> None:
    with pytest.raises(InvalidConfigError, match=r"deploys.*refused.*here\.json"):
        rules_of([("here.json", [DEPLOY | {"content_pattern": "(?=a)b"}])], all_tools())


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("Read|read_file", ["Read", "read_file"]),
        (r"spec\.md|docs/", ["spec.md", "docs/"]),
        ("^Read", None),
        ("a.b", None),
        ("", None),
    ],
)
def test_words_divided_by_a_bar_need_no_regular_expression(
    pattern: str, words: list[str] | None
) -> None:
    assert literals(pattern) == words


@requirement("rules:overlap:warned")
def test_a_rule_that_leaves_another_nothing_is_told() -> None:
    every = Rule("everything", "Bash", "", 0.5, "stdout")
    deploy = Rule("deploys", "Bash", "deploy", 0.9, "stdout")
    edits = Rule("edits", "Edit", "", 0.5, "file_name")

    assert overlaps([every, deploy, edits]) == [(every, deploy)]
    assert overlaps([deploy, every, edits]) == []


def test_rules_that_share_a_word_overlap() -> None:
    first = Rule("first", "Bash|Shell", "deploy|release", 0.5, "stdout")
    second = Rule("second", "Shell", "release", 0.9, "stdout")
    other = Rule("other", "Shell", "rollback", 0.9, "stdout")

    assert overlaps([first, second, other]) == [(first, second)]


def test_the_defaults_do_not_overlap() -> None:
    assert overlaps(DEFAULT_RULES) == []


def test_the_defaults_are_rules_that_a_user_could_have_written() -> None:
    raw = [
        {
            "id": rule.id,
            "tool_pattern": rule.tool_pattern,
            "content_pattern": rule.content_pattern,
            "attention": rule.attention,
            "summarizer": rule.summarizer,
            "looks_at": rule.looks_at,
            "outcome": rule.outcome,
        }
        for rule in DEFAULT_RULES
    ]

    assert read_rules(raw, "x")[1] == []
    assert {rule.summarizer for rule in DEFAULT_RULES} <= SUMMARIZERS.keys()
