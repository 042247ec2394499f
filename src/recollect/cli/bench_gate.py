"""`bench gate`: when a prompt gets memories, and whether they are relevant."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from recollect.cli.bench_output import SaveOption, best_run, bounds, fail, note, table
from recollect.cli.choices import choice_option
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json
from recollect.errors import RefusedError

if TYPE_CHECKING:
    from recollect.bench.data_sets import DataSet
    from recollect.bench.gate import GateCase, GateOutcome, KindOutcome
    from recollect.retrieval.search import Strategy

_STRATEGIES = ("fts5_bm25", "hybrid")
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


GateKind = TypedDict(
    "GateKind",
    {"prompts": int, "n": int, "injected_rate": float, "precision@3": float | None},
)
GateKind.__doc__ = """One kind of prompts: how many there are (twice, as `n` too), and what they get."""


class BenchGateOutput(GateOutcomeRow):
    """`recollect bench gate`: rates at the threshold in use, and at others in `curve`.

    `precision@3` is the share of injections with a relevant memory among the (at most three) injected,
    `relevant_share` that of injected memories that are relevant; both are null where nothing was injected,
    and `false_inject_rate` is null where no prompt was unrelated. `intervals` has the bounds of
    `injected_rate`, `precision@3` and `false_inject_rate` in 95 of 100 resamples of the prompts, except
    those that are null. `kinds` has each kind of prompt of the set; it is empty where prompts have none.
    In a set of decisions `precision@3` is the share of injections whose prompt needed one.
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
    "recollect bench gate --data data/adr-prompts --documents 10",
    "recollect bench gate --save gate.json",
    output=BenchGateOutput,
)
def gate(
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder of one labelled set. [the built-in one]")
    ] = None,
    strategy: Annotated[
        str | None,
        choice_option(
            _STRATEGIES, "--strategy", metavar="NAME", help="Default: hybrid if a model is installed."
        ),
    ] = None,
    documents: Annotated[
        int | None,
        typer.Option(min=1, help="Cut the set of --data down to so many documents around the answers."),
    ] = None,
    save: SaveOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure how often prompts get memories, and relevant ones.

    Related prompts are the set's own queries; unrelated ones are queries of its other groups and of the
    neighbouring sets. Where prompts have a kind, each kind is reported too, also of prompts that no memory
    answers. Without --data it uses the hand-made set that comes with Recollect, and seven other languages
    as kinds. Without an embedding model, --strategy hybrid is refused with exit code 3. With --save, a rate
    worse than the saved interval fails with exit code 9.
    """
    from recollect.bench import languages, sample_project, saved_results
    from recollect.bench.gate import (
        THRESHOLDS,
        best_strategy,
        by_kind,
        calibrated,
        measures,
        outcome,
    )

    kind = _gate_strategy(strategy) or best_strategy()
    name = HAND_MADE if data is None else data.resolve().name
    before = saved_results.read(save, "gate", name) if save else None
    threshold, decisions = calibrated(kind), False
    if data is None:
        cases = sample_project.cases(sample_project.run_prompts(kind))
        own = [*cases, *languages.cases(kind)]
    else:
        data_set = _loaded(data, documents)
        decisions = data_set.decisions
        cases, own = _cases(data, data_set, kind)
    chosen = outcome(cases, threshold, decisions=decisions)
    rates = measures(cases, threshold, decisions=decisions)
    curve = [outcome(cases, point, decisions=decisions) for point in THRESHOLDS]
    with_answer = sum(case.answerable for case in cases)
    out: BenchGateOutput = {
        "set": name,
        "strategy": kind,
        "answerable": with_answer,
        "unrelated": len(cases) - with_answer,
        **_outcome(chosen),
        "intervals": bounds(rates),
        "curve": [_outcome(point) for point in curve],
        "kinds": {name: _kind(of_kind) for name, of_kind in by_kind(own, threshold).items()},
    }
    worse = saved_results.renew(save, before, best_run("gate", name, kind, rates)) if save else []
    if as_json:
        print_json(out)
    else:
        _show_gate(out, chosen, curve)
    fail("worse", worse)


def _loaded(folder: Path, documents: int | None) -> "DataSet":
    from recollect.bench.cut_down import cut_down
    from recollect.bench.data_sets import load

    data = load(folder, note)
    return data if documents is None else cut_down(data, documents)


def _cases(
    folder: Path, data: "DataSet", strategy: "Strategy"
) -> "tuple[list[GateCase], list[GateCase]]":
    """The cases of a set, and those of its prompts that have a kind."""
    from recollect.bench.gate import other_sets, run_cases, run_kinds

    own = run_kinds(data, strategy)
    return own if data.decisions else run_cases(data, other_sets(folder, note), strategy), own


def _kind(kind: "KindOutcome") -> GateKind:
    return {
        "prompts": kind.prompts,
        "n": kind.prompts,
        "injected_rate": round(kind.injected_rate, 4),
        "precision@3": _rounded(kind.precision),
    }


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
        by_kind = table("By kind of prompt", "kind", "prompts", "injected", "precision@3")
        for name, row in kinds.items():
            rates_of_kind = (row["injected_rate"], row["precision@3"])
            by_kind.add_row(name.replace("_", " "), str(row["prompts"]), *map(_shown, rates_of_kind))
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
            raise RefusedError(f"unknown strategy {name!r}; choose one of {', '.join(_STRATEGIES)}.")


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
