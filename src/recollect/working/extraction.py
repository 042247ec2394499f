"""What is kept of a tool call? The summary that the first matching rule makes of the redacted call.

Rules look at the call as it is, because nothing is kept of most calls and redaction is the expensive part.
The first rule that would keep something redacts the call, once, and summarises the redacted call.
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
    """What a rule keeps of a tool call, without secrets; `redacted` are the kinds of those taken out."""

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
    """What the first matching rule keeps of a tool call; None when no rule keeps anything.

    A caller that has redacted the call's `command` already passes it.
    """
    return next(_extractions(call, rules, redact, command), None)


def matching(call: ToolResult, rules: Sequence[Rule], redact: Redact) -> list[Extracted]:
    """What every matching rule would keep; the first is the one that counts."""
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
    """What a rule keeps of a call as it is; None when it does not match or keeps nothing."""
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
