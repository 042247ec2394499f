"""The redaction gate: nothing secret is written. Over-redaction is preferred to a leak.

A value that only names a secret (`token = os.environ["TOKEN"]`, `password: ${DB_PASSWORD}`) is not one;
neither are git hashes, UUIDs and digests. Every step is linear in the text, whatever the text. A text
without anything suspicious is let through by looking for a few words in it, without a single pattern.
"""

from __future__ import annotations

from recollect.redaction.family import (
    is_masked,
    matches,
    may_be_drawn,
    names_file,
    starts_of,
    tokens_of,
)
from recollect.redaction.issued_keys import ISSUED
from recollect.redaction.shapes import CLUES, SHAPES
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recollect.records.json_format import Json
    from recollect.records.redaction_port import SecretFinding
    from recollect.redaction.family import Family

REDACTED = "[REDACTED]"
# What a key that spans lines has in it.
_MAX_PASSES = 8  # that find more in what the passes before have left; two or three are usual
_LONGEST_NAMED = 4096  # characters: a text that is longer is no password
_BLOCKS = ("PRIVATE KEY", "LS0tLS1CRUdJTi", "Private-Lines:", '"kty"', "Secret")


class Span(Frozen):
    """Where a secret stands in a text, and what kind it is."""

    kind: str
    start: int
    end: int


class Rules(Frozen):
    """What a user adds: patterns of their own as (id, pattern), and digests of values that may stay."""

    own: tuple[tuple[str, str], ...] = ()
    allow: frozenset[str] = frozenset()


BUILT_IN = Rules()


def find(text: str, rules: Rules = BUILT_IN) -> list[Span]:
    """The secrets in a text, in order; those that overlap are one.

    What is left when they are taken out is looked at again, so that redacting twice is redacting once.
    """
    spans = _looked(text, rules)
    for _ in range(_MAX_PASSES if spans else 0):
        more = _looked(_without(text, spans), rules)
        joined = _merged([*map(_ranked, spans), *map(_ranked, _placed(more, spans))])
        if not more or _bounds(joined) == _bounds(spans):
            break
        spans = joined
    return spans


def redact(text: str, rules: Rules = BUILT_IN) -> tuple[str, list[Span]]:
    """`text` with its secrets replaced, and where they stood."""
    spans = find(text, rules)
    return (_without(text, spans) if spans else text), spans


def gate(value: Json, field: str = "", rules: Rules = BUILT_IN) -> tuple[Json, list[SecretFinding]]:
    """Redact every string inside a value, names of fields included. Fills the `Gate` port."""
    if isinstance(value, str):
        text, spans = redact(value, rules)
        return (text, _findings([span.kind for span in spans], field)) if spans else (value, [])
    if isinstance(value, list):
        pairs = [gate(item, f"{field}[{index}]", rules) for index, item in enumerate(value)]
        return [item for item, _ in pairs], [found for _, some in pairs for found in some]
    if isinstance(value, dict):
        return _gated_object(value, field, rules)
    return value, []


def _gated_object(
    value: dict[str, Json], field: str, rules: Rules
) -> tuple[dict[str, Json], list[SecretFinding]]:
    kept: dict[str, Json] = {}
    findings: list[SecretFinding] = []
    for key, item in value.items():
        name, told = gate(key, field, rules)
        path = f"{field}.{name}" if field else str(name)
        clean, found = gate(item, path, rules)
        if not found and isinstance(item, str) and _is_named(key, item, rules):
            clean, found = REDACTED, _findings(["assigned secret"], path)
        kept[_free(str(name), kept)] = clean
        findings += [*told, *found]
    return kept, findings


def _is_named(key: str, item: str, rules: Rules) -> bool:
    """Whether a field's name makes its text a secret: `{"password": "..."}`."""
    low = key.lower()
    if len(item) > _LONGEST_NAMED or not any(clue in low for clue in CLUES):
        return False
    from recollect.redaction.assignments import is_given

    return is_given(key, item) and not (rules.allow and digest(item) in rules.allow)


def _free(name: str, taken: dict[str, Json]) -> str:
    while name in taken:
        name += "'"
    return name


def _findings(kinds: list[str], field: str) -> list[SecretFinding]:
    from recollect.records.redaction_port import SecretFinding

    return [SecretFinding(kind, field) for kind in kinds]


