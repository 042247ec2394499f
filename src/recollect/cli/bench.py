"""`bench`: measurements anyone can repeat, on their own machine and their own data."""

from math import inf
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recollect.cli import bench_gate, bench_poison, bench_regex, bench_working, wire_bench
from recollect.cli.bench_output import DataOption, SaveOption, fail, note, rounded, table
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, progress, warn
from recollect.errors import RefusedError

if TYPE_CHECKING:
    from recollect.bench.hook import HookMeasurement
    from recollect.bench.retrieval import RetrievalScores

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
    bench_gate.register(bench)
    command(bench, "hook", "recollect bench hook", "recollect bench hook --size 500 --json")(hook)
    command(bench, "speed", "recollect bench speed", "recollect bench speed --memories 1000")(speed)
    command(bench, "store", "recollect bench store", "recollect bench store --memories 1000 --json")(
        store
    )
    bench_poison.register(bench)
    bench_regex.register(bench)
    bench_working.register(bench)


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
    interval of the kept one fails with exit code 9.
    """
    from recollect.bench import saved_results
    from recollect.bench.data_sets import load
    from recollect.bench.retrieval import measure

    names = _strategies(strategy)
    found = load(data, note)
    before = saved_results.read(save, "retrieval", found.name) if save else None
    with progress("Measuring") as report:
        results = measure(found, names, report)
    queries = sum(bool(question.grades) for question in found.questions)
    out: wire_bench.BenchRetrievalOutput = {
        "set": found.name,
        "queries": queries,
        "results": {name: _result(result) for name, result in results.items()},
    }
    worse = saved_results.renew(save, before, {"bench": "retrieval", **out}) if save else []
    if as_json:
        print_json(out)
    else:
        _show_results(out)
    fail("worse", worse)


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


def _result(result: "RetrievalScores") -> dict[str, Any]:
    times = {"p50_ms": round(result.p50_ms, 2), "p95_ms": round(result.p95_ms, 2)}
    return {**rounded(result.measures), **times}


def _show_results(out: wire_bench.BenchRetrievalOutput) -> None:
    title = f"{out['set']}: {out['queries']} queries"
    results = table(title, "strategy", *_MEASURES, "p50 ms", "p95 ms")
    for name, row in out["results"].items():
        cells = []
        for measure in _MEASURES:
            low, high = row["intervals"][measure]
            cells.append(f"{row[measure]:.3f} [dim]{low:.3f}-{high:.3f}[/]")
        results.add_row(name, *cells, f"{row['p50_ms']:.1f}", f"{row['p95_ms']:.1f}")
    console().print(results)


def speed(
    memories: Annotated[int, typer.Option(min=100, help="Memories to search and to update.")] = 10_000,
    large: Annotated[
        int, typer.Option(min=100, help="Memories and vectors of the large index.")
    ] = 100_000,
    as_json: JsonFlag = False,
) -> None:
    """Are the budgets kept? Search, prompt, update, open, vectors.

    Each beside a baseline of the same run, since machines differ and are busy. A long prompt is measured
    where a model is installed, vectors where numpy is. Exit code 9 when a budget is missed. There is no
    --save: two runs differ by what else the machine does, and no interval of one run tells how much.
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
                "kept": row.within_budget,
                "baseline": row.baseline,
                "ratio": round(row.ratio, 2),
            }
        )
    if as_json:
        out: wire_bench.BenchSpeedOutput = {"results": rows}
        print_json(out)
    else:
        _show_speed(rows)
    missed = [row for row in rows if not row["kept"]]
    fail(
        "missed", [f"{row['name']}: {row['p95_ms']:.1f} ms of {row['budget_ms']:.0f}" for row in missed]
    )


def _show_speed(rows: list[wire_bench.SpeedRow]) -> None:
    budgets = table("Budgets", "what", "p50 ms", "p95 ms", "budget ms", "", "x baseline", "baseline")
    for found in rows:
        budgets.add_row(
            found["name"],
            f"{found['p50_ms']:.1f}",
            f"{found['p95_ms']:.1f}",
            f"{found['budget_ms']:.0f}",
            _mark(kept=found["kept"]),
            f"{found['ratio']:.1f}",
            found["baseline"],
        )
    console().print(budgets)


def _mark(*, kept: bool) -> str:
    return "[green]kept[/]" if kept else "[red]missed[/]"


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
    a shell starts it, and with the interpreter called directly. Exit code 9 when a budget is missed;
    there is one for 500, 10,000 and 100,000 memories.
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
    else:
        _show_hook(found)
    missed = [row for row in found.rows if row.ratio > BUDGETS.get(row.size, inf)]
    fail("missed", [f"{row.size:,} memories: {row.ratio:.2f} of {BUDGETS[row.size]}" for row in missed])


def _show_hook(found: "HookMeasurement") -> None:
    from recollect.bench.hook import BUDGETS

    title = f"python3 {found.base_ms:.1f} ms, the interpreter itself {found.direct_ms:.1f} ms"
    times = table(title, "memories", "p50 ms", "p95 ms", "x python3", "budget", "", "x interpreter")
    for row in found.rows:
        budget = BUDGETS.get(row.size)
        times.add_row(
            f"{row.size:,}",
            f"{row.p50_ms:.1f}",
            f"{row.p95_ms:.1f}",
            f"{row.ratio:.2f}",
            f"{budget:.1f}" if budget else "",
            _mark(kept=row.ratio <= budget) if budget else "",
            f"{row.direct_ratio:.2f}",
        )
    console().print(times)


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
    times = table(f"{memories:,} memories", "what", "seconds", "x baseline")
    for row in rows:
        times.add_row(row.name, f"{row.seconds:.3f}", f"{row.ratio:.1f}")
    console().print(times)
