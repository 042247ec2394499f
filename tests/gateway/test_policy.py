"""Policy: which rule decides about a call."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement

from recollect.gateway.policy import (
    EFFECTS,
    Effect,
    PolicyRule,
    decide,
    only_reads,
    restrictions,
)
from recollect.gateway.tool import EffectHints, UpstreamTool

WRITE = UpstreamTool("files", "write_file")
READ = UpstreamTool("files", "read_file", hints=EffectHints(read_only=True))


@pytest.mark.parametrize(
    "pattern",
    ["files:write_file", "files:*", "*", "mcp__files__write_file", "mcp__files__*", "files_w*"],
)
def test_a_rule_matches_however_a_harness_spells_the_name(pattern: str) -> None:
    assert decide(WRITE, [PolicyRule("deny", pattern)]).effect == "deny"


@pytest.mark.parametrize("pattern", ["files:write", "file:*", "mcp__files", "write_file", "FILES:*"])
def test_a_rule_about_other_tools_does_not_match(pattern: str) -> None:
    assert decide(WRITE, [PolicyRule("deny", pattern)]).rule is None


def test_a_list_of_permitted_tools_denies_the_others() -> None:
    rule = PolicyRule("deny", "files:*", unless=("files:read_file",))

    assert decide(WRITE, [rule]).effect == "deny"
    assert decide(READ, [rule]).rule is None
    assert str(rule) == "deny files:* unless files:read_file (your policy)"


@requirement("gateway:policy:strictest")
@given(st.permutations(EFFECTS), st.integers(1, 3))
def test_the_strictest_rule_decides_in_whatever_order_they_stand(
    effects: list[Effect], count: int
) -> None:
    rules = [PolicyRule(effect, "files:*") for effect in effects[:count]]

    decision = decide(WRITE, rules)

    assert decision.effect == next(effect for effect in EFFECTS if effect in effects[:count])
    assert decision.rule in rules


def test_only_a_tool_that_says_that_it_reads_and_that_no_rule_restricts_counts_as_reading() -> None:
    ask = [PolicyRule("ask", "files:*")]
    lying = UpstreamTool("files", "read_it", hints=EffectHints(read_only=False))

    assert only_reads(READ, decide(READ, []))
    assert not only_reads(READ, decide(READ, ask))
    assert not only_reads(WRITE, decide(WRITE, [PolicyRule("allow", "*")]))
    assert not only_reads(lying, decide(lying, []))


def test_the_rules_of_a_project_forbid_and_do_not_permit() -> None:
    rules = [PolicyRule("allow", "*"), PolicyRule("ask", "a:*"), PolicyRule("deny", "b:*")]

    assert [rule.effect for rule in restrictions(rules)] == ["ask", "deny"]
