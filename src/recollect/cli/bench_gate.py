"""`bench gate`: when a prompt gets memories, and whether they are relevant."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from recollect.cli.bench_output import SaveOption, best_run, bounds, fail, note, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json
from recollect.errors import RefusedError

if TYPE_CHECKING:
    from recollect.bench.gate import GateCase, GateOutcome
    from recollect.bench.sample_project import PromptRun
    from recollect.retrieval.search import Strategy

HAND_MADE = "hand-made"  # the name of the built-in set


GateOutcomeRow = TypedDict(
    "GateOutcomeRow",
    {
        "threshold": float,
        "injected_rate": float,
        "precision@3": float | None,
        "relevant_share": float | None,
        "false_inject_rate": float | None,
        "silent_rate": float,
    },
)
GateOutcomeRow.__doc__ = """The rates at one threshold; null where there is nothing to count."""


class GateKind(TypedDict):
    """One kind of hand-made prompts, and how many of them get an injection."""

    prompts: int
    injected_rate: float


class BenchGateOutput(GateOutcomeRow):
    """`recollect bench gate`: rates at the threshold in use, and at others in `curve`.

    `precision@3` is the share of injections with a relevant memory among the (at most three) injected,
    `relevant_share` that of injected memories that are relevant; both are null where nothing was injected,
    and `false_inject_rate` is null where no prompt was unrelated. `intervals` has the bounds of
    `injected_rate`, `precision@3` and `false_inject_rate` in 95 of 100 resamples of the prompts, except
    those that are null. `kinds` is empty except for the hand-made set.
    """

    set: str
    strategy: str
    answerable: int
    unrelated: int
    intervals: dict[str, list[float]]
    curve: list[GateOutcomeRow]
    kinds: dict[str, GateKind]


app = typer.Typer()


@command(
    app,
    "gate",
    "recollect bench gate --data data/locomo-turns",
    "recollect bench gate",
    "recollect bench gate --save gate.json",
    output=BenchGateOutput,
)
def gate(
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder of one labelled set. [the built-in one]")
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="fts5_bm25, or hybrid with a model. [hybrid when a model is installed]"),
    ] = None,
    save: SaveOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure how often a prompt gets memories, and how often they are relevant.

    Related prompts are the set's own queries; unrelated ones are queries of its other groups and of the
    neighbouring sets. Without --data it uses the hand-made set that comes with Recollect, and also reports
    each kind of its prompts. Without an embedding model, --strategy hybrid is refused with exit code 3. With
    --save, a rate worse than the saved interval fails with exit code 9.
    """
    from recollect.bench import sample_project, saved_results
    from recollect.bench.gate import THRESHOLDS, best_strategy, calibrated, measures, outcome

    kind = _gate_strategy(strategy) or best_strategy()
    name = HAND_MADE if data is None else data.resolve().name
    before = saved_results.read(save, "gate", name) if save else None
    tried = sample_project.run_prompts(kind) if data is None else []
    cases = sample_project.cases(tried) if data is None else _cases(data, kind)
    chosen, rates = outcome(cases, calibrated(kind)), measures(cases, calibrated(kind))
    curve = [outcome(cases, threshold) for threshold in THRESHOLDS]
    with_answer = sum(case.answerable for case in cases)
    out: BenchGateOutput = {
        "set": name,
        "strategy": kind,
        "answerable": with_answer,
        "unrelated": len(cases) - with_answer,
        **_outcome(chosen),
        "intervals": bounds(rates),
        "curve": [_outcome(point) for point in curve],
        "kinds": _kinds(tried),
    }
    worse = saved_results.renew(save, before, best_run("gate", name, kind, rates)) if save else []
    if as_json:
        print_json(out)
    else:
        _show_gate(out, chosen, curve)
    fail("worse", worse)


def _kinds(tried: "list[PromptRun]") -> dict[str, GateKind]:
    from recollect.bench.sample_project import by_kind

    return {
        name: {"prompts": count, "injected_rate": round(rate, 4)}
        for name, (count, rate) in by_kind(tried).items()
    }


def _cases(data: Path, kind: "Strategy") -> "list[GateCase]":
    from recollect.bench.data_sets import load
    from recollect.bench.gate import other_sets, run_cases

    return run_cases(load(data, note), other_sets(data, note), kind)


def _show_gate(out: BenchGateOutput, chosen: "GateOutcome", curve: "list[GateOutcome]") -> None:
    title = f"{out['strategy']}: {out['answerable']} answerable prompts, {out['unrelated']} unrelated"
    rates = table(title, "threshold", "injected", "precision@3", "relevant share", "false inject")
    for point in sorted([*curve, chosen], key=lambda point: point.threshold):
        mark = " [green]<[/]" if point is chosen else ""
        shown = (point.injected_rate, point.precision, point.relevant_share, point.false_inject_rate)
        *cells, last = map(_shown, shown)
        rates.add_row(f"{point.threshold:.2f}", *cells, f"{last}{mark}")
    console().print(rates)
    if kinds := out["kinds"]:
        console().print()
        by_kind = table("By kind of prompt", "kind", "prompts", "injected")
        for name, row in kinds.items():
            by_kind.add_row(name.replace("_", " "), str(row["prompts"]), f"{row['injected_rate']:.3f}")
        console().print(by_kind)


def _shown(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.3f}"


def _gate_strategy(name: str | None) -> "Strategy | None":
    from recollect.bench.corpora import need_model

    match name:
        case None | "fts5_bm25":
            return name
        case "hybrid":
            need_model(name)
            return name
        case _:
            raise RefusedError(f"there is no gate for {name!r}; there are fts5_bm25 and hybrid.")


def _outcome(point: "GateOutcome") -> GateOutcomeRow:
    return {
        "threshold": point.threshold,
        "injected_rate": round(point.injected_rate, 4),
        "precision@3": _rounded(point.precision),
        "relevant_share": _rounded(point.relevant_share),
        "false_inject_rate": _rounded(point.false_inject_rate),
        "silent_rate": round(point.silent_rate, 4),
    }


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 4)
