"""How well is the next tool predicted? Five folds; everything is chosen on the other four."""

import gzip
import json
import time
import zlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TypedDict

from recollect.app.next_tools import SEQUENCES
from recollect.errors import InvalidError, NotFoundError
from recollect.learning.context_predictor import Sequences
from recollect.learning.predictor_choice import (
    BASELINE,
    FOLDS,
    PREDICTORS,
    Guess,
    HeldOut,
    choose,
    choosing,
    held_out,
    joined,
    tried,
)
from recollect.views.benches import BenchNextStepOutput, NextStepRow, ReliabilityRow
from recollect.workflow.prediction import calibrated

_OVER = object()
_NAME = "sequences.jsonl.gz"
_BOUNDS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.85, 0.92, 1.01)


def measure(folder: Path) -> BenchNextStepOutput:
    """Every predictor in five folds, and the one that is used: chosen and calibrated without its fold.

    Raises NotFoundError and InvalidError.
    """
    sequences = read_sequences(folder)
    results = {name: held_out(sequences, make) for name, make in PREDICTORS.items()}
    parts, names, sure = [], [], list[Guess]()
    for fold in range(FOLDS):
        learned = [calls for number, calls in enumerate(sequences) if number % FOLDS != fold]
        choice = choose(learned)
        part = tried(choice.predictor(learned), sequences[fold::FOLDS])
        parts.append(part)
        names.append(choice.name)
        sure += [Guess(calibrated(g.raw, choice.slope, choice.shift), g.is_right) for g in part.guesses]
    used = joined(parts)
    return {
        "sequences": len(sequences),
        "calls": used.calls,
        **_row(used),
        "bigram": _row(results[BASELINE]),
        "predictors": {name: _row(result) for name, result in results.items()},
        "chosen": {name: names.count(name) for name in sorted(set(names))},
        "brier": round(sum((g.raw - g.is_right) ** 2 for g in sure) / len(sure), 4),
        "reliability": _reliability(sure),
        **_choice_time(sequences[-SEQUENCES:]),
    }


class _ChoiceTime(TypedDict):
    choice_ms: float
    choice_longest_ms: float


def _choice_time(sequences: Sequences) -> _ChoiceTime:
    """CPU time of one choice over the newest sequences, as a server makes it."""
    steps, milliseconds = choosing(sequences), list[float]()
    while True:
        started = time.thread_time()
        is_over = next(steps, _OVER) is _OVER
        milliseconds.append((time.thread_time() - started) * 1_000)
        if is_over:
            break
    return {
        "choice_ms": round(sum(milliseconds), 1),
        "choice_longest_ms": round(max(milliseconds), 2),
    }


def _row(result: HeldOut) -> NextStepRow:
    first, third = result.rates
    return {"hit@1": round(first, 4), "hit@3": round(third, 4)}


def _reliability(guesses: Sequence[Guess]) -> list[ReliabilityRow]:
    rows: list[ReliabilityRow] = []
    for low, high in pairwise(_BOUNDS):
        inside = [guess.is_right for guess in guesses if low <= guess.raw < high]
        right = round(sum(inside) / len(inside), 4) if inside else None
        rows.append({"from": low, "guesses": len(inside), "right": right})
    return rows


def read_sequences(folder: Path) -> list[list[str]]:
    """Sequences of calls. Raises NotFoundError and InvalidError."""
    path = folder / _NAME
    try:
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        sequences = [json.loads(line)["calls"] for line in lines if line.strip()]
    except OSError as error:
        raise NotFoundError(f"{str(path)!r} cannot be read: {error.strerror or error}.") from None
    except (ValueError, KeyError, TypeError, EOFError, zlib.error) as error:
        raise InvalidError(f"{str(path)!r} has no sequences of calls: {error}.") from None
    if len(sequences) < FOLDS:
        raise InvalidError(
            f"{str(path)!r} has {len(sequences)} sequences; at least {FOLDS} are needed."
        )
    return sequences
