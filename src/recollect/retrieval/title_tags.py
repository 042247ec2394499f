"""The `title_tags` strategy: the earlier keyword scorer, still available as a fallback.

A word of the query that is a tag counts 3, one in the title 2, one that is the start of a word in either 1.
Each word of the query in the body of the best of these adds 1, at most 3.
"""

from collections.abc import Callable, Mapping, Sequence

from recollect.retrieval.index import Key
from recollect.text.tokens import STOP_WORDS, words

_TAG, _TITLE, _START, _BODY = 3.0, 2.0, 1.0, 1.0
_MOST_BODY = 3.0
_SHORTEST_START = 4
_BODIES = 20  # of the best by title and tags; the others keep their score
_BODY_CHARACTERS = 2_000


def by_title_and_tags(
    text: str,
    entries: Sequence[tuple[Key, str, Sequence[str]]],
    bodies: Callable[[Sequence[Key]], Mapping[Key, str]],
    limit: int,
) -> list[tuple[Key, float]]:
    """The documents (key, title, tags) that share words with `text`, best first, ties as they came."""
    wanted = _wholes(text) - STOP_WORDS
    scored = []
    for key, title, tags in entries:
        if score := _score(wanted, _wholes(title), _wholes(" ".join(tags))):
            scored.append((key, score))
    scored.sort(key=lambda hit: -hit[1])
    texts = bodies([key for key, _ in scored[:_BODIES]])
    lifted = [(key, score + _bonus(wanted, texts.get(key, ""))) for key, score in scored]
    return sorted(lifted, key=lambda hit: -hit[1])[:limit]


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


def _bonus(wanted: set[str], body: str) -> float:
    return min(_BODY * len(wanted & _wholes(body[:_BODY_CHARACTERS])), _MOST_BODY)
