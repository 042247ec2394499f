"""Which tool outputs are worth keeping? Declarative rules, in order; the first that matches decides.

A rule names tools, a pattern to search for, how much a match matters and which part is kept. The pattern is
searched in the tool's input (path, command, search text), then in its output. Names and words separated by
`|` are compared as they are; anything else is a regular expression, which RE2 must accept.
"""

from __future__ import annotations

from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Literal

    from recollect.working.tool_result import ToolResult

    Outcome = Literal["any", "failed", "succeeded"]
    Place = Literal["either", "given", "output"]

PLACES = ("either", "given", "output")
OUTCOMES = ("any", "failed", "succeeded")
MOST_RULES = 100  # of one file: each may be tried on every tool call, and is compared with every other
_SHOWN_LENGTH = 60  # characters of a wrong value that a message shows
_CHOOSY = frozenset({"commit", "failing_tests", "stack_trace"})  # keep nothing of most outputs
_SPECIAL = frozenset(".^$*+?{}[]()\\")
_FIELDS = ("id", "tool_pattern", "content_pattern", "attention", "summarizer", "looks_at", "outcome")


class Rule(Frozen):
    """One rule. `looks_at` is where it searches, `outcome` which calls count, `origin` its file."""

    id: str
    tool_pattern: str
    content_pattern: str
    attention: float
    summarizer: str
    looks_at: Place = "either"
    outcome: Outcome = "any"
    kind: str = "note"
    origin: str = "default"


def matches(rule: Rule, call: ToolResult) -> bool:
    """Whether a rule applies to a tool call."""
    if rule.outcome != "any" and (rule.outcome == "failed") is not call.failed:
        return False
    if not _matches_tool(rule.tool_pattern, call.tool):
        return False
    if not rule.content_pattern:
        return True
    places = {
        "given": (call.input_text,),
        "output": (call.output,),
        "either": (call.input_text, call.output),
    }
    return any(_finds(rule.content_pattern, text) for text in places[rule.looks_at] if text)


def _matches_tool(pattern: str, tool: str) -> bool:
    names = literals(pattern)
    return tool in names if names is not None else _searched(pattern, tool)


def _finds(pattern: str, text: str) -> bool:
    ignoring_case = pattern.startswith("(?i)")
    words = literals(pattern.removeprefix("(?i)"))
    if words is None:
        return _searched(pattern, text)
    if ignoring_case:
        text, words = text.lower(), [word.lower() for word in words]
    return any(word in text for word in words)


def literals(pattern: str) -> list[str] | None:
    """The words of a pattern that separates words by `|` (with dots escaped); None for other patterns."""
    plain = pattern.replace("\\.", "\0")
    if not plain or not _SPECIAL.isdisjoint(plain):
        return None
    return plain.replace("\0", ".").split("|")


def _searched(pattern: str, text: str) -> bool:
    """Whether a regular expression matches in a text."""
    from recollect.patterns import contains

    return contains(text, pattern)


def read_rules(raw: object, origin: str) -> tuple[list[Rule], list[str]]:
    """The valid rules of a configuration file, and what is wrong with the others.

    Entries that only switch a rule off are left to `in_force`.
    """
    if raw is None:
        return [], []
    if not isinstance(raw, list):
        return [], [f"rules must be a list, not {_shown(raw)} (from {origin})."]
    if len(raw) > MOST_RULES:
        return [], [
            f"rules has {len(raw):,} entries; at most {MOST_RULES} are allowed (from {origin})."
        ]
    rules, problems = list[Rule](), list[str]()
    for number, entry in enumerate(raw):
        if isinstance(entry, dict) and entry.get("enabled") is False:
            continue
        wrong = _problems(entry, {rule.id for rule in rules})
        where = f"rules[{number}]" if not isinstance(entry, dict) else _shown(entry.get("id", number))
        problems += [f"rule {where}: {problem} (from {origin})." for problem in wrong]
        if not wrong and isinstance(entry, dict):
            rules.append(
                Rule(**{name: entry[name] for name in _FIELDS if name in entry}, origin=origin)
            )
    return rules, problems


