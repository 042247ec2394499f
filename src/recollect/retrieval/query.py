"""A query: the terms of any text, few enough to search for, and its intent.

A prompt that says little ("What did we decide about that?") is searched together with the turns before it. A
short text keeps all its terms. A long one (a pasted issue, a stack trace) would match everything, so it
keeps its heaviest terms, and is searched for in parts: its lines and sentences, each a query of its own, and
its code as one more. The weight of a term grows with its rarity in the index and its frequency in the
text (less in code than in prose); it doubles in the first line, and identifiers and file names get half as
much again.
"""

from __future__ import annotations

import re
from math import log, sqrt

from recollect.text.stemming import stems
from recollect.text.tokens import STOP_WORDS, is_unspaced, words
from recollect.values import Frozen, replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    Frequencies: TypeAlias = Callable[[Sequence[str]], Mapping[str, int]]  # documents that have a stem

KEPT_WHOLE = 64  # different words of a query that is not shortened
MOST_TERMS = 32  # terms of a longer query; 15 cost a point where requests are a paragraph long
MOST_TEXT = 20_000  # characters of a query that are read, which bounds the time
_FIRST_LINE, _COMPOUND, _IN_CODE = 2.0, 1.5, 0.5
LONG_LINE = 300  # characters; a longer line is split into sentences
LEAST_WORDS = 5  # of a part; what follows a shorter one, such as a heading, is added to it
MOST_PARTS = 24  # parts that are searched for: the heaviest ones, by the rarity of their words
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
# A sentence that says how to answer, and nothing about what.
_FORM = r"""(?:(?<=[.!?;:\n])|^)[ \t]{0,20}(?:please\s)?(?:
        you\sare\s(?:a|an|my|the)\s[^.!?\n]*
      | (?:answer|reply|respond|explain)\s(?:\w+\s){0,2}
        (?:briefly|shortly|concisely|in\s(?:one|two|three|a\sfew|\d+|markdown|json|english|bullet)\b)[^.!?;:\n]*
      | (?:be|keep\s(?:it|this|your\sanswers?|the\sanswers?))\s(?:very\s)?(?:brief|short|concise|terse)\b
        [^.!?;:\n]*
      | (?:let'?s\s)?(?:think|reason|work)\s(?:\w+\s){0,2}step\sby\sstep[^.!?;:\n]*
      | no\s(?:explanations?|preamble|prose)\b[^.!?;:\n]* | (?:only|just)\s(?:output|print)\s[^.!?;:\n]*
    )(?:[.!?;:]|$)"""
