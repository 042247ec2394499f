"""Fit what the detector of statements weighs: `python docs/measurements/fit_statements.py SET [--write]`.

SET is the folder of a labelled set of messages (`messages.jsonl.gz`). Prints precision and recall with each
repository left out in turn, three ways:

- left out: the weights are fitted without the repository that is judged;
- unseen phrases removed: also every phrase that occurs in no other repository is ignored while it is judged,
  because whoever wrote the list had read this set;
- with the model's vectors, if `--vectors FILE` names an array of them (one row a sentence).

`--write` writes the weights, fitted on everything, to `working/statement_weights.py`; `--svg FILE` draws the
curves. Needs numpy. Run with OMP_NUM_THREADS=1 on a busy machine.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.bench.capture import Message, load_messages
from recollect.working import statement_signals, statements
from recollect.working.prose import Sentence
from recollect.working.statement_cues import has_cue

L2 = 0.3
ROUNDS = 30
# What is believed before any message is read: phrases such as "from now on" and plain rules such as "we use
# pnpm, not npm" are rare in messages, so that few examples cannot say how much they mean, and they say it
# outright.
PRIOR = {"outright": 4.0, statements.DECLARES: 4.0}
STIFFNESS = 3.0  # the ridge towards it
LEAST_RECALL = 0.45  # out of fold, where the threshold is put; the target is 0.35 with precision 0.5
KEYWORDS = (0.24, 0.21)  # precision and recall of a list of words such as always, never, prefer
WEIGHTS = Path(statements.__file__).with_name("statement_weights.py")
SIZE, LEFT, TOP = 320, 60, 40

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence: the message it is of, its features, the phrases in it, and whether it is labelled."""

    message: int
    sentence: Sentence
    features: dict[str, float]
    phrases: frozenset[tuple[str, str]]
    label: int  # 1 durable, 0 not, -1 another sentence of a durable message, which is not fitted


def main() -> None:
    """Fit, print, and write what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--vectors", type=Path)
    options = parser.parse_args()
    messages = load_messages(options.data)
    rows = rows_of(messages)
    names = sorted({name for row in rows for name in row.features})
    plain, own = left_out(messages, rows, names), left_out(messages, rows, names, hide=True)
    print("| | precision at recall .35 | at .45 | best F1 | average precision |\n|---|---|---|---|---|")
    sure = np.array([not message.doubt for message in messages])
    report("left out", messages, plain)
    report("left out, without doubt", messages, plain, sure)
    report("unseen phrases removed", messages, own)
    report("unseen phrases removed, without doubt", messages, own, sure)
    if options.vectors:
        vectors = np.load(options.vectors).astype(float)
        report("left out, with vectors", messages, left_out(messages, rows, names, vectors=vectors))
    threshold = threshold_at(messages, plain, LEAST_RECALL)
    print(
        f"\nthreshold {threshold:.3f}, where {LEAST_RECALL} of the durable ones are found out of fold"
    )
    if options.write:
        write(
            names,
            fitted(matrix(rows, names), rows, names),
            threshold,
            reached(messages, plain, threshold),
        )
    if options.svg:
        options.svg.write_text(svg(messages, {"left out": plain, "unseen phrases removed": own}))


def rows_of(messages: Sequence[Message]) -> list[Row]:
    """The sentences of all messages."""
    return [
        Row(number, sentence, features, phrases_of(sentence), message.label(sentence))
        for number, message in enumerate(messages)
        for sentence, features in statements.features_of(message.text)
    ]


def phrases_of(sentence: Sentence) -> frozenset[tuple[str, str]]:
    """The phrases that a sentence has, each with its signal."""
    words = statement_signals.words_of(sentence.own)
    return frozenset(statement_signals.matches(words))


def matrix(rows: Sequence[Row], names: Sequence[str]) -> Vector:
    return np.array([[row.features.get(name, 0.0) for name in names] for row in rows])


def hidden(
    rows: Sequence[Row], names: Sequence[str], x: Vector, unseen: set[tuple[str, str]]
) -> Vector:
    """The features without phrases that occur in one repository only."""
    result = x.copy()
    column = {name: number for number, name in enumerate(names)}
    for at, row in enumerate(rows):
        if row.phrases & unseen:
            words = statement_signals.words_of(row.sentence.own)
            counts: dict[str, int] = {}
            for phrase in statement_signals.matches(words):
                counts[phrase[1]] = counts.get(phrase[1], 0) + (phrase not in unseen)
            for signal, times in counts.items():
                result[at, column[signal]] = min(times, 2) ** 0.5
    return result


def fitted(x: Vector, rows: Sequence[Row], names: Sequence[str]) -> Vector:
    """Bias and weights, by Newton's method with a ridge towards the prior."""
    used = np.array([row.label >= 0 for row in rows])
    y = np.array([row.label == 1 for row in rows])[used].astype(float)
    x = np.c_[np.ones(used.sum()), x[used]]
    prior, penalty = np.zeros(x.shape[1]), np.full(x.shape[1], L2)
    penalty[0] = 1e-6
    for number, name in enumerate(names, start=1):
        if name in PRIOR:
            prior[number], penalty[number] = PRIOR[name], STIFFNESS
    weights = prior.copy()
    for _ in range(ROUNDS):
        p = 1 / (1 + np.exp(-x @ weights))
        step = np.linalg.solve(
            (x * (p * (1 - p))[:, None]).T @ x + np.diag(penalty),
            x.T @ (p - y) + penalty * (weights - prior),
        )
        weights -= step
        if abs(step).max() < 1e-7:
            break
    return weights