def digest(found: str) -> str:
    """The name under which a value can be allowed without being told."""
    from hashlib import sha256

    return sha256(found.encode("utf-8", "surrogatepass")).hexdigest()


def _looked(text: str, rules: Rules) -> list[Span]:
    """What one look at a text finds."""
    found = [
        (start, end, rank, kind)
        for rank, (kind, start, end) in enumerate(_found(text, rules))
        if not (rules.allow and digest(text[start:end]) in rules.allow)
    ]
    return _merged(found) if found else []


def _found(text: str, rules: Rules) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of everything that a family or a scanner finds, the surest first."""
    if rules.own:
        from recollect.redaction.user_patterns import user_matches

        yield from user_matches(text, rules.own)
    if any(mark in text for mark in _BLOCKS):
        from recollect.redaction.blocks import blocks

        yield from blocks(text)
    tokens = tokens_of(text)
    yield from _of(ISSUED, text, starts_of(tokens))
    yield from _of(SHAPES, text)
    yield from _judged(text, tokens)
    if "@" in text:
        from recollect.redaction.email_addresses import addresses

        yield from addresses(text)


def _of(
    families: tuple[Family, ...], text: str, starts: frozenset[str] | None = None
) -> Iterator[tuple[str, int, int]]:
    for family in families:
        for found in matches(family, text, starts):
            from recollect.redaction.prefix_check import is_certain

            group, end = "secret" if found.re.groups else 0, found.end()
            if is_certain(family, found[group]) and not (names_file(text, end) or is_masked(text, end)):
                yield family.kind, *found.span(group)


def _judged(text: str, tokens: list[str]) -> Iterator[tuple[str, int, int]]:
    """What is found by the name it is given to, or by the words before it."""
    low = text.lower()
    if len(low) != len(text):  # a few letters of a few languages grow when lowered
        low = "".join([one.lower()[:1] for one in text])
    if _speaks(text, low):
        from recollect.redaction.assignments import assigned

        yield from assigned(text, low)
    if any(may_be_drawn(token) for token in tokens):
        from recollect.redaction.bare_tokens import loose

        yield from loose(text, low, tokens)


def _speaks(text: str, low: str) -> bool:
    """Whether a text speaks of secrets at all. That tests passed is no word about passwords."""
    passed = sum(text.count(word) for word in ("passed", "PASSED", "Passed"))
    return low.count("pass") > passed or any(clue in low for clue in CLUES if clue != "pass")


def _merged(spans: Iterable[tuple[int, int, int, str]]) -> list[Span]:
    """Spans in order, those that overlap joined under the name of the surest."""
    joined: list[tuple[int, int, int, str]] = []
    for start, end, rank, kind in sorted(spans):
        if joined and start < joined[-1][1]:
            before, until, surest, named = joined[-1]
            joined[-1] = (before, max(until, end), *min((surest, named), (rank, kind)))
        else:
            joined.append((start, end, rank, kind))
    return [Span(kind, start, end) for start, end, _, kind in joined]


def _ranked(span: Span) -> tuple[int, int, int, str]:
    return span.start, span.end, 0, span.kind


def _bounds(spans: list[Span]) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in spans]


def _without(text: str, spans: list[Span]) -> str:
    parts, last = [], 0
    for span in spans:
        parts += [text[last : span.start], REDACTED]
        last = span.end
    return "".join([*parts, text[last:]])


def _placed(found: list[Span], taken: list[Span]) -> list[Span]:
    """Where spans of the text without `taken` are in the original text."""
    from bisect import bisect_right

    marks, grown = (
        list[int](),
        [0],
    )  # where each mark starts, and how much longer the original is after it
    for span in taken:
        marks.append(span.start - grown[-1])
        grown.append(grown[-1] + span.end - span.start - len(REDACTED))

    def start_of(place: int) -> int:
        before = bisect_right(marks, place)
        inside = before and place < marks[before - 1] + len(REDACTED)
        return taken[before - 1].start if inside else place + grown[before]

    def end_of(place: int) -> int:
        before = bisect_right(marks, place - 1)
        inside = before and place < marks[before - 1] + len(REDACTED)
        return taken[before - 1].end if inside else place + grown[before]

    return [Span(span.kind, start_of(span.start), end_of(span.end)) for span in found]
