"""Extract an item from a tool call: the summary that the first matching rule makes of the redacted call.

Rules match the raw call, because most calls yield nothing and redaction is the expensive part. The call is
redacted once, for the first rule that matches, and the rule summarises the redacted call.
"""

from __future__ import annotations

from recollect.values import Frozen
from recollect.working.redacted import redact_text
from recollect.working.rules import matches
from recollect.working.tool_result import ToolResult, without_middle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recollect.working.redacted import Redact, RedactedText
    from recollect.working.rules import Rule
    from recollect.working.summarise import Summary


class Extracted(Frozen):
    """The item that a rule extracts from a tool call; `redacted` are the kinds of removed secrets."""

    rule: str
    content: str
    attention: float
    kind: str
    fingerprint: str = ""
    paths: tuple[str, ...] = ()
    command: str = ""
    redacted: tuple[str, ...] = ()


def extract(
    call: ToolResult, rules: Sequence[Rule], redact: Redact, command: RedactedText | None = None
) -> Extracted | None:
    """The item that the first matching rule extracts from a tool call; None when no rule does.

    A caller that has redacted the call's `command` already passes it.
    """
    return next(_extractions(call, rules, redact, command), None)


def matching(call: ToolResult, rules: Sequence[Rule], redact: Redact) -> list[Extracted]:
    """The item that each matching rule would extract; only the first is stored."""
    return list(_extractions(call, rules, redact, None))


def _extractions(
    call: ToolResult, rules: Sequence[Rule], redact: Redact, command: RedactedText | None
) -> Iterator[Extracted]:
    clean: ToolResult | None = None
    kinds: tuple[str, ...] = ()
    for rule in rules:
        summary = _summary(rule, clean or call)
        if not summary:
            continue
        if clean is None:
            clean, kinds = _redacted(call, redact, command)
            summary = _summary(rule, clean) if kinds else summary
        if summary:
            yield _extracted(rule, summary, clean, kinds)


def _summary(rule: Rule, call: ToolResult) -> Summary | None:
    """The item that a rule extracts from the raw call; None when it does not match or yields nothing."""
    if not matches(rule, call):
        return None
    from recollect.working.summarise import SUMMARIZERS  # few reads and edits match a rule

    summary = SUMMARIZERS[rule.summarizer](call)
    return summary if summary.content else None


def _redacted(
    call: ToolResult, redact: Redact, command: RedactedText | None
) -> tuple[ToolResult, tuple[str, ...]]:
    """A call without its secrets, and their kinds. Its output is cut only now."""
    output = redact_text(call.wide_output, redact)
    ran = redact_text(call.command, redact) if command is None else command
    search = redact_text(call.search, redact)
    paths = [redact_text(path, redact) for path in call.paths]
    clean = ToolResult(
        call.tool,
        without_middle(output.text),
        call.failed,
        ran.text,
        search.text,
        tuple([path.text for path in paths]),
    )
    return clean, tuple([kind for text in (output, ran, search, *paths) for kind in text.kinds])


def _extracted(rule: Rule, summary: Summary, call: ToolResult, kinds: tuple[str, ...]) -> Extracted:
    return Extracted(
        rule.id,
        summary.content,
        rule.attention,
        rule.kind,
        summary.fingerprint,
        call.paths,
        call.command,
        kinds,
    )
