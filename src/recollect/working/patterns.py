"""Every built-in pattern of the gate, in one place: the families, and those of the scanners."""

from __future__ import annotations

from recollect.working.secrets import assigned, blocks, loose, mail
from recollect.working.secrets.family import Family
from recollect.working.secrets.issued import ISSUED
from recollect.working.secrets.shapes import SHAPES

FAMILIES: tuple[Family, ...] = ISSUED + SHAPES
PATTERNS: tuple[str, ...] = (
    *(family.pattern for family in FAMILIES),
    *(assigned.PATTERNS + blocks.PATTERNS + loose.PATTERNS + mail.PATTERNS),
)
