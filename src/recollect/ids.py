"""Unified ids: `mem:jwt-over-cookies`, `skill:deploy/rollback`.

A memory's own id is a kebab slug and the name of its file. Wherever an id may point at more than one
kind of thing, it is written with the prefix of its kind; the two are different types, so that a raw
slug cannot be passed where a unified id is meant.
"""

import re
import unicodedata
from collections.abc import Container
from typing import NewType

from recollect.errors import RefusedError

MemoryId = NewType("MemoryId", str)
UnifiedId = NewType("UnifiedId", str)

PREFIXES = ("mem", "skill")
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?")
SLUG_HELP = "1 to 80 of a-z, 0-9 and '-', with neither end a '-'"


def memory_id(text: str) -> MemoryId:
    """Check that `text` is a slug. Anything with a slash, a dot or a capital is refused."""
    if not SLUG.fullmatch(text):
        raise RefusedError(f"{text!r} is not a memory id: an id is {SLUG_HELP}.")
    return MemoryId(text)


def unified(memory: MemoryId) -> UnifiedId:
    """The unified id of a memory."""
    return UnifiedId(f"mem:{memory}")


def parse_unified(text: str) -> UnifiedId:
    """Read a unified id; a bare slug is taken as a memory's."""
    prefix, colon, name = text.partition(":")
    if not colon:
        return unified(memory_id(text))
    if prefix not in PREFIXES:
        known = ", ".join(f"{prefix}:" for prefix in PREFIXES)
        raise RefusedError(f"{text!r} starts with none of the known prefixes ({known}).")
    if not name.strip():
        raise RefusedError(f"{text!r} names nothing after its prefix.")
    return unified(memory_id(name)) if prefix == "mem" else UnifiedId(text)


def as_memory(id: UnifiedId) -> MemoryId | None:
    """The memory that `id` names, or None when it names something else."""
    return MemoryId(id.removeprefix("mem:")) if id.startswith("mem:") else None


def slug(title: str, *, fallback: str = "memory") -> MemoryId:
    """Make a slug of a title. A title without any Latin letter or digit gives `fallback`."""
    latin = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
    text = re.sub(r"[^a-z0-9]+", "-", latin.lower()).strip("-")[:80].rstrip("-")
    return MemoryId(text or fallback)


def free_slug(wanted: MemoryId, taken: Container[str]) -> MemoryId:
    """`wanted`, or the first of `wanted-2`, `wanted-3`, ... that is not in `taken`."""
    if wanted not in taken:
        return wanted
    number = 2
    while True:
        suffix = f"-{number}"
        candidate = wanted[: 80 - len(suffix)].rstrip("-") + suffix
        if candidate not in taken:
            return MemoryId(candidate)
        number += 1