def left_out(
    messages: Sequence[Message],
    rows: Sequence[Row],
    names: Sequence[str],
    *,
    hide: bool = False,
    vectors: Vector | None = None,
) -> Vector:
    """The confidence of each message's best sentence, by weights fitted on the other repositories."""
    x = matrix(rows, names)
    if vectors is not None:
        x = np.c_[x, 2 * (vectors - vectors.mean(0))]
    repositories = np.array([messages[row.message].repo for row in rows])
    homes: dict[tuple[str, str], set[str]] = {}
    for row, repo in zip(rows, repositories, strict=True):
        for phrase in row.phrases:
            homes.setdefault(phrase, set()).add(repo)
    best = np.zeros(len(messages))
    for repo in sorted(set(repositories)):
        unseen = {phrase for phrase, where in homes.items() if where == {repo}} if hide else set()
        z = hidden(rows, names, x, unseen) if unseen else x
        others = np.flatnonzero(repositories != repo)
        weights = fitted(z[others], [rows[at] for at in others], names)
        for at in np.flatnonzero(repositories == repo):
            score = 1 / (1 + np.exp(-(weights[0] + z[at] @ weights[1:])))
            is_rule = rows[at].features[statements.DECLARES] > 0
            if has_cue(messages[rows[at].message].text, of_rules=is_rule):
                best[rows[at].message] = max(best[rows[at].message], score)
    return best


def curve(messages: Sequence[Message], scores: Vector) -> tuple[Vector, Vector]:
    """Precision and recall after each message, the surest first."""
    order = np.argsort(-scores, kind="stable")
    durable = np.array([message.durable for message in messages])[order]
    hits = np.cumsum(durable)
    return hits / np.arange(1, len(hits) + 1), hits / durable.sum()


def report(label: str, messages: Sequence[Message], scores: Vector, only: Vector | None = None) -> None:
    """One line of the table."""
    if only is not None:
        messages = [message for message, wanted in zip(messages, only, strict=True) if wanted]
        scores = scores[only]
    precision, recall = curve(messages, scores)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    best = int(f1.argmax())
    durable = np.diff(np.r_[0, recall]) > 0
    cells = [f"{precision[np.argmax(recall >= wanted)]:.2f}" for wanted in (0.35, LEAST_RECALL)]
    print(
        f"| {label} | {' | '.join(cells)} | {f1[best]:.2f} ({precision[best]:.2f} / {recall[best]:.2f})"
        f" | {precision[durable].mean():.2f} |"
    )


