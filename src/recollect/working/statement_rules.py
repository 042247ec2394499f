"""Does a sentence declare a rule by its form alone? "We use pnpm, not npm" says neither "always" nor "must".

A rule is about things in general: its subject or object has no article that points at one of them ("all
dates", "functions", not "the file"), it is in the present, and nothing in it belongs to the task at hand
("this", "now", "fix", "still"). What is left has one of these forms:

- all, every, each or no, or a plural without an article, and what it must or may not be;
- we or our, and a habit;
- I, and a preference with what it is preferred to;
- a request with a general object, and a measure or what not to do instead.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LEAST_WORDS = 4
_MOST_WORDS = 24  # more is a description of something
_START, _END = "^", "$"
_SUBJECT = 4  # words at most before what must be
# Signals of a task, a question, an observation.
_AT_HAND = ("asks for it", "asks", "observes", "why did you")
_OF_PRODUCT = ("detail", "product behaviour")  # unless it is about the way of working as well
_POINTS = _set(
    """this that it these those he she they above below following attached there now again today yet already
    currently still tomorrow you your yours first second last former latter other option options wrong done
    pass passes passing fix fixed so then time moment branch maybe try out old"""
)
# What is done once: a rule says how things are, not what happens to them.
_CHANGES = _set(
    """moved updated renamed removed deleted added fixed changed replaced skipped rerun restarted sorted split
    merged rewritten converted refactored extracted adjusted cleaned created implemented passed reverted"""
)
_TASKS = _set(
    """fix add change check remove delete rename move update merge revert replace refactor create implement
    look show tell explain see find hurry continue proceed go"""
)
_LATER = _set("them their they its there first")  # may point back to the sentence's own subject
_OPENINGS = _set("and but also btw fyi note remember well ok okay yes yeah")
_ARTICLES = _set("the a an this that these those my your his her their its some it them me us you")
_EACH = _set("every each everywhere")
_ALL = _EACH | _set("all any no")
_MUST = _set("must should shall may needs need belong belongs live lives go goes never always")
_HAVE = _set("has have")  # to
_HABITS = _set(
    """use prefer favor favour deploy write store follow target run test name keep support pin release squash
    rebase merge format log put commit review version ship avoid host document tag lint build require return
    validate cache encrypt measure translate publish call start end type indent treat assume rely stick
    work"""
)
_WISHES = _set("want need expect like love")
_PREFERS = _set("prefer favor favour")
_REQUESTS = _HABITS | _set("limit cap leave place handle raise throw import export declare define")
_MEASURES = _set("under below within over above small short minimal most least than up to between per")
_INSTEAD = (
    ("instead", "of"),
    ("rather", "than"),
    ("better", "than"),
    ("as", "opposed"),
    ("over",),
    ("more", "than"),
)


def declares_rule(words: Sequence[str], signals: Mapping[str, int], text: str) -> bool:
    """Whether a sentence has the form of a rule and nothing of the task at hand."""
    spoken = [word for word in words if word not in (_START, _END)]
    if not _LEAST_WORDS <= len(spoken) <= _MOST_WORDS or text.endswith(("?", ":")):
        return False
    if any(signal in signals for signal in _AT_HAND) or _points(spoken):
        return False
    if any(signal in signals for signal in _OF_PRODUCT) and "way of working" not in signals:
        return False
    if _asks_later(words) or _changes(spoken) or any(map(_is_one_thing, spoken)):
        return False
    while spoken[0] in _OPENINGS and len(spoken) > _LEAST_WORDS:
        spoken = spoken[1:]
    subject, rest = spoken[0], spoken[1:]
    if subject in ("we", "our"):
        return _is_habit(subject, rest, words)
    if subject == "i":
        return _is_wish(rest)
    return _is_general(spoken) or _is_standing(subject, rest, words)


def _points(spoken: Sequence[str]) -> bool:
    """Whether a word belongs to the task at hand; one late in the sentence may mean its own subject."""
    return any(
        word in _POINTS
        and not (word in _LATER and at > 2)
        and not (word in _MEASURES and _is_number(spoken[at + 1 : at + 2]))
        for at, word in enumerate(spoken)
    )


def _asks_later(words: Sequence[str]) -> bool:
    """Whether a clause after the first asks for a task: `we use two loops here, merge them`."""
    return any(pair[0] == _START and pair[1] in _TASKS for pair in pairwise(words[1:]))


def _changes(spoken: Sequence[str]) -> bool:
    """Whether something is done once (`be moved`), or a number put for another (`404 instead of 500`)."""
    if any(pair[0] == "be" and pair[1] in _CHANGES for pair in pairwise(spoken)):
        return True
    return any(
        tuple(spoken[at : at + len(phrase)]) == phrase and _is_number(spoken[at + len(phrase) :][:1])
        for phrase in (*_INSTEAD[:2], ("not",))
        for at in range(1, len(spoken))
    )


def _is_one_thing(word: str) -> bool:
    """Whether a word names one file or function: `test_api.py`, `parse()`."""
    stem, dot, suffix = word.rpartition(".")
    return (
        "()" in word
        or word.endswith("(")
        or (bool(stem and dot) and suffix.isalpha() and len(suffix) <= 4)
    )


def _is_number(words: Sequence[str]) -> bool:
    return bool(words) and words[0][:1].isdigit()


def _is_habit(subject: str, rest: Sequence[str], words: Sequence[str]) -> bool:
    """`we use pnpm`, `our API returns errors as JSON, never as text`."""
    if subject == "our":
        return _has_instead(words) or not _MUST.isdisjoint(rest[: _SUBJECT + 1])
    verb = next((at for at, word in enumerate(rest[:3]) if word in _HABITS), None)
    if verb is None or verb + 1 >= len(rest):
        return False
    return rest[verb + 1] not in _ARTICLES or _has_instead(words) or "only" in rest


def _is_wish(rest: Sequence[str]) -> bool:
    """`I prefer composition over inheritance`, `I want type hints on every function`."""
    verb = next((at for at, word in enumerate(rest[:3]) if word in _PREFERS | _WISHES), None)
    if verb is None or verb + 1 >= len(rest) or rest[verb + 1] in _ARTICLES | {"to"}:
        return False
    if rest[verb] in _PREFERS:
        return True
    return _has_instead(rest) or not _EACH.isdisjoint(rest[verb + 1 :])


def _is_general(spoken: Sequence[str]) -> bool:
    """`all dates must be`, `every function needs`, `commit messages must be`."""
    at = next((at for at in range(1, len(spoken)) if _is_norm(spoken, at)), 0)
    if not at:
        return False
    subject = spoken[:at]
    if len(subject) > 1 and subject[0] in _ALL and subject[1] not in _ARTICLES:
        return True
    return at <= _SUBJECT and _ARTICLES.isdisjoint(subject) and _is_plural(subject[-1])


def _is_norm(spoken: Sequence[str], at: int) -> bool:
    """Whether a word says what must be; `have` does before `to`."""
    return spoken[at] in _MUST or (spoken[at] in _HAVE and spoken[at + 1 : at + 2] == ["to"])


def _is_standing(verb: str, rest: Sequence[str], words: Sequence[str]) -> bool:
    """`keep functions under 30 lines`, `use tabs, not spaces`, `prefer X over Y`."""
    if verb not in _REQUESTS or rest[0] in _ARTICLES:
        return False
    if verb in _PREFERS or _has_instead(words):
        return True
    has_number = any(_is_number([word]) for word in rest)
    return (has_number or _is_plural(rest[0])) and not _MEASURES.isdisjoint(rest)


def _has_instead(words: Sequence[str]) -> bool:
    """Whether it says what not to do instead: `, not Y`, `, never Y`, `instead of`, `over`."""
    pairs = list(pairwise(words))
    if (_START, "not") in pairs or (_START, "never") in pairs or ("and", "not") in pairs:
        return True
    return any(
        tuple(words[at : at + len(phrase)]) == phrase
        for phrase in _INSTEAD
        for at in range(2, len(words))
    )


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
