"""`bench graph`: how fast the graph is, and whether links improve search."""

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.cli.bench_output import table
from recollect.cli.bench_speed import fail_missed, reported, show_budgets
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, say
from recollect.views.benches import BenchGraphOutput, QualityRow

if TYPE_CHECKING:
    from recollect.retrieval.search import Strategy

app = typer.Typer()


@command(
    app,
    "graph",
    "recollect bench graph",
    "recollect bench graph --memories 1000 --json",
    output=BenchGraphOutput,
)
def graph(
    memories: Annotated[int, typer.Option(min=100, help="Memories in the graph.")] = 10_000,
    links: Annotated[int, typer.Option(min=100, help="Links between them.")] = 50_000,
    skills: Annotated[
        Path | None, typer.Option("--skills", help="A folder of skills to read. [made-up ones]")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure the graph, and whether links improve search.

    Compares the graph channel, PageRank, paths and skills with baselines of the same run; exit code 9 when a
    budget is missed. Quality is measured on a small set whose answers are often one link away from what the
    words match: search alone, with the graph channel, with each flag that is off by default, and with
    PageRank from the hits instead of the channel.
    """
    from recollect.bench.corpora import has_model
    from recollect.bench.graph import measure
    from recollect.bench.linked_project import measure as measure_quality
    from recollect.bench.linked_project import searching, with_rank
    from recollect.bench.skills_graph import measure as measure_skills

    folder, skill_rows = measure_skills(folder=skills)
    rows = list(reported(chain(measure(memories, links), skill_rows), quiet=as_json))
    quality: dict[str, dict[str, QualityRow]] = {}
    strategies: list[tuple[str, Strategy]] = [("lexical", "fts5_bm25")]
    strategies += [("hybrid", "hybrid")] if has_model() else []
    for name, strategy in strategies:
        quality[name] = measure_quality(searching(strategy, graph=False))
        quality[f"{name} + graph"] = measure_quality(searching(strategy, graph=True))
        quality[f"{name} + graph, MMR"] = measure_quality(searching(strategy, graph=True, diverse=True))
        quality[f"{name} + graph, authority"] = measure_quality(
            searching(strategy, graph=True, authority=True)
        )
        quality[f"{name} + rank"] = measure_quality(with_rank(strategy))
    out: BenchGraphOutput = {"results": rows, "skills": folder, "quality": quality}
    if as_json:
        print_json(out)
    else:
        _show(out)
    fail_missed(rows)


def _show(out: BenchGraphOutput) -> None:
    show_budgets(out["results"])
    skills = out["skills"]
    say(
        f"Skills: {skills['pages']} pages, {skills['nodes']} nodes, {skills['edges']} edges, "
        f"{skills['broken']} broken; read in {skills['build_ms']:.0f} ms"
    )
    linked = table("Linked memories", "strategy", "kind", "questions", "nDCG@10", "recall@10")
    linked.columns[1].justify = "left"
    for strategy, kinds in out["quality"].items():
        for kind, quality in kinds.items():
            measures = f"{quality['ndcg']:.3f}", f"{quality['recall']:.3f}"
            linked.add_row(strategy, kind, str(quality["questions"]), *measures)
    console().print(linked)
