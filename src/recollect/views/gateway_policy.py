"""Rules about upstream tools, as JSON."""

from typing import TypedDict

from recollect.gateway.policy import PolicyRule


class PolicyRow(TypedDict):
    """A rule: allow, ask or deny, for tools that match `pattern` and none of `unless`; where it stands."""

    effect: str
    pattern: str
    unless: list[str]
    source: str


class GatewayPolicyOutput(TypedDict):
    """`recollect gateway policy`: your rules, then those of your harnesses."""

    rules: list[PolicyRow]


def policy_row(rule: PolicyRule) -> PolicyRow:
    """One rule."""
    return {
        "effect": rule.effect,
        "pattern": rule.pattern,
        "unless": list(rule.unless),
        "source": rule.source,
    }
