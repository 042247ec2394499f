"""The predictor of a project: what its sessions called in which order, and which predictor suits that."""

import secrets
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from recollect.learning import weights as learning_weights
from recollect.learning.context_predictor import LATER
from recollect.learning.ports import SequenceStore
from recollect.learning.predictor_choice import (
    PredictorChoice,
    Recalibrated,
    Steps,
    choose,
    choosing,
)
from recollect.workflow import weights
from recollect.workflow.prediction import NextTool

SEQUENCES, CALLS = 100, 2_000  # the newest that a choice among predictors looks at
_FEWEST = 20  # calls to learn from, and between two choices
_SLICE = 0.01  # seconds that a choice works on end
_MOST_WAITING, _MOST_SESSIONS = 1_000, 100


@dataclass(slots=True)
class NextTools:
    """Records calls and predicts. The predictor counts each call that is written.

    Which predictor is used is chosen again when the calls have grown by a share.
    `write` uses the store, from one thread at a time; `learn` does not, and works in slices of 10 ms.
    """

    _name: str = field(default_factory=lambda: secrets.token_hex(4))  # sessions of two servers differ
    _waiting: deque[tuple[str, str]] = field(default_factory=deque)
    _recent: dict[str, tuple[str, ...]] = field(default_factory=dict)  # the last calls of each session
    _sequences: Sequence[Sequence[str]] = ()
    _new: int = _FEWEST  # calls since the sequences were read; at first they are read at once
    _choosing: Steps[PredictorChoice] | None = None
    _later: list[tuple[tuple[str, ...], str]] = field(default_factory=list)  # calls since then
    _predictor: Recalibrated | None = None
    _lock: Lock = field(default_factory=Lock)  # of what is learned

    def called(self, session: str, tool: str) -> None:
        """A tool was called with success."""
        if len(self._waiting) < _MOST_WAITING:
            self._waiting.append((f"{self._name}:{session}", tool))

    def write(self, store: SequenceStore) -> None:
        """Write the calls that wait, and count them; begin a choice if one is due. Raises StoreError."""
        calls = [self._waiting.popleft() for _ in range(len(self._waiting))]
        if calls:
            store.add(calls)
            with self._lock:
                for call in calls:
                    self._count(*call)
        if self._choosing is None and self._new >= self._enough:
            sequences = store.latest(SEQUENCES, CALLS)
            with self._lock:
                self._sequences, self._new, self._later = sequences, 0, []
                self._choosing = choosing(sequences) if self._known >= _FEWEST else None

    @property
    def _enough(self) -> float:
        """New calls, after which another predictor may suit better."""
        return max(_FEWEST, self._known * learning_weights.RELEARN_SHARE)

    @property
    def _known(self) -> int:
        """Calls that the last choice looked at."""
        return sum(map(len, self._sequences))

    def _count(self, session: str, tool: str) -> None:
        recent = self._recent.pop(session, ())
        self._recent[session] = (*recent, tool)[-LATER:]
        if len(self._recent) > _MOST_SESSIONS:
            del self._recent[next(iter(self._recent))]
        self._new += 1
        if self._choosing is not None:
            self._later.append((recent, tool))
        if self._predictor is not None:
            self._predictor.add(recent, tool)

    def learn(self, seconds: float = _SLICE) -> bool:
        """Work on a choice that was begun, no longer than this; whether nothing is left to do."""
        end = time.perf_counter() + seconds
        with self._lock:
            while self._choosing is not None:
                try:
                    next(self._choosing)
                except StopIteration as chosen:
                    self._use(chosen.value)
                if time.perf_counter() >= end:
                    break
            return self._choosing is None

    def _use(self, choice: PredictorChoice) -> None:
        self._predictor, self._choosing = choice.predictor(self._sequences), None
        for call in self._later:
            self._predictor.add(*call)

    @property
    def scaling(self) -> tuple[float, float]:
        """Slope and shift by which raw probabilities are calibrated."""
        known = self._predictor
        scaling = (weights.PREDICTION_SLOPE, weights.PREDICTION_SHIFT)
        return (known.slope, known.shift) if known else (float(scaling[0]), float(scaling[1]))

    def predict(self, recent: Sequence[str]) -> Sequence[NextTool]:
        """What may be called next, best first; nothing before there was enough to learn from."""
        with self._lock:
            return self._predictor.predict(recent) if self._predictor and recent else ()


def choice_of(store: SequenceStore) -> tuple[int, PredictorChoice]:
    """How many sequences there are to learn from, and the predictor that suits them. Raises StoreError."""
    sequences = store.latest(SEQUENCES, CALLS)
    return len(sequences), choose(sequences)
