"""May a tool be called? Rules of the user and of their harnesses, and which of them decided."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from recollect.gateway.tool import UpstreamTool

Effect = Literal["allow", "ask", "deny"]
EFFECTS: tuple[Effect, ...] = ("deny", "ask", "allow")  # the first that matches decides
_REFUSED_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """What to do about the tools whose name matches `pattern`, in which `*` stands for anything.

    A harness spells names in its own way: `server:tool`, `mcp__server__tool` and `server_tool` are the same.
    `unless` has patterns of tools that the rule leaves out. `source` says where the rule stands.
    """

    effect: Effect
    pattern: str
    source: str = "your policy"
    unless: tuple[str, ...] = ()

    def __str__(self) -> str:
        exception = f" unless {', '.join(self.unless)}" if self.unless else ""
        return f"{self.effect} {self.pattern}{exception} ({self.source})"

    def matches(self, tool: UpstreamTool) -> bool:
        """Whether the rule is about this tool."""
        return _any_match([self.pattern], tool) and not _any_match(self.unless, tool)


@dataclass(frozen=True, slots=True)
class PolicyDecision:
    """What policy says about a call. `rule` None: no rule is about the tool, so the harness asks or not."""

    effect: Effect
    rule: PolicyRule | None = None


def decide(tool: UpstreamTool, rules: Sequence[PolicyRule]) -> PolicyDecision:
    """The strictest rule about a tool decides: deny before ask before allow."""
    for effect in EFFECTS:
        for rule in rules:
            if rule.effect == effect and rule.matches(tool):
                return PolicyDecision(effect, rule)
    return PolicyDecision("allow")


def only_reads(tool: UpstreamTool, decision: PolicyDecision) -> bool:
    """Whether a tool may be called as one that only reads: its server says so, and no rule is stricter."""
    return tool.hints.read_only is True and decision.effect == "allow"


def restrictions(rules: Iterable[PolicyRule]) -> list[PolicyRule]:
    """Rules without those that allow: a project's file may forbid, and not permit."""
    return [rule for rule in rules if rule.effect != "allow"]


def _any_match(patterns: Sequence[str], tool: UpstreamTool) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in _spellings(tool))


def _spellings(tool: UpstreamTool) -> tuple[str, ...]:
    server, name = (_REFUSED_IN_NAMES.sub("_", part) for part in (tool.server, tool.name))
    return tool.id, f"mcp__{server}__{name}", f"{server}_{name}"
