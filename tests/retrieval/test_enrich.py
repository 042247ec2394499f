"""Short prompts, and what was said before them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.retrieval.query import FEW, MOST_OF_A_TURN, TURNS, enriched, meaningful, skip_reason


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fix it",
        " 123456789 ",
        "/compact and go on with the queue",
        "好的",
        "はい",
        "。。。。",
        "ดีมาก",
    ],
)
def test_commands_and_what_says_next_to_nothing_are_left_alone(text: str) -> None:
    assert skip_reason(text)


@pytest.mark.parametrize(
    "text",
    [
        "fix the loop",
        "1234567890",
        "登录为什么会死循环",
        "修登录循环",
        "ログインを直す",
        "로그인 고쳐",
        "a/b is gone",
    ],
)
def test_ten_characters_are_looked_at_and_an_ideograph_counts_for_three(text: str) -> None:
    assert skip_reason(text) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("what did we decide about that?", 1),
        ("and why not the other one?", 1),
        ("", 0),
        ("a b c", 0),
        ("fix the fix, please fix", 2),
        ("outbox_lag_seconds", 1),
        ("где лежит журнал заказов", 4),
        ("注文の台帳", 4),
    ],
)
def test_words_count_once_compounds_as_one_and_stop_words_not_at_all(text: str, count: int) -> None:
    assert meaningful(text) == count


def test_a_prompt_that_says_little_is_followed_by_the_last_turns_newest_first() -> None:
    turns = ["first", "we need iDEAL in the Netherlands", " and Dutch texts ", "for marlin.nl"]

    assert enriched("was that finished?", turns) == (
        "was that finished?\nfor marlin.nl\nand Dutch texts\nwe need iDEAL in the Netherlands"
    )


def test_a_prompt_with_a_subject_of_its_own_is_left_alone() -> None:
    prompt = "rebuild the product index in Typesense"

    assert meaningful(prompt) == FEW + 1
    assert enriched(prompt, ["the checkout test is flaky"]) == prompt


def test_a_prompt_with_nothing_before_it_is_left_alone() -> None:
    assert enriched("do it", []) == "do it"
    assert enriched("do it", ["", "  \n"]) == "do it"


def test_a_log_pasted_earlier_does_not_take_over() -> None:
    assert enriched("why?", ["x" * 100_000]) == "why?\n" + "x" * MOST_OF_A_TURN


@given(st.text(), st.lists(st.text(), max_size=8))
def test_the_prompt_always_comes_first_and_the_rest_is_bounded(prompt: str, turns: list[str]) -> None:
    query = enriched(prompt, turns)

    assert query.startswith(prompt)
    assert len(query) <= len(prompt) + TURNS * (MOST_OF_A_TURN + 1)
