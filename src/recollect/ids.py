"""Unified ids: `mem:jwt-over-cookies`, `skill:deploy/rollback`.

A memory's own id is a kebab slug and the name of its file. A skill's own name is its path inside the skill
folder, without `.md`. Wherever an id may point at more than one kind of thing, it is written with the prefix
of its kind; the two are different types, so that a raw name cannot be passed where a unified id is meant.

In a skill's id stand, of ASCII, letters, digits, `/` and `-_.~+@,=`, and beyond ASCII whatever prints;
everything else is written `%20`, as in addresses. Its case is kept and counts: `skill:Deploy` and
`skill:deploy` are two ids. Whoever looks a skill up may be more generous; see `graph/skills.py`.
"""

from __future__ import annotations

import re

from recollect.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping
    from typing import NewType

    MemoryId = NewType("MemoryId", str)
    SkillPath = NewType("SkillPath", str)
    UnifiedId = NewType("UnifiedId", str)
else:
    MemoryId = SkillPath = UnifiedId = str

SLUG_HELP = "1 to 80 of a-z, 0-9 and '-', with neither end a '-'"
SKILL_LENGTH = 500  # of an id, which no path that people type comes near
_WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_PLAIN = _WORD | frozenset("-ABCDEFGHIJKLMNOPQRSTUVWXYZ/_.~+@,=")
SLUG = re.compile("[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?")


def memory_id(text: str) -> MemoryId:
    """Check that `text` is a slug. Anything with a slash, a dot or a capital is refused."""
    if not SLUG.fullmatch(text):
        raise RefusedError(f"{text!r} is not a memory id: an id is {SLUG_HELP}.")
    return MemoryId(text)


def unified(memory: MemoryId) -> UnifiedId:
    """The unified id of a memory."""
    return UnifiedId(f"mem:{memory}")


def skill_id(path: str) -> UnifiedId:
    """The unified id of a skill, of its path with `/` in it.

    Raises RefusedError for a path that is empty, climbs (`..`), is too long or is no Unicode.
    """
    return UnifiedId(f"skill:{_escaped(path)}")


def parse_unified(text: str) -> UnifiedId:
    """Read a unified id, in its one spelling; a bare slug is taken as a memory's."""
    prefix, colon, name = text.partition(":")
    if not colon:
        return unified(memory_id(text))
    if prefix in RESERVED:
        raise RefusedError(f"{text!r}: nothing has an id that starts with {prefix + ':'!r} yet.")
    if prefix not in KINDS:
        known = ", ".join(f"{prefix}:" for prefix in PREFIXES)
        raise RefusedError(f"{text!r} starts with none of the known prefixes ({known}).")
    if not name.strip():
        raise RefusedError(f"{text!r} names nothing after its prefix.")
    return UnifiedId(f"{prefix}:{KINDS[prefix](name)}")


def as_memory(id: UnifiedId) -> MemoryId | None:
    """The memory that `id` names, or None when it names something else."""
    return MemoryId(id.removeprefix("mem:")) if id.startswith("mem:") else None


def as_skill(id: UnifiedId) -> SkillPath | None:
    """The path of the skill that `id` names, or None when it names something else."""
    return SkillPath(_unescaped(id.removeprefix("skill:"))) if id.startswith("skill:") else None


def _skill_name(text: str) -> str:
    return _escaped(_unescaped(text.strip()))


def _escaped(path: str) -> str:
    if not path.isascii():
        import unicodedata  # noqa: PLC0415 - a prompt seldom needs it

        path = unicodedata.normalize("NFC", path)  # a Mac spells é in two characters
    if not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise RefusedError(f"{path!r} is not the path of a skill: no part may be empty, '.' or '..'.")
    try:
        found = path if _PLAIN.issuperset(path) else "".join([_as_written(one) for one in path])
    except UnicodeEncodeError:
        raise RefusedError(f"{path!r} is not the path of a skill: it is no Unicode.") from None
    if len(found) > SKILL_LENGTH:
        raise RefusedError(f"{path[:40]!r}... is not the path of a skill: it is too long.")
    return found


def _as_written(character: str) -> str:
    if character in _PLAIN or (not character.isascii() and character.isprintable()):
        return character
    return "".join([f"%{byte:02X}" for byte in character.encode()])


def _unescaped(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote  # noqa: PLC0415 - a prompt seldom needs it

    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise RefusedError(f"{text!r} is not the path of a skill: its % are no UTF-8.") from None


# The registry: a prefix, and what makes the one spelling of a name of its kind or refuses it.
KINDS: Mapping[str, Callable[[str], str]] = {"mem": memory_id, "skill": _skill_name}
PREFIXES = tuple(KINDS)
RESERVED = ("tool", "cap", "run")


def slug(title: str, *, fallback: str = "memory") -> MemoryId:
    """Make a slug of a title. A title without any Latin letter or digit gives `fallback`."""
    if not title.isascii():
        import unicodedata  # noqa: PLC0415 - a prompt seldom needs it

        title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
    words = "".join([one if one in _WORD else " " for one in title.lower()]).split()
    return MemoryId("-".join(words)[:80].rstrip("-") or fallback)


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