_FORM_SIGNS = (  # what such a sentence contains, so that few texts are searched with a pattern
    *("you are ", "answer", "reply", "respond", "explain", "brief", "short", "concise", "terse"),
    *("step by step", "no preamble", "no prose", "only ", "just "),
)
_CODE_STARTS = ("    ", "\t", ">>>", "$ ", "E ", "+ ")
# A line of a log or a trace: it begins with a time or a level, or is a frame, or names what was raised.
_LOG_START = 300  # characters of a line that are looked at, which bounds the time
_LOG_LINE = r"""\s*(?:
        \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d | \[?\d\d:\d\d:\d\d
      | \[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|DETAIL|HINT)\b[\]:]?\s
      | (?:at|from)\s\S+[:(].*\d\)?$ | File\s".*",\sline\s\d
      | Traceback\s\(most | Caused\sby: | panic:\s | goroutine\s\d
      | [\w./\\-]+\.\w{1,5}:\d+(?::|$|\s) | (?:[\w$]+(?:\.|::))*[A-Z]\w*(?:Error|Exception|Violation)\b:
    )"""

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

    `pairs` are stems of known terms that are adjacent in the text. `parts` are what a long text is searched
    for by, the heaviest first, with the weight of each; a short one has none.
    """

    text: str
    terms: tuple[Term, ...]
    word_count: int
    pairs: tuple[tuple[str, str], ...] = ()
    parts: tuple[tuple[Query, float], ...] = ()


def idf(documents: int, frequency: int) -> float:
    """Inverse document frequency as in BM25; never negative."""
    return log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def parse(text: str, frequencies: Frequencies, documents: int) -> Query:
    """Parse any text into a query. Sentences about the form of the answer are left out."""
    text = text[:MOST_TEXT]
    text = _without_form(text)
    words = _count_words(text)
    known = frequencies(list(words.counts))
    if len(words.counts) <= KEPT_WHOLE:
        return _query(text, words, dict.fromkeys(words.counts, 1), known, documents)
    rarity = {stem: idf(documents, df) for stem, df in known.items()}
    query = _query(text, words, _heaviest(text, words, rarity), known, documents)
    return replaced(query, parts=tuple(_parts(text, known, rarity, documents)))


def _without_form(text: str) -> str:
    """The text without sentences about the form of the answer, unless that is all of it."""
    start = text.lower()
    if not any(sign in start for sign in _FORM_SIGNS):
        return text
    # Compiled here and not on import, because every prompt waits for the import.
    content = re.compile(_FORM, re.VERBOSE | re.IGNORECASE | re.MULTILINE).sub(" ", text)
    return content if content.strip() else text


def _query(
    text: str,
    words: _WordCounts,
    chosen: Mapping[str, int],
    known: Mapping[str, int],
    documents: int,
) -> Query:
    """The query for the chosen stems of a text, each with how often it counts."""
    terms = {
        stem: Term(stem, times, idf(documents, known.get(stem, 0)), known.get(stem, 0))
        for stem, times in chosen.items()
    }
    pairs = [pair for pair in words.pairs if all(stem in terms and terms[stem].known for stem in pair)]
    return Query(text, tuple(terms.values()), len(words.counts), tuple(pairs))


def _parts(
    text: str, known: Mapping[str, int], rarity: Mapping[str, float], documents: int
) -> list[tuple[Query, float]]:
    """The parts of a long text that have known words, the heaviest first."""
    prose, code = _split_code(text)
    parts: list[tuple[Query, float]] = []
    for piece, weight in [*((piece, 1.0) for piece in _pieces(prose)), (code, _IN_CODE)]:
        words = _count_words(piece)
        stems = {stem: rarity[stem] for stem in words.counts if stem in known}
        if weight == _IN_CODE or len(stems) > KEPT_WHOLE:
            stems = {stem: rarity[stem] for stem in _heaviest(piece, words, stems)}
        if stems:
            first = _FIRST_LINE if not parts and weight == 1.0 else weight
            query = _query(piece, words, dict.fromkeys(stems, 1), known, documents)
            parts.append((query, first))
    weights = [sum(term.idf for term in part.terms) * weight for part, weight in parts]
    heaviest = sorted(range(len(parts)), key=lambda place: -weights[place])[:MOST_PARTS]
    return [parts[place] for place in heaviest]


def _pieces(prose: str) -> list[str]:
    """The lines of a text, long ones split into sentences; a short piece takes the next one with it."""
    pieces: list[str] = []
    for line in filter(None, map(str.strip, prose.splitlines())):
        for piece in _SENTENCE_END.split(line) if len(line) > LONG_LINE else [line]:
            if pieces and len(pieces[-1].split()) < LEAST_WORDS:
                pieces[-1] = f"{pieces[-1]} {piece}"
            else:
                pieces.append(piece)
    return pieces


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
    """The prose and the code of a text; fenced, indented and prompt lines, logs and traces are code."""
    prose: list[str] = []
    code: list[str] = []
    fenced = False
    is_log = re.compile(_LOG_LINE, re.VERBOSE).match
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        else:
            is_code = fenced or line.startswith(_CODE_STARTS) or is_log(line[:_LOG_START])
            (code if is_code else prose).append(line)
    return "\n".join(prose), "\n".join(code)


def skip_reason(prompt: str) -> str | None:
    """Why a prompt is skipped; None when it is not."""
    text = prompt.strip()
    if text.startswith("/"):
        return "it begins with a slash, like a harness command"
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
