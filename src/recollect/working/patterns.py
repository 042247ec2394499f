"""Every built-in pattern of the gate, in one place: the families, and those of what spans lines."""

from __future__ import annotations

from recollect.working.secrets import blocks
from recollect.working.secrets.family import Family
from recollect.working.secrets.issued import ISSUED
from recollect.working.secrets.shapes import SHAPES

FAMILIES: tuple[Family, ...] = ISSUED + SHAPES
PATTERNS: tuple[str, ...] = (
    *(family.pattern for family in FAMILIES),
    *blocks.PATTERNS,
)
