"""Does the best tool fit the request at all? A calibrated probability from a few signals of the match."""

from collections.abc import Collection
from dataclasses import dataclass
from math import exp

from recollect.gateway.lexical import TermIndex, Terms


@dataclass(frozen=True, slots=True)
class MatchSignals:
    """How well one tool matches a request, each 0..1. `meaning` is None without a model.

    `request` is the share of the request that the tool's words cover, `name` and `description` the shares of
    the tool's own name and description that the request covers, all weighted by rarity.
    """

    meaning: float | None
    request: float
    name: float
    description: float

    def as_list(self) -> list[float]:
        """The signals in the order of the coefficients."""
        shares = [self.request, self.name, self.description]
        return shares if self.meaning is None else [*shares, self.meaning]


# Fitted by docs/measurements/fit_no_tool.py: the constant, then one coefficient for each signal.
_BY_WORDS = (-2.09, 2.92, 0.66, 3.69)
_WITH_MEANING = (-3.79, 2.87, 0.38, 3.26, 3.06)


def match_signals(
    query: Collection[str], tool: Terms, index: TermIndex, cosine: float | None
) -> MatchSignals:
    """The signals of one tool for a request with these terms."""
    words = {term for term in query if not any(mark.isdigit() for mark in term)}
    own = {term for field in tool.values() for term in field}
    name, description = set(tool["name"]), {*tool["name"], *tool["description"]}
    return MatchSignals(
        cosine,
        _share(words, own, index),
        _share(name, words, index),
        _share(description, words, index),
    )


def _share(terms: Collection[str], covered_by: Collection[str], index: TermIndex) -> float:
    """The share of these terms that others cover, weighted by rarity."""
    total = sum(index.rarity(term) for term in terms)
    return sum(index.rarity(term) for term in terms if term in covered_by) / total if total else 0.0


def confidence(signals: MatchSignals) -> float:
    """The probability that the tool answers the request."""
    constant, *coefficients = _BY_WORDS if signals.meaning is None else _WITH_MEANING
    values = signals.as_list()
    logit = constant + sum(a * b for a, b in zip(coefficients, values, strict=True))
    return 1 / (1 + exp(-max(min(logit, 60.0), -60.0)))
