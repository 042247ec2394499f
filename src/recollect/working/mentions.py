"""Which items does a prompt speak of? By a file's name, an identifier, or two words that say something."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.working.session import Item

_LEAST = 6  # letters of a plain word that says something
_PLAIN_NEEDED = 2  # plain words that a prompt and an item must share
_MOST = 4000  # characters of a prompt that are looked at
_EDGES = ".,;:!?'\"`()[]{}<>*#=&|"
_BREAKS = str.maketrans(dict.fromkeys("()[]{}<>,;\"'`=", " "))
# What outputs of tools say of themselves, whatever they are about.
_COMMON = frozenset(
    """commit committed edited errors exception failed failing failure output passed please should
    string traceback warning within without""".split()  # noqa: SIM905
)


def mentioned(items: Iterable[Item], prompt: str) -> list[str]:
    """The contents of the items that a prompt names."""
    spoken = _words(prompt[:_MOST])
    return [item.content for item in items if _names(spoken, item)]


def _names(spoken: frozenset[str], item: Item) -> bool:
    if any(path.rsplit("/", 1)[-1].lower() in spoken for path in item.paths):
        return True
    shared = spoken & _words(item.content)
    if any(_is_identifier(word) for word in shared):
        return True
    plain = [word for word in shared if len(word) >= _LEAST and word not in _COMMON]
    return len(plain) >= _PLAIN_NEEDED


def _is_identifier(word: str) -> bool:
    """Whether a word is of code: `user_id`, `app.config`, `test_login::admin`."""
    return len(word) >= 5 and any(mark in word for mark in ("_", ".", "::")) and not word.isdigit()


def _words(text: str) -> frozenset[str]:
    """The words of a text as they are spelled, in small letters; of a path its last part too."""
    found = {word.strip(_EDGES) for word in text.lower().translate(_BREAKS).split()}
    found |= {word.rsplit("/", 1)[-1].split("::")[0].split(":")[0] for word in found if "/" in word}
    found |= {word.rsplit("::", 1)[-1] for word in found if "::" in word}
    return frozenset(found - {""})