def threshold_at(messages: Sequence[Message], scores: Vector, wanted: float) -> float:
    """The confidence at which a share of the durable messages is found."""
    _, recall = curve(messages, scores)
    return float(np.sort(scores)[::-1][np.argmax(recall >= wanted)])


def reached(messages: Sequence[Message], scores: Vector, threshold: float) -> dict[str, float]:
    """Precision, recall and F1 of the threshold."""
    durable = np.array([message.durable for message in messages])
    found = scores >= threshold
    precision = float((durable & found).sum() / found.sum())
    recall = float((durable & found).sum() / durable.sum())
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
    }


def write(names: Sequence[str], weights: Vector, threshold: float, figures: dict[str, float]) -> None:
    """Write the module of weights, the largest first."""
    order = sorted(zip(names, weights[1:], strict=True), key=lambda pair: (-pair[1], pair[0]))
    lines = [f'    "{name}": {weight:.3f},' for name, weight in order]
    numbers = ", ".join(f'"{name}": {value:.3f}' for name, value in figures.items())
    WEIGHTS.write_text(
        '"""What each signal of a statement weighs. Written by docs/measurements/fit_statements.py."""\n\n'
        "from __future__ import annotations\n\n"
        f"BIAS = {weights[0]:.3f}\nTHRESHOLD = {threshold:.3f}  # confidence of what becomes a draft\n"
        "# What they reach on the messages they were fitted to, with each repository left out in turn.\n"
        f"LEFT_OUT = {{{numbers}}}\n"
        "WEIGHTS: dict[str, float] = {\n" + "\n".join(lines) + "\n}\n"
    )


def svg(messages: Sequence[Message], curves: dict[str, Vector]) -> str:
    """Precision over recall, the target's corner, and the list of words."""
    width, height = LEFT + SIZE + 40, TOP + SIZE + 60 + 18 * (len(curves) + 1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="12"',
        '  font-family="sans-serif"><rect width="100%" height="100%" fill="#fff"/>',
        f'<g transform="translate({LEFT} {TOP})">',
        f'<rect x="{SIZE * 0.35:.0f}" width="{SIZE * 0.65:.0f}" height="{SIZE / 2:.0f}" fill="#e6f2e6"/>',
        f'<path d="M0 0V{SIZE}H{SIZE}" fill="none" stroke="#888"/>',
        f'<text x="{SIZE / 2}" y="{SIZE + 34}" text-anchor="middle">recall</text>',
        '<text x="-8" y="-12">precision</text>',
    ]
    for tick in range(6):
        at = SIZE * tick / 5
        lines.append(f'<text x="-8" y="{SIZE - at + 4:.0f}" text-anchor="end">{tick / 5:.1f}</text>')
        lines.append(f'<text x="{at:.0f}" y="{SIZE + 16}" text-anchor="middle">{tick / 5:.1f}</text>')
    names = [*curves, "a list of words such as always, never, prefer"]
    colours = ("#0072b2", "#d55e00", "#444444")
    for scores, colour in zip(curves.values(), colours, strict=False):
        precision, recall = curve(messages, scores)
        points = " ".join(
            f"{SIZE * r:.1f},{SIZE * (1 - p):.1f}" for p, r in zip(precision, recall, strict=True)
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    x, y = SIZE * KEYWORDS[1], SIZE * (1 - KEYWORDS[0])
    lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colours[len(curves)]}"/>', "</g>"]
    for number, (name, colour) in enumerate(zip(names, colours, strict=False)):
        y = TOP + SIZE + 60 + 18 * number
        lines.append(f'<rect x="{LEFT}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
        lines.append(f'<text x="{LEFT + 16}" y="{y}">{name}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    main()
