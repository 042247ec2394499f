"""A user's own additions to the gate: patterns, and digests of values that may stay.

`redaction.patterns` is a list of `{"id", "pattern"}`, `redaction.allow` one of SHA-256 digests; the project's
and the user's add up. A pattern that RE2 does not accept is refused, and then nothing is written.
"""

from __future__ import annotations

from recollect.errors import InvalidConfigError
from recollect.redaction.redact import BUILT_IN, UserRules, redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from recollect.records.redaction_port import RedactionGate
    from recollect.redaction.spans import Span

    class _Additions(Protocol):
        """The section `redaction` of a configuration: each list as (origin, value), one for each file."""

        @property
        def patterns(self) -> tuple[tuple[str, object], ...]: ...
        @property
        def allow(self) -> tuple[tuple[str, object], ...]: ...


PATTERNS, ALLOW = "redaction.patterns", "redaction.allow"
MOST_PATTERNS = 100  # of one file: each searches every text that is written


def rules_of(config: _Additions) -> UserRules:
    """The additions in a configuration. Raises InvalidConfigError that names what is refused."""
    patterns = [
        _pattern(entry, origin)
        for origin, entries in config.patterns
        for entry in _few(_list(entries, origin), origin)
    ]
    allow = [
        _digest(entry, origin) for origin, entries in config.allow for entry in _list(entries, origin)
    ]
    return UserRules(tuple(patterns), frozenset(allow)) if patterns or allow else BUILT_IN


def redactor(config: _Additions) -> Callable[[str], tuple[str, list[Span]]]:
    """`redact` with a user's additions."""
    rules = rules_of(config)
    return lambda text: redact(text, rules)


def gate_of(config: _Additions) -> RedactionGate:
    """The gate with a user's additions."""
    from recollect.redaction.gate import gate  # with dataclasses, which most hooks do not need

    rules = rules_of(config)
    return lambda value, field="": gate(value, field, rules)


def _list(value: object, origin: str) -> list[object]:
    if not isinstance(value, list):
        raise InvalidConfigError(
            f"{PATTERNS} and {ALLOW} must be lists, not {value!r} (from {origin})."
        )
    return value


def _few(entries: list[object], origin: str) -> list[object]:
    if len(entries) > MOST_PATTERNS:
        raise InvalidConfigError(
            f"{PATTERNS} has {len(entries):,} entries; at most {MOST_PATTERNS} are allowed (from {origin})."
        )
    return entries


def _pattern(entry: object, origin: str) -> tuple[str, str]:
    from recollect.patterns import refusal

    id, pattern = (entry.get("id"), entry.get("pattern")) if isinstance(entry, dict) else (None, None)
    if not (isinstance(id, str) and id and isinstance(pattern, str) and pattern):
        raise InvalidConfigError(
            f"{PATTERNS} contains {entry!r}; write each pattern as "
            f'{{"id": "acme key", "pattern": "acme-[0-9a-f]{{32}}"}} (from {origin}).'
        )
    if reason := refusal(pattern):
        raise InvalidConfigError(
            f"{PATTERNS} {id!r}: the pattern {pattern!r} is refused: {reason} (from {origin}); "
            "`recollect rules check --pattern` checks another one."
        )
    return id, pattern


def _digest(entry: object, origin: str) -> str:
    if isinstance(entry, str) and len(entry) == 64 and set(entry.lower()) <= set("0123456789abcdef"):
        return entry.lower()
    raise InvalidConfigError(
        f"{ALLOW} must hold SHA-256 digests of 64 hexadecimal digits; `recollect redact --digests` prints "
        f"them (from {origin})."
    )
