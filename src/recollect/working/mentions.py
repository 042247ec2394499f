"""Which items does a prompt mention? By a file's name, an identifier, or two distinctive words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.working.session import Item

_LEAST = 6  # letters of a distinctive plain word
_PLAIN_NEEDED = 2  # plain words that a prompt and an item must share
_MOST = 4000  # characters of a prompt that are read
_EDGES = ".,;:!?'\"`()[]{}<>*#=&|"
_BREAKS = str.maketrans(dict.fromkeys("()[]{}<>,;\"'`=", " "))
# Words of tool outputs that say nothing about their subject.
_COMMON = frozenset(
    """commit committed edited errors exception failed failing failure output passed please should
    string traceback warning within without""".split()  # noqa: SIM905
)


def mentioned(items: Iterable[Item], prompt: str) -> list[str]:
    """The contents of the items that a prompt mentions."""
    in_prompt = _words(prompt[:_MOST])
    return [item.content for item in items if _mentions(in_prompt, item)]


def _mentions(in_prompt: frozenset[str], item: Item) -> bool:
    if any(path.rsplit("/", 1)[-1].lower() in in_prompt for path in item.paths):
        return True
    shared = in_prompt & _words(item.content)
    if any(_is_identifier(word) for word in shared):
        return True
    plain = [word for word in shared if len(word) >= _LEAST and word not in _COMMON]
    return len(plain) >= _PLAIN_NEEDED


def _is_identifier(word: str) -> bool:
    """Whether a word is an identifier: `user_id`, `app.config`, `test_login::admin`."""
    return len(word) >= 5 and any(mark in word for mark in ("_", ".", "::")) and not word.isdigit()


def _words(text: str) -> frozenset[str]:
    """The words of a text in lower case, and the last part of each path."""
    words = {word.strip(_EDGES) for word in text.lower().translate(_BREAKS).split()}
    words |= {word.rsplit("/", 1)[-1].split("::")[0].split(":")[0] for word in words if "/" in word}
    words |= {word.rsplit("::", 1)[-1] for word in words if "::" in word}
    return frozenset(words - {""})
