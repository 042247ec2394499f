"""Which predictor is used? The one that predicts held-out calls best: the back-off bigram, unless beaten.

Its probabilities are calibrated on the same held-out calls, because longer contexts are too sure.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import pairwise
from math import log
from typing import TypeAlias, TypeVar

from recollect.gateway.tool_graph import ToolEdge
from recollect.learning.context_predictor import ContextPredictor, Sequences
from recollect.learning.graph_predictor import GraphPredictor
from recollect.learning.logistic import fit_curve
from recollect.workflow import weights
from recollect.workflow.prediction import BackOffBigram, CountingPredictor, NextTool, calibrated

BASELINE = "bigram"
FOLDS = 5
ENOUGH = 20  # sequences of two calls or more, before anything but the bigram is tried
_TOP = 3
_RIDGE = 1.0  # pulls the scaling towards none, as if one call more spoke for it
_T = TypeVar("_T")

# Work that takes long, in steps of less than a millisecond or so; somebody may do something else in between.
Steps: TypeAlias = Generator[None, None, _T]


def bigram(sequences: Sequences) -> CountingPredictor:
    """The baseline: a back-off bigram of these sequences."""
    pairs = Counter(pair for calls in sequences for pair in pairwise(calls))
    return BackOffBigram([ToolEdge(*pair, count) for pair, count in pairs.items()])


MakePredictor: TypeAlias = Callable[[Sequences], CountingPredictor]
PREDICTORS: Mapping[str, MakePredictor] = {
    BASELINE: bigram,
    "two calls": lambda sequences: ContextPredictor(sequences, 2, 0.0),
    "two calls and later ones": lambda sequences: ContextPredictor(sequences, 2, 0.3),
    "tool graph": GraphPredictor,
}


@dataclass(frozen=True, slots=True)
class Guess:
    """The best prediction at one place: its raw probability, and whether that tool was called next."""

    raw: float
    is_right: bool


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Predictions of calls that were not learned from. A guess after the last call of a sequence is wrong."""

    calls: int
    first: int
    third: int
    guesses: Sequence[Guess]

    @property
    def rates(self) -> tuple[float, float]:
        """hit@1 and hit@3."""
        return (self.first / self.calls, self.third / self.calls) if self.calls else (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class PredictorChoice:
    """The predictor that is used, its scaling, and what each reached on held-out calls, if any."""

    name: str = BASELINE
    slope: float = weights.PREDICTION_SLOPE
    shift: float = weights.PREDICTION_SHIFT
    results: Mapping[str, HeldOut] = field(default_factory=dict)

    def predictor(self, sequences: Sequences) -> "Recalibrated":
        """The predictor over all sequences."""
        return Recalibrated(PREDICTORS[self.name](sequences), self.slope, self.shift)


@dataclass(frozen=True, slots=True)
class Recalibrated:
    """A predictor with another scaling of its raw probabilities."""

    predictor: CountingPredictor
    slope: float
    shift: float

    def add(self, recent: Sequence[str], tool: str) -> None:
        self.predictor.add(recent, tool)

    def probabilities(self, recent: Sequence[str]) -> Mapping[str, float]:
        return self.predictor.probabilities(recent)

    def predict(self, recent: Sequence[str]) -> Sequence[NextTool]:
        return [
            NextTool(guess.tool, calibrated(guess.raw, self.slope, self.shift), guess.raw)
            for guess in self.predictor.predict(recent)
        ]


def choose(sequences: Sequences) -> PredictorChoice:
    """The predictor with the most hits at 1 and 3 together, in five folds of these sequences."""
    return at_once(choosing(sequences))


def choosing(sequences: Sequences) -> Steps[PredictorChoice]:
    """`choose` in steps."""
    usable = [calls for calls in sequences if len(calls) > 1]
    if len(usable) < ENOUGH:
        return PredictorChoice()
    results = {}
    for name, make in PREDICTORS.items():
        results[name] = yield from _holding_out(usable, make)

    def merit(name: str) -> tuple[int, bool]:
        return results[name].first + results[name].third, name == BASELINE

    best = max(results, key=merit)
    return PredictorChoice(best, *platt(results[best].guesses), results)


def at_once(steps: Steps[_T]) -> _T:
    """Take all steps."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: _T = end.value
            return result


def held_out(sequences: Sequences, make: MakePredictor) -> HeldOut:
    """What a predictor reaches that learns from four folds and predicts the fifth, for each fold."""
    return at_once(_holding_out(sequences, make))


def _holding_out(sequences: Sequences, make: MakePredictor) -> Steps[HeldOut]:
    parts = []
    for fold in range(FOLDS):
        predictor = make([calls for number, calls in enumerate(sequences) if number % FOLDS != fold])
        parts.append((yield from _trying(predictor, sequences[fold::FOLDS])))
    return joined(parts)


def tried(predictor: CountingPredictor, sequences: Sequences) -> HeldOut:
    """What a predictor reaches on these sequences."""
    return at_once(_trying(predictor, sequences))


def _trying(predictor: CountingPredictor, sequences: Sequences) -> Steps[HeldOut]:
    first = third = 0
    guesses: list[Guess] = []
    for calls in sequences:
        for place in range(1, len(calls) + 1):
            yield
            raws = predictor.probabilities(calls[:place])
            best = nsmallest(_TOP, raws, key=lambda tool: (-raws[tool], tool))
            following = calls[place] if place < len(calls) else None
            if best:
                guesses.append(Guess(raws[best[0]], best[0] == following))
            first += bool(best) and best[0] == following
            third += following in best
    return HeldOut(sum(len(calls) - 1 for calls in sequences), first, third, guesses)


def joined(parts: Iterable[HeldOut]) -> HeldOut:
    """Several results as one."""
    every = list(parts)
    return HeldOut(
        sum(part.calls for part in every),
        sum(part.first for part in every),
        sum(part.third for part in every),
        [guess for part in every for guess in part.guesses],
    )


def platt(guesses: Sequence[Guess]) -> tuple[float, float]:
    """Slope and shift of the log-odds that fit best (Platt 1999), drawn towards 1 and 0."""
    odds = [log(raw / (1 - raw)) for raw in (min(max(guess.raw, 1e-6), 1 - 1e-6) for guess in guesses)]
    return fit_curve(odds, [guess.is_right for guess in guesses], 1.0, 0.0, _RIDGE)
