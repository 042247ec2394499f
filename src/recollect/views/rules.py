"""Extraction rules: as they are declared, and what they extract from a tool's output."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from recollect.working.rules import Rule


class RuleRow(TypedDict):
    """One active extraction rule. `matches` counts the items it has made in this project."""

    id: str
    tool_pattern: str
    content_pattern: str
    attention: float
    summarizer: str
    looks_at: str
    outcome: str
    origin: str
    matches: int


def rule_row(rule: "Rule", matches: int) -> RuleRow:
    """A rule as it is declared, and how often it matched."""
    return {
        "id": rule.id,
        "tool_pattern": rule.tool_pattern,
        "content_pattern": rule.content_pattern,
        "attention": rule.attention,
        "summarizer": rule.summarizer,
        "looks_at": rule.looks_at,
        "outcome": rule.outcome,
        "origin": rule.origin,
        "matches": matches,
    }


class OverlapRow(TypedDict):
    """Two rules; the first matches most of what the second would."""

    first: str
    second: str


class RulesListOutput(TypedDict):
    """`recollect rules list`: the active rules, in the order in which they are tried."""

    rules: list[RuleRow]
    overlaps: list[OverlapRow]


class RulesCheckOutput(TypedDict):
    """`recollect rules check`. `degree` is 1: a pattern's time grows linearly with the text."""

    safe: bool
    checked: int
    overlaps: list[OverlapRow]
    pattern: NotRequired[str]
    reason: NotRequired[str]
    degree: NotRequired[int]


class ExtractedRow(TypedDict):
    """What a rule extracts from a tool's output, without its secrets."""

    rule: str
    kind: str
    attention: float
    content: str
    fingerprint: str
    paths: list[str]
    command: str
    redacted: list[str]


class RulesTestOutput(TypedDict):
    """`recollect rules test`: what is extracted (`kept`), and what later rules would have extracted."""

    tool: str
    failed: bool
    kept: ExtractedRow | None
    also: list[ExtractedRow]
