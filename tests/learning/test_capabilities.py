"""What is kept of code that worked."""

from dataclasses import replace

import pytest
from tests.requirements import requirement

from recollect.learning.capabilities import (
    MOST_LEARNED,
    Capability,
    capability_of,
    ranked,
    renamed,
    surplus,
)

FUNCTIONS = {"git_log": "git:log", "fs_read": "fs:read"}


def kept(code: str, intent: str = "", **variables: str) -> Capability:
    capability = capability_of(code, intent, FUNCTIONS, variables)
    assert capability is not None
    return capability


@requirement("learning:capabilities:kept")
def test_literals_that_tools_are_called_with_become_parameters() -> None:
    capability = kept("x = await git_log(repo='a', count=5, all=True)\nlen(x) + 1")
    assert capability.code == "x = await git_log(repo=repo, count=count, all=True)\nlen(x) + 1"
    assert capability.parameters == {"repo": "a", "count": 5}


@requirement("learning:capabilities:kept")
def test_two_values_of_one_argument_are_two_parameters_and_no_name_is_taken() -> None:
    capability = kept(
        "repo = 1\nawait git_log(repo='a')\nawait git_log(repo='b')\nawait git_log(repo='a')"
    )
    assert capability.parameters == {"repo_2": "a", "repo_3": "b"}
    assert capability.code.splitlines()[1:] == [
        "await git_log(repo=repo_2)",
        "await git_log(repo=repo_3)",
        "await git_log(repo=repo_2)",
    ]


@requirement("learning:capabilities:kept")
@pytest.mark.parametrize(
    "other",
    [
        "x=await git_log( repo = 'b' )  # another\nlen(x)",
        "x = await git_log(repo=repo)\nlen(x)",
    ],
)
def test_the_same_code_with_another_layout_or_other_values_is_the_same(other: str) -> None:
    assert kept("x = await git_log(repo='a')\n\nlen(x)").digest == kept(other).digest


@requirement("learning:capabilities:kept")
def test_a_capability_run_again_with_its_parameters_is_itself() -> None:
    first = kept("await git_log(repo='a', count=1)")
    again = capability_of(first.code, "", FUNCTIONS, first.parameters)
    assert again == first


@pytest.mark.parametrize("code", ["def (:", "x = 1\n" * 2_000, "(" * 5_000 + ")" * 5_000, "\0"])
def test_code_that_is_long_or_cannot_be_read_is_not_kept(code: str) -> None:
    assert capability_of(code, "", FUNCTIONS, {}) is None


def test_the_name_comes_from_the_intent_else_from_the_tools() -> None:
    assert kept("1", "Count the open issues of this week!").name == "count_open_issues_week"
    assert kept("1").name == "fs_read_git_log"
    assert renamed(kept("1"), frozenset({"fs_read_git_log"})).name == "fs_read_git_log_2"


@requirement("learning:capabilities:counted")
def test_one_lucky_run_is_not_above_fifty_of_fifty_one() -> None:
    once, often = kept("1"), replace(kept("2"), name="often", runs=51, successes=50)
    failing = replace(kept("3"), name="failing", runs=10, successes=2)
    assert ranked([failing, once, often]) == [often, once, failing]
    assert (once.reliability, often.reliability, failing.reliability) == (1.0, 1.2, 0.1)


@requirement("learning:capabilities:bounded")
def test_the_least_useful_make_room_and_never_what_a_person_named_or_the_newest() -> None:
    base = Capability("base", "d", "why", "1")
    many = [
        replace(base, name=f"n{number}", digest=f"d{number}", runs=number, successes=number)
        for number in range(2, MOST_LEARNED + 2)
    ]
    failing = replace(base, name="failing", digest="f", runs=9, successes=1)
    named = [
        replace(failing, name=f"named{number}", digest=f"p{number}", named=True) for number in (1, 2)
    ]
    newest = replace(base, name="newest", digest="new", runs=1, successes=0)

    assert surplus([*many, *named], "new") == []
    assert surplus([*many, failing, *named, newest], "new") == [failing, many[0]]
    assert surplus([*many[1:], newest, *named], "new") == []
