"""A rule that is said in one plain sentence is found, though no word of it says "always" or "from now on"."""

import pytest
from tests.requirements import requirement
from tests.working import plain_rules

from recollect.working.statements import find_statements


@requirement("working:statements:found")
@pytest.mark.parametrize("message", plain_rules.RULES)
def test_an_outright_rule_alone_in_a_message_is_found(message: str) -> None:
    assert [each.text for each in find_statements(message)] == [message]


@pytest.mark.parametrize("message", plain_rules.ONE_OFF)
def test_a_request_for_the_task_at_hand_is_no_rule(message: str) -> None:
    assert find_statements(message) == []


@pytest.mark.parametrize(
    ("rules", "one_off"),
    [
        (plain_rules.SECOND_RULES, plain_rules.SECOND_ONE_OFF),
        (plain_rules.THIRD_RULES, plain_rules.THIRD_ONE_OFF),
    ],
)
def test_most_plain_rules_are_told_from_requests_in_their_words(
    rules: tuple[str, ...], one_off: tuple[str, ...]
) -> None:
    assert sum(bool(find_statements(message)) for message in rules) >= 14
    assert sum(bool(find_statements(message)) for message in one_off) <= 2
