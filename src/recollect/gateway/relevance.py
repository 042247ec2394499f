"""How relevant is each tool to a request? Words and meaning, of the whole request and of its steps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from recollect.gateway import weights
from recollect.gateway.lexical import TermIndex, Terms, pieces, term_index, terms, terms_of
from recollect.gateway.steps import steps
from recollect.gateway.tool import UpstreamTool
from recollect.text.tokens import tokens

_DEPTH = 100  # tools of a ranking that count

Cosines = Callable[[str], Sequence[float]]  # of a text with every tool of the index, in its order
Scores = dict[int, float]  # 0..1, by the number of the tool in the index


@dataclass(frozen=True, slots=True)
class ToolIndex:
    """Tools that can be searched by words, ordered by id."""

    tools: tuple[UpstreamTool, ...]
    terms: tuple[Terms, ...]
    words: TermIndex
    pieces: TermIndex
    by_name: Mapping[str, Sequence[int]]

    def scores(self, query: Sequence[str]) -> Scores:
        """Lexical scores: words, and pieces of words for what is written together."""
        words = _scaled(self.words.scores(query))
        parts = _scaled(self.pieces.scores(pieces(dict.fromkeys(query))))
        return _mixed(words, parts, weights.PIECES)

    def named(self, text: str) -> set[int]:
        """The tools whose name or id is exactly this text; case and separators do not matter."""
        return set(self.by_name.get(_spelling(text), ()))


def tool_index(tools: Sequence[UpstreamTool]) -> ToolIndex:
    """Index tools by their words."""
    ordered = tuple(sorted(tools, key=lambda tool: tool.id))
    documents = tuple(terms_of(tool) for tool in ordered)
    split = [{field: pieces(words) for field, words in document.items()} for document in documents]
    by_name: dict[str, list[int]] = {}
    for number, tool in enumerate(ordered):
        for name in (tool.name, tool.id):
            by_name.setdefault(_spelling(name), []).append(number)
    return ToolIndex(ordered, documents, term_index(documents), term_index(split), by_name)


def _spelling(name: str) -> str:
    return " ".join(tokens(name))


@dataclass(frozen=True, slots=True)
class Relevance:
    """A request's terms, and per tool the lexical score, the cosine, and the two fused."""

    query: Sequence[str]
    words: Scores
    meaning: Sequence[float] | None
    fused: Scores

    def cosine(self, tool: int) -> float | None:
        """How near the tool is in meaning; None without a model."""
        return None if self.meaning is None else self.meaning[tool]

    def best(self, most: int) -> list[int]:
        """The most relevant tools."""
        return sorted(self.fused, key=lambda tool: (-self.fused[tool], tool))[:most]


def relevance(
    text: str, index: ToolIndex, cosines: Cosines | None, *, stepwise: bool = True
) -> Relevance:
    """How relevant each tool is. A request of several steps is also searched step by step."""
    whole = _of_text(text, index, cosines)
    parts = steps(text) if stepwise else []
    if not parts:
        return whole
    best: Scores = {}
    for part in parts:
        for tool, score in _of_text(part, index, cosines).fused.items():
            best[tool] = max(best.get(tool, 0.0), score)
    return Relevance(whole.query, whole.words, whole.meaning, _mixed(whole.fused, best, weights.STEPS))


def _of_text(text: str, index: ToolIndex, cosines: Cosines | None) -> Relevance:
    query = terms(text)
    words = index.scores(query)
    if cosines is None:
        return Relevance(query, words, None, words)
    meaning = cosines(text)
    share = _share_of_meaning(len(set(query)))
    return Relevance(query, words, meaning, _mixed(words, _scaled_cosines(meaning), share))


def _share_of_meaning(words: int) -> float:
    """The longer a request, the less its one vector says of each of its parts."""
    few, many = weights.FEW_WORDS, weights.MANY_WORDS
    length = min(max((words - few) / (many - few), 0.0), 1.0)
    return weights.MEANING_SHORT - (weights.MEANING_SHORT - weights.MEANING_LONG) * length


def _mixed(first: Scores, second: Scores, share: float) -> Scores:
    """Two scores as one; `share` is that of the second."""
    return {
        tool: (1 - share) * first.get(tool, 0.0) + share * second.get(tool, 0.0)
        for tool in first | second
    }


def _scaled(scores: Scores) -> Scores:
    """The best scores, divided by the highest."""
    top = max(scores.values(), default=0.0)
    best = sorted(scores, key=scores.__getitem__, reverse=True)[:_DEPTH]
    return {tool: scores[tool] / top for tool in best} if top > 0 else {}


def _scaled_cosines(cosines: Sequence[float]) -> Scores:
    """The highest cosines, from 0 for the last to 1 for the first: they lie close together."""
    best = sorted(range(len(cosines)), key=cosines.__getitem__, reverse=True)[:_DEPTH]
    if not best:
        return {}
    top, bottom = cosines[best[0]], cosines[best[-1]]
    return {tool: (cosines[tool] - bottom) / (top - bottom) if top > bottom else 1.0 for tool in best}
