"""How relevant is each tool to a request? Words, meaning, and how relevant its server is.

Words are searched for the whole request and for each of its steps. The model reads the request once: it takes
most of the time, and vectors of steps earned nothing beside the words of steps.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter

from recollect.gateway import weights
from recollect.gateway.lexical import TermIndex, Terms, pieces, term_index, terms, terms_of
from recollect.gateway.steps import steps
from recollect.gateway.tool import UpstreamTool
from recollect.text.tokens import tokens

_DEPTH = 100  # tools of a ranking by words that count
_NEAREST = 50  # tools of a ranking by meaning that count

Meaning = Sequence[float | None]  # cosines by the number of the tool; None: it is not embedded yet
Cosines = Callable[[str], Meaning]  # of a text with every tool of the index, in its order
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
    meaning: Meaning | None
    fused: Scores

    def cosine(self, tool: int) -> float | None:
        """How near the tool is in meaning; None without a model or before it is embedded."""
        return None if self.meaning is None else self.meaning[tool]

    def best(self, most: int) -> list[int]:
        """The most relevant tools."""
        return sorted(self.fused, key=lambda tool: (-self.fused[tool], tool))[:most]


def relevance(
    text: str, index: ToolIndex, cosines: Cosines | None, *, stepwise: bool = True
) -> Relevance:
    """How relevant each tool is. A tool that is not embedded yet is found by words."""
    query = terms(text)
    words = index.scores(query)
    if parts := steps(text) if stepwise else []:
        by_step = [_scaled(index.words.scores(terms(part))) for part in parts]
        words = _mixed(words, _best(by_step), weights.STEPS)
    meaning = None if cosines is None else cosines(text)
    fused = words if meaning is None else _with_meaning(words, meaning, len(set(query)))
    return Relevance(query, words, meaning, _by_server(fused, index.tools))


def _best(rankings: Sequence[Scores]) -> Scores:
    best: Scores = {}
    for scores in rankings:
        for tool, score in scores.items():
            best[tool] = max(best.get(tool, 0.0), score)
    return best


def _with_meaning(words: Scores, meaning: Meaning, length: int) -> Scores:
    fused = _mixed(words, _scaled_cosines(meaning), _share_of_meaning(length))
    return fused | {tool: score for tool, score in words.items() if meaning[tool] is None}


def _by_server(scores: Scores, tools: Sequence[UpstreamTool]) -> Scores:
    """Lower the scores of tools whose server has less to offer: requests often need several of one server."""
    best: dict[str, float] = {}
    second: dict[str, float] = {}
    for tool, score in scores.items():
        server = tools[tool].server
        lower, best[server] = sorted((score, best.get(server, 0.0)))
        second[server] = max(second.get(server, 0.0), lower)
    strength = {server: best[server] + weights.SECOND_TOOL * second[server] for server in best}
    strongest = max(strength.values(), default=0.0)
    if not strongest:
        return scores
    share = weights.SERVER_SHARE
    return {
        tool: score * (1 - share + share * strength[tools[tool].server] / strongest)
        for tool, score in scores.items()
    }


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
    best = nlargest(_DEPTH, scores, key=scores.__getitem__)
    return {tool: scores[tool] / top for tool in best} if top > 0 else {}


def _scaled_cosines(meaning: Meaning) -> Scores:
    """The highest cosines, from 0 for the last to 1 for the first: they lie close together."""
    cosines = [(cosine, tool) for tool, cosine in enumerate(meaning) if cosine is not None]
    best = nlargest(_NEAREST, cosines, key=itemgetter(0))
    if not best:
        return {}
    top, bottom = best[0][0], best[-1][0]
    return {tool: (cosine - bottom) / (top - bottom) if top > bottom else 1.0 for cosine, tool in best}
