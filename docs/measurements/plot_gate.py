"""Draw the gate's trade-off: `python docs/measurements/plot_gate.py SET... > docs/measurements/gate.svg`.

Each SET is the folder of a labelled set. One panel for each strategy, one line for each set, a point where
the calibrated threshold is. The hand-made set is always drawn; the second panel needs a model.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from recollect.bench import gate, sample_project
from recollect.bench.data_sets import load
from recollect.bench.gate import GateCase
from recollect.retrieval.search import Strategy

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c6d1f", "#444444")
STEPS = [step / 200 for step in range(1, 200)]
SIZE, LEFT, TOP, GAP = 300, 60, 40, 80
MOST_FALSE = 0.5  # where the axis ends


def main() -> None:
    """Measure, then print the drawing."""
    folders = [Path(name) for name in sys.argv[1:]]
    strategies: tuple[Strategy, ...] = ("fts5_bm25", "hybrid")
    panels = [
        panel(number, strategy, curves(strategy, folders)) for number, strategy in enumerate(strategies)
    ]
    names = ["hand-made (unrelated and generic)", *(folder.name for folder in folders)]
    width, height = LEFT + 2 * (SIZE + GAP), TOP + SIZE + 60 + 18 * len(names)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="12"')
    print('  font-family="sans-serif"><rect width="100%" height="100%" fill="#fff"/>')
    print("\n".join([*panels, *legend(names)]), "</svg>", sep="\n")


def curves(strategy: Strategy, folders: Iterable[Path]) -> list[list[GateCase]]:
    """The cases of every set, the hand-made one first."""
    strange = ("unrelated", "long_unrelated", "generic")
    own = sample_project.cases(
        sample_project.run_prompts(strategy), *sample_project.ANSWERABLE, *strange
    )
    sets = [gate.run_cases(load(folder), gate.other_sets(folder), strategy) for folder in folders]
    return [own, *sets]


def panel(number: int, strategy: Strategy, found: list[list[GateCase]]) -> str:
    """Axes, the corner we want to be in, and the lines."""
    left = LEFT + number * (SIZE + GAP)
    lines = [f'<g transform="translate({left} {TOP})">', f'<text y="-12">{strategy}</text>']
    corner = SIZE * 0.10 / MOST_FALSE
    lines.append(f'<rect width="{corner:.1f}" height="{SIZE * 0.4:.1f}" fill="#e6f2e6"/>')
    lines.append(f'<path d="M0 0V{SIZE}H{SIZE}" fill="none" stroke="#888"/>')
    for tick in range(6):
        y, x = SIZE * (1 - tick / 5), SIZE * tick / 5
        lines += [
            f'<text x="-8" y="{y + 4:.0f}" text-anchor="end">{tick / 5:.1f}</text>',
            f'<text x="{x:.0f}" y="{SIZE + 16}" text-anchor="middle">{tick / 5 * MOST_FALSE:.1f}</text>',
        ]
    lines.append(f'<text x="{SIZE / 2}" y="{SIZE + 34}" text-anchor="middle">false-inject rate</text>')
    if number == 0:
        lines.append(f'<text transform="translate(-40 {SIZE / 2}) rotate(-90)" text-anchor="middle">')
        lines.append("injected rate of answerable prompts</text>")
    for cases, colour in zip(found, COLOURS, strict=False):
        lines += line(cases, colour, gate.calibrated(strategy))
    return "\n".join([*lines, "</g>"])


def line(cases: list[GateCase], colour: str, threshold: float) -> list[str]:
    """One set's curve over all thresholds, and the point we chose."""
    places = [place(cases, step) for step in STEPS]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places if x <= SIZE)
    x, y = place(cases, threshold)
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>',
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>',
    ]


def place(cases: list[GateCase], threshold: float) -> tuple[float, float]:
    """Where a threshold is in the panel."""
    found = gate.outcome(cases, threshold)
    return SIZE * (found.false_inject_rate or 0.0) / MOST_FALSE, SIZE * (1 - found.injected_rate)


def legend(names: list[str]) -> list[str]:
    """Which line is which."""
    lines = []
    for row, (name, colour) in enumerate(zip(names, COLOURS, strict=False)):
        y = TOP + SIZE + 60 + 18 * row
        lines.append(f'<rect x="{LEFT}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
        lines.append(f'<text x="{LEFT + 16}" y="{y}">{name}</text>')
    return lines


if __name__ == "__main__":
    main()
