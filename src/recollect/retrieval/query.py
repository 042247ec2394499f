"""A query: the terms of any text, few enough to search for, and its intent.

A prompt that says little ("What did we decide about that?") is searched together with the turns before it. A
short text keeps all its terms. A long one (a pasted issue, a stack trace) would match everything, so it
keeps its heaviest terms. The weight of a term grows with its rarity in the index and its frequency in the
text (less in code than in prose); it doubles in the first line, and identifiers and file names get half as
much again.
"""

from __future__ import annotations

from math import log, sqrt

from recollect.text.stemming import stems
from recollect.text.tokens import STOP_WORDS, is_unspaced, words
from recollect.values import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    Frequencies: TypeAlias = Callable[[Sequence[str]], Mapping[str, int]]  # documents that have a stem

KEPT_WHOLE = 64  # different words of a query that is not shortened
MOST_TERMS = 32  # terms of a longer query; 15 cost a point where requests are a paragraph long
MOST_TEXT = 20_000  # characters of a query that are read, which bounds the time
_FIRST_LINE, _COMPOUND, _IN_CODE = 2.0, 1.5, 0.5
_CODE_STARTS = ("    ", "\t", ">>>", "$ ", "E ")

SHORTEST = 10  # characters of a prompt that is searched for
IDEOGRAPH = 3  # an ideograph, kana or hangul syllable counts as three characters: it is half a word
FIRST_IDEOGRAPH = "\u2e80"  # scripts before it have letters, with or without spaces between words
FEW = 3  # meaningful words; a prompt with more states its own subject, which turns would dilute
TURNS = 3
MOST_OF_A_TURN = 500  # characters: a pasted log is not the subject of a conversation

PLAIN = "plain"  # no intent was recognised
# The words of each intent, in the order they are tried. A phrase matches the start of a word; with a trailing
# space, complete words.
_SIGNS = {
    "find_decision": (
        "why did we", "why do we", "why are we", "decid", "decision", "chose", "rationale", "adr"
    ),
    "security_audit": ("secur", "vulnerab", "cve", "secret", "leak", "xss", "injection", "audit"),
    "fix_bug": (
        "fix", "bug", "error", "exception", "traceback", "crash", "fail", "broken", "regression"
    ),
    "refactor": ("refactor", "clean up", "cleanup", "rename", "extract", "simplif", "restructur"),
    "find_spec": ("spec", "requirement", "constraint", "must we", "allowed to", "limit"),
    "add_feature": ("add ", "implement ", "build ", "create ", "introduce ", "support for ", "feature "),
    "understand": ("how does ", "what is ", "what are ", "explain ", "understand ", "overview ", "why "),
}  # fmt: skip
# Equal halves for words and meaning won over all measured sets; files are rare and precise.
PLAIN_WEIGHTS = {"lexical": 0.5, "vector": 0.5, "files": 0.3, "touched": 0.3, "graph": 0.3}
# The words are weak signals, so the weights differ little.
_NUDGES = {
    "fix_bug": {"files": 0.4, "touched": 0.4},
    "refactor": {"files": 0.4, "touched": 0.4},
    "find_decision": {"graph": 0.4},
    "understand": {"graph": 0.4},
}


class Term(Frozen):
    """One term: its stem, how often it counts, its rarity, and how many documents have it."""

    stem: str
    times: int
    idf: float
    documents: int

    @property
    def known(self) -> bool:
        return self.documents > 0


class Query(Frozen):
    """A parsed query. `word_count` counts the different words of the text before it was shortened.

    `pairs` are stems of known terms that are adjacent in the text.
    """

    text: str
    terms: tuple[Term, ...]
    word_count: int
    pairs: tuple[tuple[str, str], ...] = ()


def idf(documents: int, frequency: int) -> float:
    """Inverse document frequency as in BM25; never negative."""
    return log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def parse(text: str, frequencies: Frequencies, documents: int) -> Query:
    """Parse any text into a query."""
    text = text[:MOST_TEXT]
    words = _count_words(text)
    known = frequencies(list(words.counts))
    if len(words.counts) <= KEPT_WHOLE:
        chosen = dict.fromkeys(words.counts, 1)
    else:
        chosen = _heaviest(text, words, {stem: idf(documents, df) for stem, df in known.items()})
    terms = {
        stem: Term(stem, times, idf(documents, known.get(stem, 0)), known.get(stem, 0))
        for stem, times in chosen.items()
    }
    pairs = [pair for pair in words.pairs if all(stem in terms and terms[stem].known for stem in pair)]
    return Query(text, tuple(terms.values()), len(words.counts), tuple(pairs))


