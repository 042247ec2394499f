"""What strangers are given: `python docs/measurements/strange_gate.py TURNS SET...`, folders of sets.

TURNS is a set whose texts are what developers typed in a session. Its short lines, the starts of its long
texts, and hand-written prompts are put to every other set and to the hand-made one, and each strategy's rate
of injection is printed. None of them took part in a fit of the gate, but for the hand-written ones about any
work, and those about something else for the hand-made set.
"""

import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from recollect.bench import gate, sample_project
from recollect.bench.data_sets import DataSet, load
from recollect.bench.gate import GateCase
from recollect.retrieval.query import KEPT_WHOLE
from recollect.retrieval.search import Strategy
from recollect.text.tokens import STOP_WORDS, tokens

MOST = 300  # short turns, drawn by chance
START = 3000  # characters of a long text
STRATEGIES: tuple[Strategy, ...] = ("fts5_bm25", "hybrid")


def main() -> None:
    """Measure, then print a table."""
    turns, *sets = (load(Path(name)) for name in sys.argv[1:])
    asked = {
        "about any work": written("generic"),
        "long, hand-written": written("long", "long_unrelated", "long_near_miss"),
        "short turns": short(turns),
        "long turns": long(turns),
    }
    print(f"| corpus | {' | '.join(f'{name} ({len(texts)})' for name, texts in asked.items())} |")
    print("|---" * (len(asked) + 1) + "|")
    for data in sets:
        print_row(data.name, partial(gate.run_unrelated, data), asked)
    asked["long, hand-written"] = written("long_unrelated")
    print_row("hand-made", own, asked)


def written(*kinds: str) -> list[str]:
    """Hand-made prompts of some kinds."""
    return [prompt.query for prompt in sample_project.prompts() if prompt.kind in kinds]


def short(data: DataSet) -> list[str]:
    """Lines of a few plain words."""
    lines = {line.strip() for text in data.texts for line in text.text.splitlines() if is_short(line)}
    return random.Random(1).sample(sorted(lines), min(len(lines), MOST))  # noqa: S311 - repeatable


def is_short(line: str) -> bool:
    """Whether someone said this, rather than pasted it."""
    plain = line.replace("'", "").replace(",", "").strip().rstrip(".?!").split()
    return 3 <= len(plain) <= 15 and line[0].isalpha() and all(word.isalpha() for word in plain)


def long(data: DataSet) -> list[str]:
    """The starts of the texts that are too long to be looked for whole."""
    starts = [text.text[:START] for text in data.texts]
    return [text for text in starts if len(set(tokens(text)) - STOP_WORDS) > KEPT_WHOLE]


def own(texts: list[str], strategy: Strategy) -> list[GateCase]:
    """Strangers put to the hand-made memories."""
    return sample_project.cases(sample_project.run_prompts(strategy, sample_project.strangers(texts)))


def print_row(
    name: str, put: Callable[[list[str], Strategy], list[GateCase]], asked: dict[str, list[str]]
) -> None:
    """The rates of all strategies, for each kind of stranger."""
    cells = []
    for texts in asked.values():
        found = (gate.outcome(put(texts, kind), gate.calibrated(kind)) for kind in STRATEGIES)
        cells.append(" / ".join(f"{one.false_inject_rate:.3f}" for one in found))
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
