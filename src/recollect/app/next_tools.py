"""The predictor of a project: what its sessions called in which order, and which predictor suits that."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from recollect.learning.ports import SequenceStore
from recollect.learning.predictor_choice import PredictorChoice, Recalibrated, choose
from recollect.workflow import weights
from recollect.workflow.prediction import NextTool

SEQUENCES = 100  # of the newest sessions: choosing among predictors takes a second with them
_RELEARNED = 20  # calls, after which a predictor learns again
_MOST_WAITING = 1_000


@dataclass(slots=True)
class NextTools:
    """Records calls and predicts. `read` and `write` use the store; `learn` takes long and does not."""

    _name: str = field(default_factory=lambda: secrets.token_hex(4))  # sessions of two servers differ
    _waiting: list[tuple[str, str]] = field(default_factory=list)
    _sequences: Sequence[Sequence[str]] = ()
    _new: int = _RELEARNED  # calls since it last learned; at first it learns at once
    _predictor: Recalibrated | None = None

    def called(self, session: str, tool: str) -> None:
        """A tool was called with success."""
        if len(self._waiting) < _MOST_WAITING:
            self._waiting.append((f"{self._name}:{session}", tool))
            self._new += 1

    def write(self, store: SequenceStore) -> None:
        """Write the calls that wait; read sequences again after enough of them. Raises StoreError."""
        calls, self._waiting = self._waiting, []
        if calls:
            store.add(calls)
        if self._new >= _RELEARNED:
            self._sequences, self._new = store.latest(SEQUENCES), 0
            self._predictor = None

    def learn(self) -> None:
        """Choose a predictor for the sequences that were read."""
        if self._predictor is None and self._sequences:
            self._predictor = choose(self._sequences).predictor(self._sequences)

    @property
    def scaling(self) -> tuple[float, float]:
        """Slope and shift by which raw probabilities are calibrated."""
        known = self._predictor
        scaling = (weights.PREDICTION_SLOPE, weights.PREDICTION_SHIFT)
        return (known.slope, known.shift) if known else (float(scaling[0]), float(scaling[1]))

    def predict(self, recent: Sequence[str]) -> Sequence[NextTool]:
        """What may be called next, best first; nothing before it has learned."""
        return self._predictor.predict(recent) if self._predictor and recent else ()


def choice_of(store: SequenceStore) -> tuple[int, PredictorChoice]:
    """How many sequences there are to learn from, and the predictor that suits them. Raises StoreError."""
    sequences = store.latest(SEQUENCES)
    return len(sequences), choose(sequences)
