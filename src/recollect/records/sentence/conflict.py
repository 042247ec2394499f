"""Whether two statements about the same thing may say the opposite. Pure; a guess that a person decides.

They share most of their words, and either one of them denies it, or a few words of the one stand where
others stand in the other: "Indent with tabs" and "Indent with spaces". Two plain statements whose first words
differ ("orders may be cancelled", "invoices may be cancelled") have two subjects, and agree.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recollect.records.record import Memory
from recollect.text.stemming import stem
from recollect.text.tokens import STOP_WORDS

_WORD = re.compile(r"\w+(?:[._\-/:']+\w+)*")
_NEGATIONS = frozenset("no not never don't cannot can't mustn't without avoid against stop nor".split())  # noqa: SIM905
_MOOD = frozenset(
    "always please must shall should use uses using we only ever do prefer favour favor may can".split()  # noqa: SIM905
)
_EMPTY_WORDS = (STOP_WORDS | _MOOD) - _NEGATIONS
_OF_VALUES = frozenset("use prefer favour favor always please".split())  # noqa: SIM905 - what follows is a value
_SHARED = 0.5  # of the words of the shorter statement
_MOST_REPLACED = 2
_STATEMENTS = ("rule", "value", "decision", "description", "trigger")


@dataclass(frozen=True, slots=True)
class _Statement:
    """Its words by their stems, whether it denies something, and whether its first word is a value."""

    words: Mapping[str, str]
    denies: bool
    of_values: bool


def statements(memory: Memory) -> list[str]:
    """What a memory says in one sentence: its title, and the field that states it."""
    content = memory.content
    fields = [content.get(name) for name in _STATEMENTS]
    return list(dict.fromkeys([memory.title, *(text for text in fields if isinstance(text, str))]))


def contradiction(new: Iterable[str], old: Iterable[str]) -> str:
    """How a statement of `new` may contradict one of `old`, in words; '' when none does."""
    earlier = [_statement(text) for text in old]
    for text in new:
        for other in earlier:
            if reason := _contradiction(_statement(text), other):
                return reason
    return ""


def _statement(text: str) -> _Statement:
    words = [word.lower() for word in _WORD.findall(text.replace("\u2019", "'"))]
    denials = sum(word in _NEGATIONS for word in words)
    empty = _EMPTY_WORDS | _NEGATIONS
    stems = {stem(word): word for word in words if word not in empty}
    return _Statement(stems, denials % 2 == 1, bool(words) and words[0] in _OF_VALUES)


def _contradiction(new: _Statement, old: _Statement) -> str:
    shared = [word for word in new.words if word in old.words]
    shorter = min(len(new.words), len(old.words))
    if not shared or len(shared) < _SHARED * shorter:
        return ""
    added, gone = _without(new.words, shared), _without(old.words, shared)
    if new.denies != old.denies:
        return "one of them denies it" if len(added) + len(gone) <= _MOST_REPLACED else ""
    if (
        new.denies
        or not 1 <= min(len(added), len(gone)) <= max(len(added), len(gone)) <= _MOST_REPLACED
    ):
        return ""
    is_subject = next(iter(new.words.values())) in added and next(iter(old.words.values())) in gone
    if is_subject and not (new.of_values and old.of_values):
        return ""
    return f"{' '.join(added)!r} instead of {' '.join(gone)!r}"


def _without(words: Mapping[str, str], shared: Sequence[str]) -> list[str]:
    return [word for stem, word in words.items() if stem not in shared]
