"""The redaction gate: nothing secret is written. Over-redaction is preferred to a leak.

A value that only names a secret (`token = os.environ["TOKEN"]`, `password: ${DB_PASSWORD}`) is not one;
neither are git hashes, UUIDs and digests. Every step is linear in the text.
"""

from __future__ import annotations

import re

from recollect.redaction.assignments import assigned_values
from recollect.redaction.bare_tokens import bare_tokens
from recollect.redaction.family import family_spans, token_starts
from recollect.redaction.mark_search import is_large, marks_in
from recollect.redaction.shapes import SHAPES
from recollect.redaction.spans import (
    CONTROLS,
    INVISIBLE,
    REDACTED,
    SHORTEST_KEY,
    Span,
    joined,
    restored,
    scanned,
    without,
)
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recollect.redaction.family import Family
    from recollect.redaction.spans import ScannedText

__all__ = ["BUILT_IN", "REDACTED", "SCANNERS", "Span", "UserRules", "digest", "find", "redact"]

_MAX_DISGUISES = 2  # one in another
_MAX_PASSES = 8  # over what the passes before have left; two or three are usual

# What a text with a key that spans lines contains, and few others do.
_BLOCK_MARKS = (
    *("PRIVATE KEY", "LS0tLS1CRUdJTi", "Private-Lines:", '"kty"', "b3BlbnNzaC1rZXkt"),
    *("MII", "MIG", "MHcC", "MHQC", "MC4C", "MIH", "/u3+7Q"),
)
# How commands and calls that take a password are written.
_COMMANDS = (
    " -p; -P; -a ; -w ; -U ; -hp;<<<;/p:;echo ;printf ;net user ;add_user ;change_password ;wpa_passphrase ;"
    "sqlplus ;expdp ;impdp ;sqlldr ;lftp ;uth(;uth=(;uth = (;ogin(;redential(;redentials(;uthenticate(;"
    "uthentication(;uthenticator(;asic(;getConnection("
)
_COMMAND_MARKS = tuple(_COMMANDS.split(";"))
# How escapes of the signs in assignments and tokens are written; `disguises` resolves all escapes then.
_ESCAPES = (
    *("%3d", "%3D", "%3a", "%3A", "%22", "%20", "%5f", "%5F", "\\u00", "\\x"),
    *("&#", "&quot;", "&apos;", "&equals;", "&colon;", "&lowbar;"),
)


def issued_families() -> tuple[Family, ...]:
    """The families of keys with a provider's prefix."""
    from recollect.redaction.cloud_keys import CLOUDS, CODE  # 1 ms, with the next one
    from recollect.redaction.service_keys import MESSAGING, MODELS, PAYMENTS, SERVICES

    return CLOUDS + CODE + MESSAGING + MODELS + PAYMENTS + SERVICES


def key_blocks(source: ScannedText) -> Iterable[Span]:
    """Private keys and Kubernetes secrets, which span lines."""
    text = source.plain
    if not (marks_in(text, _BLOCK_MARKS) or ("kind" in text and "ecret" in text)):
        return ()
    from recollect.redaction import blocks

    return blocks.key_blocks(source)


def issued_keys(source: ScannedText) -> Iterable[Span]:
    """Keys with a provider's prefix. Short commands have no token that is long enough."""
    if not source.tokens:
        return []
    starts = None if is_large(source.plain) else token_starts(source.tokens)
    spans = family_spans(issued_families(), source, starts)
    return [span for span in spans if span.end - span.start >= SHORTEST_KEY]


def known_shapes(source: ScannedText) -> Iterator[Span]:
    """Secrets known by their shape or by the text around them."""
    return family_spans(SHAPES, source)


def command_lines(source: ScannedText) -> Iterable[Span]:
    """Passwords on command lines and in calls that log in."""
    if not marks_in(source.plain, _COMMAND_MARKS):
        return ()
    from recollect.redaction.command_lines import command_families

    return family_spans(command_families(source.plain), source)


def email_addresses(source: ScannedText) -> Iterable[Span]:
    """E-mail addresses of people."""
    if "@" not in source.plain:
        return ()
    from recollect.redaction import email_addresses

    return email_addresses.email_addresses(source)


# The most certain first: where findings overlap, the first one names the kind.
SCANNERS: tuple[Callable[[ScannedText], Iterable[Span]], ...] = (
    key_blocks,  # private keys and Kubernetes secrets, which span lines
    issued_keys,  # a provider's prefix, then randomness of a known length
    known_shapes,  # JWTs, headers, addresses with a password
    command_lines,  # a program and its option, a function that logs in
    assigned_values,  # what is assigned to the name of a secret
    bare_tokens,  # random tokens, by their shape and the words before them
    email_addresses,  # of people
)


class UserRules(Frozen):
    """What a user adds: patterns as (id, pattern), and digests of values that may stay."""

    patterns: tuple[tuple[str, str], ...] = ()
    allow: frozenset[str] = frozenset()


BUILT_IN = UserRules()


def find(text: str, rules: UserRules = BUILT_IN) -> list[Span]:
    """The secrets in a text, by position; those that overlap are one.

    What is left after their removal is scanned again, so that redacting twice is redacting once.
    """
    spans = joined(_secrets(text, rules))
    for _ in range(_MAX_PASSES if spans else 0):
        more = joined(_secrets(without(text, spans), rules))
        both = joined([*spans, *restored(more, spans)])
        if [(span.start, span.end) for span in both] == [(span.start, span.end) for span in spans]:
            break
        spans = both
    return spans


def redact(text: str, rules: UserRules = BUILT_IN) -> tuple[str, list[Span]]:
    """`text` with its secrets replaced, and where they were."""
    spans = find(text, rules)
    return (without(text, spans) if spans else text), spans


def digest(value: str) -> str:
    """The SHA-256 digest by which a value can be allowed without writing it down."""
    from hashlib import sha256  # loads OpenSSL, which only allowed values need

    return sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


def _secrets(text: str, rules: UserRules) -> list[Span]:
    """What one pass over the text finds, except what the user allows."""
    return [
        span
        for span in _scan(text, rules)
        if not (rules.allow and digest(text[span.start : span.end]) in rules.allow)
    ]


def _scan(text: str, rules: UserRules, depth: int = 0) -> Iterator[Span]:
    if rules.patterns:
        from recollect.patterns import spans

        for id, pattern in rules.patterns:
            yield from (Span(id, start, end) for start, end in spans(text, pattern))
    source = scanned(text)
    for scanner in SCANNERS:
        yield from scanner(source)
    if depth < _MAX_DISGUISES:
        yield from _disguised(source, lambda inner: joined(_scan(inner, rules, depth + 1)))


def _disguised(source: ScannedText, find: Callable[[str], list[Span]]) -> Iterator[Span]:
    """What is written with escapes, with invisible characters in it, or in base64."""
    if marks_in(source.plain, _ESCAPES) or _has_invisible(source.text):
        from recollect.redaction.disguises import undisguised

        yield from undisguised(source.text, find)
    tokens = [token for token in source.tokens if _may_be_encoded(token)]
    if tokens:
        from recollect.redaction.disguises import encoded

        yield from encoded(source.text, tokens, find)


def _has_invisible(text: str) -> bool:
    if text.isascii():  # looking for each sign takes a fraction of the time
        return any(sign in text for sign in CONTROLS)
    return re.search(f"[{INVISIBLE}]", text) is not None


def _may_be_encoded(token: str) -> bool:
    """A quick check: base64 of a text has letters of both cases, and no sign but a few."""
    return token.replace("/", "").replace("+", "").isalnum() and token.lower() != token != token.upper()
