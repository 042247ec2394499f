"""From a finished tool call to what may be stored of it. Read once, redacted once, extracted once.

Text that Recollect itself wrote is left out.
"""

from __future__ import annotations

from recollect.values import Frozen, replaced
from recollect.working.echo import is_echo, is_ours, without_echo
from recollect.working.redacted import NO_TEXT, redact_text
from recollect.working.session import Item, Provenance
from recollect.working.tool_call import ToolCall
from recollect.working.tool_result import read_tool_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recollect.working.extraction import Extracted
    from recollect.working.redacted import Redact, RedactedText
    from recollect.working.rules import Rule

MOST_COMMAND = 200  # characters of a command that are stored


class RawCall(Frozen):
    """A tool call as a harness reports it. It may contain secrets, and our own words."""

    tool: str
    tool_input: Mapping[str, Any]
    output: str
    failed: bool


class CaptureSettings(Frozen):
    """The rules to extract with, none when extraction is off; and where the project and its memory are."""

    rules: Sequence[Rule]
    folder: str
    memory_roots: Sequence[str]


def capture(raw: RawCall, settings: CaptureSettings, redact: Redact) -> ToolCall:
    """A tool call as it may be stored. An error in the gate is raised: then nothing is stored."""
    roots = settings.memory_roots
    if is_ours(raw.tool, raw.tool_input, roots):
        call = read_tool_result(raw.tool, raw.tool_input, "", failed=raw.failed)
        return ToolCall(raw.tool, NO_TEXT, call.failed)
    output = without_echo(raw.output, roots)
    call = read_tool_result(raw.tool, raw.tool_input, output, failed=raw.failed)
    command = redact_text(call.command, redact)
    captured = ToolCall(raw.tool, _one_line(command), call.failed)
    if not settings.rules or is_echo(raw.output, output):
        return captured
    from recollect.working.extraction import extract

    extracted = extract(call, settings.rules, redact, command)
    if extracted is None:
        return captured
    return replaced(captured, item=_item(captured, extracted, settings.folder))


def _one_line(command: RedactedText) -> RedactedText:
    return replaced(command, text=" ".join(command.text.split())[:MOST_COMMAND])


def _item(call: ToolCall, extracted: Extracted, folder: str) -> Item:
    inside = folder.rstrip("/") + "/"
    return Item(
        extracted.content.replace(inside, ""),
        extracted.attention,
        0,
        Provenance(call.tool, extracted.rule, 0, bool(extracted.redacted)),
        0,
        extracted.kind,
        extracted.fingerprint,
        call.command.text,
        tuple([path.removeprefix(inside) for path in extracted.paths]),
    )
