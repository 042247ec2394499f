"""A user's own additions to the gate: patterns, and digests of values that may stay.

`redaction.patterns` is a list of `{"id", "pattern"}`, `redaction.allow` one of SHA-256 digests; the project's
and the user's add up. A pattern that RE2 does not accept is refused, and then nothing is written.
"""

from __future__ import annotations

from recollect.errors import InvalidConfigError
from recollect.redaction.redact import BUILT_IN, Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    from recollect.records.redaction_port import RedactionGate
    from recollect.redaction.redact import Span

    class _Additions(Protocol):
        """The section `redaction` of a configuration: each list as (origin, value), one for each file."""

        @property
        def patterns(self) -> tuple[tuple[str, object], ...]: ...
        @property
        def allow(self) -> tuple[tuple[str, object], ...]: ...


PATTERNS, ALLOW = "redaction.patterns", "redaction.allow"


def rules_of(config: _Additions) -> Rules:
    """The additions that a configuration holds. Raises InvalidConfigError that names what is refused."""
    own = [_pattern(one, origin) for origin, held in config.patterns for one in _list(held, origin)]
    allow = [_digest(one, origin) for origin, held in config.allow for one in _list(held, origin)]
    return Rules(tuple(own), frozenset(allow)) if own or allow else BUILT_IN


def redactor(config: _Additions) -> Callable[[str], tuple[str, list[Span]]]:
    """`redact` with a user's additions."""
    from recollect.redaction.redact import redact

    rules = rules_of(config)
    return lambda text: redact(text, rules)


def gate_of(config: _Additions) -> RedactionGate:
    """The gate with a user's additions."""
    from recollect.redaction.redact import gate

    rules = rules_of(config)
    return lambda value, field="": gate(value, field, rules)


def user_matches(text: str, patterns: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, int, int]]:
    """(id, start, end) of what a user's patterns match."""
    from recollect.patterns import spans

    for id, pattern in patterns:
        for start, end in spans(text, pattern):
            yield id, start, end


def _list(held: object, origin: str) -> list[object]:
    if not isinstance(held, list):
        raise InvalidConfigError(f"{PATTERNS} and {ALLOW} must be lists, not {held!r} (from {origin}).")
    return held


def _pattern(one: object, origin: str) -> tuple[str, str]:
    from recollect.patterns import refusal

    id, pattern = (one.get("id"), one.get("pattern")) if isinstance(one, dict) else (None, None)
    if not (isinstance(id, str) and id and isinstance(pattern, str) and pattern):
        raise InvalidConfigError(
            f"{PATTERNS} holds {one!r}; each must be as "
            f'{{"id": "acme key", "pattern": "acme-[0-9a-f]{{32}}"}} (from {origin}).'
        )
    if reason := refusal(pattern):
        raise InvalidConfigError(
            f"{PATTERNS} {id!r}: the pattern {pattern!r} is refused: {reason} (from {origin}); "
            "`recollect rules check --pattern` checks another one."
        )
    return id, pattern


def _digest(one: object, origin: str) -> str:
    if isinstance(one, str) and len(one) == 64 and set(one.lower()) <= set("0123456789abcdef"):
        return one.lower()
    raise InvalidConfigError(
        f"{ALLOW} must hold SHA-256 digests of 64 hexadecimal digits; `recollect redact --digests` tells "
        f"them (from {origin})."
    )
