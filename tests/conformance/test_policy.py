"""What every store of policy rules does."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conformance.engines import OpenGateway

from recollect.gateway.policy import PolicyRule
from recollect.gateway.ports import PolicyRules

MakePolicy = Callable[[Path], PolicyRules]


@pytest.fixture
def make(open_gateway: OpenGateway) -> MakePolicy:
    return lambda folder: open_gateway(folder).policy


def test_rules_are_there_for_the_next_process_by_pattern(make: MakePolicy, tmp_path: Path) -> None:
    policy = make(tmp_path)
    policy.put("deny", "git:push")
    policy.put("ask", "files:*")

    assert make(tmp_path).rules() == [PolicyRule("ask", "files:*"), PolicyRule("deny", "git:push")]


def test_a_pattern_has_one_rule_the_last(make: MakePolicy, tmp_path: Path) -> None:
    policy = make(tmp_path)
    policy.put("deny", "git:*")
    policy.put("allow", "git:*")

    assert policy.rules() == [PolicyRule("allow", "git:*")]


def test_a_rule_is_removed_once(make: MakePolicy, tmp_path: Path) -> None:
    policy = make(tmp_path)
    policy.put("deny", "git:*")

    assert policy.remove("git:*")
    assert not policy.remove("git:*")
    assert policy.rules() == []
