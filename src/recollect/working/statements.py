"""Which sentences of a message state something that still binds next week? Pure; no model, no I/O.

`find_statements` takes what a person typed and returns the sentences that state a rule, a constraint, a
choice, or a correction that implies one. Each sentence gets its signals (`statement_signals`), a logistic
model weighs them (`statement_weights`, fitted by docs/measurements/fit_statements.py), and those above
`THRESHOLD` are returned. Most messages ask for one task and state nothing.
"""

from __future__ import annotations

from math import exp, log1p, sqrt

from recollect.values import Frozen
from recollect.working.prose import sentences
from recollect.working.statement_cues import has_cue
from recollect.working.statement_rules import declares_rule
from recollect.working.statement_signals import form_of, signals_of, words_of
from recollect.working.statement_weights import BIAS, THRESHOLD, WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recollect.working.prose import Sentence

DECLARES = "declares a rule"  # the signal of statement_rules
MOST = 2  # statements of one message; a longer list is a specification
_MOST_REASONS = 4
_CAP = 2  # occurrences of a signal; more do not count


class Statement(Frozen):
    """A sentence that may bind, where it is in the message, how sure that is, and the signals that say so."""

    text: str
    start: int
    confidence: float
    reasons: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def find_statements(message: str, threshold: float = THRESHOLD) -> list[Statement]:
    """The statements of a message that a person typed, the surest first."""
    if not has_cue(message):
        return []
    read = weighed(message, rules_only=not has_cue(message, of_rules=False))
    likely = [statement for statement in read if statement.confidence >= threshold]
    return sorted(likely, key=lambda statement: (-statement.confidence, statement.start))[:MOST]


def weighed(message: str, *, rules_only: bool = False) -> list[Statement]:
    """Every sentence that the person typed, or those that declare a rule, with its confidence, in order."""
    return [
        _statement(sentence, features)
        for sentence, features in features_of(message)
        if features[DECLARES] or not rules_only
    ]


def features_of(message: str) -> list[tuple[Sentence, dict[str, float]]]:
    """The sentences of a message and their features: what the weights are fitted to."""
    typed = sentences(message)
    words = [words_of(sentence.own) for sentence in typed]
    signals = [signals_of(each) for each in words]
    rules = [declares_rule(words[at], signals[at], sentence.own) for at, sentence in enumerate(typed)]
    context = _context(typed, signals, len(message))
    return [
        (
            sentence,
            {name: sqrt(min(times, _CAP)) for name, times in signals[at].items()}
            | form_of(sentence, words[at])
            | context
            | _place(at, typed, rules[at]),
        )
        for at, sentence in enumerate(typed)
    ]


def _context(
    typed: Sequence[Sentence], signals: Sequence[Mapping[str, int]], length: int
) -> dict[str, float]:
    """What kind of message it is."""
    count = max(len(typed), 1)
    return {
        "length": log1p(length) / 7,
        "tasks in the message": sum(["task verb" in each for each in signals]) / count,
    }


def _place(at: int, typed: Sequence[Sentence], is_rule: bool) -> dict[str, float]:
    """What a sentence is in its message. Alone, it is a task unless its form is that of a rule."""
    return {
        DECLARES: float(is_rule),
        "last": float(0 < at == len(typed) - 1),
        "only sentence": float(len(typed) == 1 and not is_rule),
    }


def _statement(sentence: Sentence, features: Mapping[str, float]) -> Statement:
    parts = {name: WEIGHTS.get(name, 0.0) * value for name, value in features.items()}
    confidence = 1 / (1 + exp(-(BIAS + sum(parts.values()))))
    reasons = sorted((name for name in parts if parts[name] > 0), key=lambda name: -parts[name])
    return Statement(sentence.text, sentence.start, confidence, tuple(reasons[:_MOST_REASONS]))
