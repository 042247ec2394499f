"""The families of secrets that patterns describe, and the two scanners that apply them."""

from __future__ import annotations

from recollect.redaction.cloud_keys import CLOUDS, CODE
from recollect.redaction.family import matches, token_starts
from recollect.redaction.prefix_check import is_certain
from recollect.redaction.service_keys import MESSAGING, MODELS, PAYMENTS, SERVICES
from recollect.redaction.shapes import SHAPES
from recollect.redaction.spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.redaction.family import Family
    from recollect.redaction.scanned_text import ScannedText

ISSUED: tuple[Family, ...] = CLOUDS + CODE + MESSAGING + MODELS + PAYMENTS + SERVICES
FAMILIES: tuple[Family, ...] = ISSUED + SHAPES


def issued_keys(source: ScannedText) -> Iterator[Span]:
    """Keys with a provider's prefix."""
    starts = token_starts(source.tokens)
    for family in ISSUED:
        yield from _spans(family, source.text, starts)


def known_shapes(source: ScannedText) -> Iterator[Span]:
    """Secrets known by their shape or by the text around them."""
    for family in SHAPES:
        yield from _spans(family, source.text)


def _spans(family: Family, text: str, starts: frozenset[str] | None = None) -> Iterator[Span]:
    for match in matches(family, text, starts):
        if is_certain(family, match):
            yield Span(family.kind, *match.span("secret" if match.re.groups else 0))
