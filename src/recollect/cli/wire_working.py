"""The shapes that the commands of working memory print with `--json`."""

from typing import NotRequired, TypedDict


class RuleRow(TypedDict):
    """One extraction rule, as it is in force."""

    id: str
    tool_pattern: str
    content_pattern: str
    attention: float
    summarizer: str
    looks_at: str
    outcome: str
    origin: str


class Overlap(TypedDict):
    """Two rules of which the first leaves little to the second."""

    first: str
    second: str


class RulesListOutput(TypedDict):
    """`recollect rules list`: the rules in force, in the order in which they are tried."""

    rules: list[RuleRow]
    overlaps: list[Overlap]


class RulesCheckOutput(TypedDict):
    """`recollect rules check`. `degree` is 1: a pattern's time grows linearly with the text."""

    safe: bool
    checked: int
    overlaps: list[Overlap]
    pattern: NotRequired[str]
    reason: NotRequired[str]
    degree: NotRequired[int]


class RuleItemRow(TypedDict):
    """What a rule keeps of a tool's output, its secrets taken out."""

    rule: str
    kind: str
    attention: float
    content: str
    fingerprint: str
    paths: list[str]
    command: str
    redacted: list[str]


class RulesTestOutput(TypedDict):
    """`recollect rules test`: what is kept, and what later rules would have kept."""

    tool: str
    failed: bool
    kept: RuleItemRow | None
    also: list[RuleItemRow]


class BenchRegexOutput(TypedDict):
    """`recollect bench regex`.

    Shares of the vulnerable patterns that cannot hurt and of the safe ones that are refused; the longest
    that an accepted pattern took on a text made to slow it down; the patterns that went wrong.
    """

    vulnerable_handled: float
    safe_refused: float
    worst_ms: float
    vulnerable: int
    safe: int
    characters: int
    missed: list[str]
    refused: list[str]


WORKING_SHAPES: dict[str, type] = {
    "bench regex": BenchRegexOutput,
    "rules check": RulesCheckOutput,
    "rules list": RulesListOutput,
    "rules test": RulesTestOutput,
}
