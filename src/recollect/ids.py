"""Unified ids: `mem:jwt-over-cookies`, `skill:deploy/rollback`.

A memory's own id is a kebab-case slug and the name of its file. A skill's own name is its path inside the
skill folder, without `.md`. An id that may name either has the prefix of its kind; plain and unified ids
are different types, so that one cannot be passed for the other.

A skill's id contains ASCII letters, digits, `/` and `-_.~+@,=`, and printable characters beyond ASCII;
everything else is percent-encoded. Ids are case-sensitive: `skill:Deploy` and `skill:deploy` differ. A
lookup may ignore case; see `graph/skills.py`.
"""

from __future__ import annotations

import re

from recollect.errors import RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NewType

    MemoryId = NewType("MemoryId", str)
    SkillPath = NewType("SkillPath", str)
    UnifiedId = NewType("UnifiedId", str)
else:
    MemoryId = SkillPath = UnifiedId = str

SLUG_HELP = "1 to 80 characters from a-z, 0-9 and '-', not starting or ending with '-'"
SKILL_LENGTH = 500  # characters of an id; real paths are far shorter
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
    """The unified id of a skill, from its path with `/`.

    Raises RefusedError for a path that is empty, contains `..`, is too long or is not valid Unicode.
    """
    return UnifiedId(f"skill:{_escaped(path)}")


def parse_unified(text: str) -> UnifiedId:
    """Parse a unified id into its canonical spelling; a bare slug is a memory's."""
    prefix, colon, name = text.partition(":")
    if not colon:
        return unified(memory_id(text))
    if prefix in RESERVED:
        raise RefusedError(f"{text!r}: ids that start with {prefix + ':'!r} do not exist yet.")
    if prefix not in KINDS:
        known = ", ".join(f"{prefix}:" for prefix in PREFIXES)
        raise RefusedError(f"{text!r} has an unknown prefix; the known ones are {known}.")
    if not name.strip():
        raise RefusedError(f"{text!r} has no name after its prefix.")
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

        path = unicodedata.normalize("NFC", path)  # macOS writes é as two characters
    if not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise RefusedError(f"{path!r} is not the path of a skill: no part may be empty, '.' or '..'.")
    try:
        name = path if _PLAIN.issuperset(path) else "".join([_encoded(letter) for letter in path])
    except UnicodeEncodeError:
        raise RefusedError(f"{path!r} is not the path of a skill: it is not valid Unicode.") from None
    if len(name) > SKILL_LENGTH:
        raise RefusedError(f"{path[:40]!r}... is not the path of a skill: it is too long.")
    return name


def _encoded(character: str) -> str:
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
        raise RefusedError(
            f"{text!r} is not the path of a skill: its % escapes are not UTF-8."
        ) from None


# Each prefix with the function that checks a name and returns its canonical spelling.
KINDS: Mapping[str, Callable[[str], str]] = {"mem": memory_id, "skill": _skill_name}
PREFIXES = tuple(KINDS)
RESERVED = ("tool", "cap", "run")


def slug(title: str, *, fallback: str = "memory") -> MemoryId:
    """Make a slug of a title. A title without any Latin letter or digit gives `fallback`."""
    if not title.isascii():
        import unicodedata  # noqa: PLC0415 - a prompt seldom needs it

        title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
    words = "".join([letter if letter in _WORD else " " for letter in title.lower()]).split()
    return MemoryId("-".join(words)[:80].rstrip("-") or fallback)


def free_slug(wanted: MemoryId, is_taken: Callable[[MemoryId], bool]) -> MemoryId:
    """`wanted`, or the first of `wanted-2`, `wanted-3`, ... that is not taken."""
    if not is_taken(wanted):
        return wanted
    number = 2
    while True:
        suffix = f"-{number}"
        candidate = MemoryId(wanted[: 80 - len(suffix)].rstrip("-") + suffix)
        if not is_taken(candidate):
            return candidate
        number += 1
