"""The redaction gate: nothing secret is written. Over-redaction is preferred to a leak.

A value that only names a secret (`token = os.environ["TOKEN"]`, `password: ${DB_PASSWORD}`) is not one;
neither are git hashes, UUIDs and digests.
"""

import re
from dataclasses import dataclass

from recollect.records.gate import Finding
from recollect.records.json_format import Json
from recollect.working.patterns import FAMILIES, Family

REDACTED = "[REDACTED]"
_REFERENCE = re.compile(
    r"\$\{?[A-Za-z_]|<[^>]*>$|\{\{|%\w+%|\*{3,}|x{4,}|\.{3}|\[REDACTED\]|"
    r"(?i:os\.|process\.|env[.\[(]|getenv|config[.\[(]|self\.|settings\.|secrets?[.\[(]|null$|none$|"
    r"true$|false$|your[_-]|example|changeme|placeholder|redacted)"
)
_DIGEST = re.compile(
    r"(?:(?:sha\d+|md5)[:-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})|[0-9a-f-]{36}",
    re.IGNORECASE,
)
_WORDY = re.compile(r"[A-Za-z_.()\[\]-]+")  # no digit, no symbol: a word or a call, not a key


@dataclass(frozen=True, slots=True)
class Span:
    """Where a secret stands in a text, and what kind it is."""

    kind: str
    start: int
    end: int


def find(text: str) -> list[Span]:
    """The secrets in a text, in order, without overlaps."""
    spans = [span for family in FAMILIES for span in _matches(family, text)]
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def _matches(family: Family, text: str) -> list[Span]:
    found = []
    for match in family.pattern.finditer(text):
        group = next((name for name, value in match.groupdict().items() if value), None)
        start, end = match.span(group) if group else match.span()
        if _is_secret(family.kind, text[start:end]):
            found.append(Span(family.kind, start, end))
    return found


def _is_secret(kind: str, value: str) -> bool:
    """Whether what stands where a secret would is one, and not the way to it or a word of prose."""
    match kind:
        case "assigned secret":
            way = _REFERENCE.match(value) or _DIGEST.fullmatch(value) or _WORDY.fullmatch(value)
            return not way
        case "bearer token":
            return not _WORDY.fullmatch(value)
        case "url credentials":
            return not _REFERENCE.match(value)
        case _:
            return True


def redact(text: str) -> tuple[str, list[Span]]:
    """`text` with its secrets replaced, and where they stood."""
    spans = find(text)
    for span in reversed(spans):
        text = text[: span.start] + REDACTED + text[span.end :]
    return text, spans


def gate(value: Json, field: str = "") -> tuple[Json, list[Finding]]:
    """Redact every string inside a value. Fills the `Gate` port."""
    if isinstance(value, str):
        text, spans = redact(value)
        return text, [Finding(span.kind, field) for span in spans]
    if isinstance(value, list):
        pairs = [gate(item, f"{field}[{index}]") for index, item in enumerate(value)]
        return [item for item, _ in pairs], [found for _, some in pairs for found in some]
    if isinstance(value, dict):
        inner = {key: gate(item, f"{field}.{key}" if field else key) for key, item in value.items()}
        return {key: item for key, (item, _) in inner.items()}, [
            found for _, some in inner.values() for found in some
        ]
    return value, []