class _WordCounts(Frozen):
    counts: Mapping[str, int]
    compounds: frozenset[str]
    pairs: tuple[tuple[str, str], ...]


def _count_words(text: str) -> _WordCounts:
    tokens: list[str] = []
    wholes: list[int] = []  # positions of compounds
    seconds: list[int] = []  # positions of tokens that directly follow another one
    apart = True
    for word in words(text):
        for position, token in enumerate(word):
            if token in STOP_WORDS or (len(token) == 1 and token.isascii()):
                apart = True
                continue
            if not apart:
                seconds.append(len(tokens))
            apart = (
                position == 0 and len(word) > 1
            )  # a compound and its first part are not adjacent words
            if apart:
                wholes.append(len(tokens))
            tokens.append(token)
    stemmed = stems(tokens)
    counts: dict[str, int] = {}
    for stem in stemmed:
        counts[stem] = counts.get(stem, 0) + 1
    adjacent = ((stemmed[at - 1], stemmed[at]) for at in seconds)
    pairs = dict.fromkeys(pair for pair in adjacent if pair[0] != pair[1])
    return _WordCounts(counts, frozenset(stemmed[at] for at in wholes), tuple(pairs))


def _heaviest(text: str, words: _WordCounts, weights: Mapping[str, float]) -> dict[str, int]:
    """The heaviest terms of a long text, in its order, and how often each counts: 2 in the first line."""
    prose, code = _split_code(text)
    in_prose, in_code = _count_words(prose).counts, _count_words(code).counts
    first_line = next((line for line in text.splitlines() if line.strip()), "")
    first = _count_words(first_line).counts

    def total_weight(stem: str) -> float:
        times = sqrt(in_prose.get(stem, 0) + _IN_CODE * in_code.get(stem, 0))
        place = _FIRST_LINE if stem in first else 1.0
        return weights[stem] * times * place * (_COMPOUND if stem in words.compounds else 1.0)

    best = set(sorted(weights, key=lambda stem: (-total_weight(stem), stem))[:MOST_TERMS])
    return {stem: 2 if stem in first else 1 for stem in words.counts if stem in best}


def opening(text: str, most: int) -> str:
    """The first `most` characters of a text; of a longer text, of its prose if it has any."""
    if len(text) <= most:
        return text
    return (_split_code(text)[0].strip() or text)[:most]


def _split_code(text: str) -> tuple[str, str]:
    """The prose and the code of a text; fenced, indented and prompt lines are code."""
    prose: list[str] = []
    code: list[str] = []
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        else:
            (code if fenced or line.startswith(_CODE_STARTS) else prose).append(line)
    return "\n".join(prose), "\n".join(code)


def skip_reason(prompt: str) -> str | None:
    """Why a prompt is skipped; None when it is not."""
    text = prompt.strip()
    if text.startswith("/"):
        return "it begins with a slash, like a command of the harness"
    if len(text) >= SHORTEST:
        return None
    marks = [mark for mark in text if mark >= FIRST_IDEOGRAPH and is_unspaced(mark) and mark.isalnum()]
    if len(text) + len(marks) * (IDEOGRAPH - 1) >= SHORTEST:
        return None
    return f"it is shorter than {SHORTEST} characters"


def enriched(prompt: str, turns: Sequence[str]) -> str:
    """The prompt, followed by the user's last turns, newest first, if it has few meaningful words.

    `turns` are the user's earlier turns, oldest first. A prompt of more than three meaningful words is
    returned unchanged.
    """
    if not turns or meaningful(prompt) > FEW:
        return prompt
    last = (turn.strip()[:MOST_OF_A_TURN] for turn in reversed(turns[-TURNS:]))
    return "\n".join([prompt, *(turn for turn in last if turn)])


def meaningful(text: str) -> int:
    """The number of different words of a text that are not stop words. A compound is one word."""
    wholes = {word[0] for word in words(text)}
    return sum(whole not in STOP_WORDS and (len(whole) > 1 or not whole.isascii()) for whole in wholes)


def intent_of(text: str) -> str:
    """The intent of a text: the first one whose words are in its first 500 characters."""
    start = text[:500].lower()
    flat = "".join([mark if mark.isalnum() or mark == "_" else " " for mark in start])
    padded = f" {flat} "
    return next(
        (intent for intent, signs in _SIGNS.items() if any(f" {sign}" in padded for sign in signs)),
        PLAIN,
    )


def weights(intent: str) -> dict[str, float]:
    """The weight of each channel."""
    return PLAIN_WEIGHTS | _NUDGES.get(intent, {})
