"""Every built-in pattern of the gate, in one place: the families, and those of what spans lines."""

from __future__ import annotations

from recollect.redaction import blocks
from recollect.redaction.family import Family
from recollect.redaction.issued_keys import ISSUED
from recollect.redaction.shapes import SHAPES

FAMILIES: tuple[Family, ...] = ISSUED + SHAPES
PATTERNS: tuple[str, ...] = (
    *(family.pattern for family in FAMILIES),
    *blocks.PATTERNS,
)
