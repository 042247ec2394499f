"""A logistic curve of one signal, fitted by damped Newton steps and drawn towards what is believed before."""

from collections.abc import Sequence
from math import exp

_ROUNDS = 40  # it converges in a few
_STEP, _FAR = 0.5, 30.0  # the largest step, and log-odds beyond which nothing changes
_SETTLED = 1e-9  # a step that changes nothing any more


def logistic(odds: float) -> float:
    """The probability of log-odds."""
    return 1 / (1 + exp(-min(max(odds, -_FAR), _FAR)))


def fit_curve(
    values: Sequence[float], rights: Sequence[bool], slope: float, shift: float, ridge: float
) -> tuple[float, float]:
    """Slope and shift of `logistic(slope x value + shift)` that suit best.

    They start at `slope` and `shift`, which count as much as `ridge` says.
    """
    before = slope, shift
    for _ in range(_ROUNDS):
        gradient = [ridge * (slope - before[0]), ridge * (shift - before[1])]
        curve = [ridge, 0.0, ridge]
        for value, right in zip(values, rights, strict=True):
            probability = logistic(slope * value + shift)
            error, spread = probability - right, probability * (1 - probability)
            gradient = [gradient[0] + error * value, gradient[1] + error]
            curve = [curve[0] + spread * value * value, curve[1] + spread * value, curve[2] + spread]
        area = curve[0] * curve[2] - curve[1] ** 2
        steps = (
            _limited((curve[2] * gradient[0] - curve[1] * gradient[1]) / area),
            _limited((curve[0] * gradient[1] - curve[1] * gradient[0]) / area),
        )
        slope, shift = slope - steps[0], shift - steps[1]
        if max(map(abs, steps)) < _SETTLED:
            break
    return slope, shift


def _limited(step: float) -> float:
    """Where all values are alike the curve is flat, and a whole step would lead far away."""
    return min(max(step, -_STEP), _STEP)
