"""Searches over tools such as a harness has of its own: by name, by regular expression, by plain BM25."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from recollect.gateway.lexical import terms
from recollect.gateway.tool import UpstreamTool, parameters
from recollect.retrieval.query import idf

Ranker = Callable[[str], Sequence[str]]  # the ids of tools for a request, best first
_K1, _B = 1.2, 0.75


def by_names(tools: Sequence[UpstreamTool], limit: int) -> Ranker:
    """Rank by the words of the request that a tool's name contains."""
    names = [(tool.id, set(terms(tool.name))) for tool in tools]

    def rank(text: str) -> list[str]:
        query = set(terms(text))
        return _best(((id, len(query & name)) for id, name in names), limit)

    return rank


def by_regex(tools: Sequence[UpstreamTool], limit: int) -> Ranker:
    """Rank by the words of the request that a pattern of them all finds in name and description."""
    texts = [(tool.id, f"{tool.name} {tool.description}".lower()) for tool in tools]

    def rank(text: str) -> list[str]:
        words = sorted(set(terms(text)), key=len, reverse=True)
        if not words:
            return []
        pattern = re.compile("|".join(map(re.escape, words)))
        return _best(((id, len(set(pattern.findall(content)))) for id, content in texts), limit)

    return rank


def by_bm25(tools: Sequence[UpstreamTool], limit: int) -> Ranker:
    """Rank by BM25 over all words of a tool, in one field."""
    counts = [Counter(_all_terms(tool)) for tool in tools]
    lengths = [sum(count.values()) for count in counts]
    average = sum(lengths) / max(len(lengths), 1) or 1.0
    frequencies = Counter(term for count in counts for term in count)

    def rank(text: str) -> list[str]:
        query = {
            term: idf(len(tools), frequencies[term]) for term in terms(text) if term in frequencies
        }

        def score(number: int) -> float:
            norm = _K1 * (1 - _B + _B * lengths[number] / average)
            count = counts[number]
            return sum(
                rarity * count[term] * (_K1 + 1) / (count[term] + norm)
                for term, rarity in query.items()
                if term in count
            )

        return _best(((tool.id, score(number)) for number, tool in enumerate(tools)), limit)

    return rank


def _all_terms(tool: UpstreamTool) -> list[str]:
    details = [f"{parameter.name} {parameter.about}" for parameter in parameters(tool.input_schema)]
    return terms(" ".join([tool.server, tool.name, tool.description, *details]))


def _best(scores: Iterable[tuple[str, float]], limit: int) -> list[str]:
    matching = [(id, score) for id, score in scores if score > 0]
    return [id for id, _ in sorted(matching, key=lambda pair: (-pair[1], pair[0]))[:limit]]