def in_force(
    lists: Sequence[tuple[str, object]], defaults: Sequence[Rule]
) -> tuple[tuple[Rule, ...], list[str]]:
    """The rules of these (origin, list), in order, then the defaults; and what is wrong with any of them.

    A rule goes before later ones of its id, so that a project can replace a user's and both a default. An
    entry of an id with `"enabled": false` switches off the later ones of that id.
    """
    rules, problems, taken = list[Rule](), list[str](), set[str]()
    for origin, raw in lists:
        own, wrong = read_rules(raw, origin)
        rules += [rule for rule in own if rule.id not in taken]
        problems += wrong
        taken |= {rule.id for rule in own} | _switched_off(raw)
    return (*rules, *(rule for rule in defaults if rule.id not in taken)), problems


def _shown(value: object) -> str:
    """A wrong value, shortened: a file may hold a megabyte of it."""
    text = repr(value)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}..."


def _switched_off(raw: object) -> set[str]:
    entries = raw if isinstance(raw, list) else []
    return {
        str(entry.get("id"))
        for entry in entries
        if isinstance(entry, dict) and entry.get("enabled") is False
    }


def _problems(entry: object, known: set[str]) -> list[str]:
    if not isinstance(entry, dict):
        return [f"it must be an object, not {_shown(entry)}"]
    problems = [
        f"unknown field {_shown(name)}; the fields are {', '.join(_FIELDS)} and enabled"
        for name in entry
        if name not in _FIELDS and name != "enabled"
    ]
    problems += [
        f"{name} must be text, not {_shown(entry.get(name))}"
        for name in ("id", "tool_pattern", "content_pattern")
        if not isinstance(entry.get(name), str) or (not entry[name] and name != "content_pattern")
    ]
    if str(entry.get("id")) in known:
        problems.append("another rule has this id")
    problems += _choices(entry)
    return problems + [
        f"{name} {_shown(entry[name])} is refused: {reason}"
        for name in ("tool_pattern", "content_pattern")
        if isinstance(entry.get(name), str) and (reason := _refused(entry[name]))
    ]


def _choices(entry: Mapping[str, Any]) -> list[str]:
    from recollect.working.summarise import SUMMARIZERS

    attention = entry.get("attention")
    problems = []
    if not isinstance(attention, int | float) or isinstance(attention, bool) or not 0 < attention <= 1:
        problems.append(f"attention must be above 0 and at most 1, not {_shown(attention)}")
    for name, allowed in (
        ("summarizer", tuple(SUMMARIZERS)),
        ("looks_at", PLACES),
        ("outcome", OUTCOMES),
    ):
        value = entry.get(name, None if name == "summarizer" else allowed[0])
        if value not in allowed:
            problems.append(f"{name} must be one of {', '.join(allowed)}, not {_shown(value)}")
    return problems


def _refused(pattern: str) -> str | None:
    if literals(pattern.removeprefix("(?i)")) is not None or not pattern:
        return None
    from recollect.patterns import refusal

    return refusal(pattern)


def overlaps(rules: Sequence[Rule]) -> list[tuple[Rule, Rule]]:
    """Pairs of rules of which the second seldom applies, because the first matches the same calls.

    Judged by the patterns alone: an earlier rule for the same tool and outcome that searches for the same
    words, or for anything. Rules whose summarizer keeps nothing of most outputs are left out.
    """
    return [
        (first, second)
        for place, second in enumerate(rules)
        for first in rules[:place]
        if _covers(first, second)
    ]


def _covers(first: Rule, second: Rule) -> bool:
    if (
        first.summarizer in _CHOOSY
        or first.outcome not in ("any", second.outcome)
        or first.looks_at
        not in (
            "either",
            second.looks_at,
        )
    ):
        return False
    if not _shares(first.tool_pattern, second.tool_pattern):
        return False
    return not first.content_pattern or _shares(first.content_pattern, second.content_pattern)


def _shares(first: str, second: str) -> bool:
    """Whether the first pattern matches a word of the second."""
    names = literals(second.removeprefix("(?i)"))
    if names is None:
        return first == second
    return any(
        _finds(first, name) if literals(first) is None else name in first.split("|") for name in names
    )
