"""The `title_tags` strategy: the earlier keyword scorer, still available as a fallback.

A word of the query that is a tag counts 3, one in the title 2, one that is the start of a word in either 1.
"""

from collections.abc import Sequence

from recollect.retrieval.index import Key
from recollect.text.tokens import STOP_WORDS, words

_TAG, _TITLE, _START = 3.0, 2.0, 1.0
_SHORTEST_START = 4


def by_title_and_tags(
    text: str, entries: Sequence[tuple[Key, str, Sequence[str]]], limit: int
) -> list[tuple[Key, float]]:
    """The documents (key, title, tags) that share words with `text`, best first, ties as they came."""
    wanted = _wholes(text) - STOP_WORDS
    scored = []
    for key, title, tags in entries:
        if score := _score(wanted, _wholes(title), _wholes(" ".join(tags))):
            scored.append((key, score))
    scored.sort(key=lambda hit: -hit[1])
    return scored[:limit]


def _wholes(text: str) -> set[str]:
    return {word[0] for word in words(text)}


def _score(wanted: set[str], title: set[str], tags: set[str]) -> float:
    score = 0.0
    for word in wanted:
        if word in tags:
            score += _TAG
        elif word in title:
            score += _TITLE
        elif len(word) >= _SHORTEST_START and any(other.startswith(word) for other in title | tags):
            score += _START
    return score
