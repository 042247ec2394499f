"""`bench`: measurements anyone can repeat, on their own machine and their own data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli import measure_doors, measure_sessions, measure_working, wire_bench
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.exits import Exit
from recollect.cli.output import console, print_json, progress, say, warn
from recollect.errors import RefusedError

if TYPE_CHECKING:
    from rich.table import Table

    from recollect.bench.gate import Outcome
    from recollect.bench.retrieval import Result
    from recollect.retrieval.search import Strategy

DataOption = Annotated[Path, typer.Option("--data", help="The folder of one labelled set.")]
SaveOption = Annotated[
    Path | None, typer.Option("--save", help="Keep the result here; a later run compares with it.")
]
_MEASURES = ("ndcg@10", "recall@5", "recall@10", "mrr@10")


def register(app: typer.Typer) -> None:
    bench = typer.Typer(help="Measure Recollect on this machine.", no_args_is_help=True)
    app.add_typer(bench, name="bench")
    command(
        bench,
        "retrieval",
        "recollect bench retrieval --data data/cranfield",
        "recollect bench retrieval --data data/cranfield --strategy hybrid --strategy vector",
        "recollect bench retrieval --data data/cranfield --save cranfield.json",
    )(retrieval)
    command(bench, "gate", "recollect bench gate --data data/locomo-turns", "recollect bench gate")(
        gate
    )
    command(bench, "shadow", "recollect bench shadow --data data/locomo-turns")(shadow)
    command(bench, "hook", "recollect bench hook", "recollect bench hook --size 500 --json")(hook)
    command(bench, "speed", "recollect bench speed", "recollect bench speed --memories 1000")(speed)
    command(bench, "store", "recollect bench store", "recollect bench store --memories 1000 --json")(
        store
    )
    measure_doors.register(bench)
    measure_working.register(bench)
    measure_sessions.register(bench)


def retrieval(
    data: DataOption,
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="lexical, hybrid, hybrid-rank, vector or title_tags; repeat. [first three]"),
    ] = None,
    save: SaveOption = None,
    as_json: JsonFlag = False,
) -> None:
    """How well does search find? On a labelled set, per strategy.

    nDCG@10, recall and MRR with 95% bootstrap intervals, and latencies. hybrid, hybrid-rank and vector
    need an embedding model: without one they are left out, and a line on standard error says so, or
    refused with exit code 3 when --strategy names them. With --save, a measure that falls below the
    interval of the kept run fails with exit code 9.
    """
    from recollect.bench import kept
    from recollect.bench.retrieval import measure
    from recollect.bench.sets import load

    names = _strategies(strategy)
    found = load(data)
    before = kept.read(save, found.name) if save else None
    with progress("Measuring") as report:
        results = measure(found, names, report)
    queries = sum(bool(question.grades) for question in found.questions)
    out: wire_bench.BenchRetrievalOutput = {
        "set": found.name,
        "queries": queries,
        "results": {name: _result(result) for name, result in results.items()},
    }
    worse = kept.regressions(before, out) if before else []
    if save and not worse:
        kept.write(save, before, out)
    if as_json:
        print_json(out)
    else:
        _show_results(out)
    for regression in worse:
        warn(
            f"[red]worse[/]: {regression.strategy} {regression.measure} is {regression.now:.3f}, "
            f"below {regression.low:.3f}; it was {regression.before:.3f}"
        )
    if worse:
        raise typer.Exit(Exit.REGRESSED)


def _strategies(asked: list[str] | None) -> list[str]:
    """What to measure: what was asked for, else the usual strategies that can be run here."""
    from recollect.bench.corpora import has_model
    from recollect.bench.retrieval import NEED_MODEL, STRATEGIES, USUAL

    if unknown := [name for name in asked or () if name not in STRATEGIES]:
        raise RefusedError(f"there is no strategy {unknown[0]!r}; there are {', '.join(STRATEGIES)}.")
    if asked or has_model():
        return asked or list(USUAL)
    left_out = ", ".join(name for name in USUAL if name in NEED_MODEL)
    warn(f"left out: {left_out}; no embedding model is installed, `recollect model install` gets one")
    return [name for name in USUAL if name not in NEED_MODEL]


def _result(result: "Result") -> dict[str, Any]:
    measures = {name: round(interval.mean, 4) for name, interval in result.measures.items()}
    intervals = {
        name: [round(interval.low, 4), round(interval.high, 4)]
        for name, interval in result.measures.items()
    }
    times = {"p50_ms": round(result.p50_ms, 2), "p95_ms": round(result.p95_ms, 2)}
    return {**measures, **times, "intervals": intervals}


def _show_results(out: wire_bench.BenchRetrievalOutput) -> None:
    table = _table(
        f"{out['set']}: {out['queries']} queries", "strategy", *_MEASURES, "p50 ms", "p95 ms"
    )
    for name, row in out["results"].items():
        cells = []
        for measure in _MEASURES:
            low, high = row["intervals"][measure]
            cells.append(f"{row[measure]:.3f} [dim]{low:.3f}-{high:.3f}[/]")
        table.add_row(name, *cells, f"{row['p50_ms']:.1f}", f"{row['p95_ms']:.1f}")
    console().print(table)


def _table(title: str, *columns: str) -> "Table":
    from rich.table import Table

    table = Table(title=title, box=None, pad_edge=False, title_justify="left", header_style="dim")
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number else "left")
    return table


def gate(
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder of one labelled set. [the built-in one]")
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="fts5_bm25, or hybrid with a model. [hybrid when a model is installed]"),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """When does the gate speak, and is it right?

    Related prompts are the set's own queries; unrelated ones are queries of its other groups and of the
    sets beside it. Without --data, the hand-made set that comes with Recollect, and each kind of its
    prompts apart. Without an embedding model, --strategy hybrid is refused with exit code 3.
    """
    from recollect.bench import handmade
    from recollect.bench.gate import THRESHOLDS, best_strategy, calibrated, cases, neighbours, outcome
    from recollect.bench.sets import load

    kind = _gate_strategy(strategy) or best_strategy()
    tried = handmade.try_all(kind) if data is None else []
    found = handmade.cases(tried) if data is None else cases(load(data), neighbours(data), kind)
    with_answer = sum(case.answerable for case in found)
    chosen = outcome(found, calibrated(kind))
    curve = [outcome(found, threshold) for threshold in THRESHOLDS]
    out: wire_bench.BenchGateOutput = {
        "strategy": kind,
        "answerable": with_answer,
        "unrelated": len(found) - with_answer,
        **_outcome(chosen),
        "curve": [_outcome(point) for point in curve],
        "kinds": {
            name: {"prompts": count, "injected_rate": round(rate, 4)}
            for name, (count, rate) in handmade.by_kind(tried).items()
        },
    }
    if as_json:
        print_json(out)
    else:
        _show_gate(out, chosen, curve)


def _show_gate(out: wire_bench.BenchGateOutput, chosen: "Outcome", curve: "list[Outcome]") -> None:
    title = f"{out['strategy']}: {out['answerable']} answerable prompts, {out['unrelated']} unrelated"
    table = _table(title, "threshold", "injected", "precision@3", "relevant share", "false inject")
    for point in sorted([*curve, chosen], key=lambda point: point.threshold):
        mark = " [green]<[/]" if point is chosen else ""
        table.add_row(
            f"{point.threshold:.2f}",
            *(f"{value:.3f}" for value in (point.injected_rate, point.precision, point.relevant_share)),
            f"{point.false_inject_rate:.3f}{mark}",
        )
    console().print(table)
    if kinds := out["kinds"]:
        console().print()
        table = _table("By kind of prompt", "kind", "prompts", "injected")
        for name, row in kinds.items():
            table.add_row(name.replace("_", " "), str(row["prompts"]), f"{row['injected_rate']:.3f}")
        console().print(table)


def _gate_strategy(given: str | None) -> "Strategy | None":
    from recollect.bench.corpora import need_model

    match given:
        case None | "fts5_bm25":
            return given
        case "hybrid":
            need_model(given)
            return given
        case _:
            raise RefusedError(f"there is no gate for {given!r}; there are fts5_bm25 and hybrid.")


def _outcome(point: "Outcome") -> wire_bench.GateOutcome:
    return {
        "threshold": point.threshold,
        "injected_rate": round(point.injected_rate, 4),
        "precision@3": round(point.precision, 4),
        "relevant_share": round(point.relevant_share, 4),
        "false_inject_rate": round(point.false_inject_rate, 4),
        "silent_rate": round(point.silent_rate, 4),
    }


def shadow(data: DataOption, as_json: JsonFlag = False) -> None:
    """Do boosts keep their bounds? Plain rankings against boosted ones.

    Seven of each query's first fifty hits get every boost at its most. A rank correlation of 0.90 and
    0.95 of the plain MRR are promised; exit code 9 when they are not kept.
    """
    from recollect.bench.sets import load
    from recollect.bench.shadow import measure
    from recollect.retrieval.request import Request

    found = measure(load(data), Request("", strategy="fts5_bm25"))
    kept = found.correlation >= 0.90 and found.mrr_ratio >= 0.95
    if as_json:
        out: wire_bench.BenchShadowOutput = {
            "queries": found.queries,
            "rank_correlation": round(found.correlation, 4),
            "mrr_plain": round(found.mrr_plain, 4),
            "mrr_boosted": round(found.mrr_boosted, 4),
            "mrr_ratio": round(found.mrr_ratio, 4),
            "kept": kept,
        }
        print_json(out)
    else:
        say(f"rank correlation {found.correlation:.3f} (at least 0.90)")
        say(
            f"MRR {found.mrr_boosted:.3f} of {found.mrr_plain:.3f}: {found.mrr_ratio:.3f} (at least 0.95)"
        )
    if not kept:
        raise typer.Exit(Exit.REGRESSED)


def speed(
    memories: Annotated[int, typer.Option(min=100, help="Memories to search and to update.")] = 10_000,
    large: Annotated[
        int, typer.Option(min=100, help="Memories and vectors of the large index.")
    ] = 100_000,
    as_json: JsonFlag = False,
) -> None:
    """Are the budgets kept? Search, prompt, update, open, vectors.

    Each beside a baseline of the same run, since machines differ and are busy. A long prompt is measured
    where a model is installed, vectors where numpy is.
    """
    from recollect.bench.speed import measure

    rows: list[wire_bench.SpeedRow] = []
    for row in measure(memories, large):
        if not as_json:
            warn(f"[dim]measured: {row.name}[/]")
        rows.append(
            {
                "name": row.name,
                "p50_ms": round(row.p50_ms, 3),
                "p95_ms": round(row.p95_ms, 3),
                "budget_ms": row.budget_ms,
                "kept": row.kept,
                "baseline": row.baseline,
                "ratio": round(row.ratio, 2),
            }
        )
    if as_json:
        out: wire_bench.BenchSpeedOutput = {"results": rows}
        print_json(out)
        return
    table = _table("Budgets", "what", "p50 ms", "p95 ms", "budget ms", "x baseline", "baseline")
    for found in rows:
        mark = "[green]" if found["kept"] else "[red]"
        table.add_row(
            found["name"],
            f"{found['p50_ms']:.1f}",
            f"{mark}{found['p95_ms']:.1f}[/]",
            f"{found['budget_ms']:.0f}",
            f"{found['ratio']:.1f}",
            found["baseline"],
        )
    console().print(table)


def hook(
    size: Annotated[
        list[int] | None,
        typer.Option("--size", min=1, help="How many memories; repeat. [500 to 100,000]"),
    ] = None,
    rounds: Annotated[int, typer.Option(min=3, help="How often each is run.")] = 30,
    as_json: JsonFlag = False,
) -> None:
    """What does a prompt wait for?

    The whole process of the prompt hook, against `python3 -c "import json, sqlite3"` of the same run: as
    a shell starts it, and with the interpreter called directly.
    """
    from recollect.bench.hook import BUDGETS, measure

    found = measure(size or list(BUDGETS), rounds)
    if as_json:
        out: wire_bench.BenchHookOutput = {
            "base_ms": round(found.base_ms, 2),
            "direct_ms": round(found.direct_ms, 2),
            "sizes": {
                str(row.size): {
                    "p50_ms": round(row.p50_ms, 2),
                    "p95_ms": round(row.p95_ms, 2),
                    "ratio": round(row.ratio, 3),
                    "direct_ratio": round(row.direct_ratio, 3),
                }
                for row in found.rows
            },
        }
        print_json(out)
        return
    title = f"python3 {found.base_ms:.1f} ms, the interpreter itself {found.direct_ms:.1f} ms"
    table = _table(title, "memories", "p50 ms", "p95 ms", "x python3", "budget", "x interpreter")
    for row in found.rows:
        budget = BUDGETS.get(row.size)
        mark = "[green]" if budget is None or row.ratio <= budget else "[red]"
        shown = f"{budget:.1f}" if budget else ""
        table.add_row(
            f"{row.size:,}",
            f"{row.p50_ms:.1f}",
            f"{row.p95_ms:.1f}",
            f"{mark}{row.ratio:.2f}[/]",
            shown,
            f"{row.direct_ratio:.2f}",
        )
    console().print(table)


def store(
    memories: Annotated[int, typer.Option(min=1, help="How many memories to measure with.")] = 10_000,
    as_json: JsonFlag = False,
) -> None:
    """Time list, doctor, index and save.

    Over memories made up for it, as ratios to reading and parsing the same files and nothing else.
    """
    from recollect.bench.store import measure

    rows = measure(memories)
    if as_json:
        out: wire_bench.BenchStoreOutput = {
            "memories": memories,
            "results": {row.name: {"seconds": row.seconds, "ratio": row.ratio} for row in rows},
        }
        print_json(out)
        return
    table = _table(f"{memories:,} memories", "what", "seconds", "x baseline")
    for row in rows:
        table.add_row(row.name, f"{row.seconds:.3f}", f"{row.ratio:.1f}")
    console().print(table)
