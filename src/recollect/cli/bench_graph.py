"""`bench graph`: how fast the graph is, and whether links improve search."""

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from recollect.cli.bench_output import table
from recollect.cli.bench_speed import SpeedRow, fail_missed, show_budgets, speed_rows
from recollect.cli.command import command
from recollect.cli.context import JsonFlag
from recollect.cli.output import console, print_json, say

if TYPE_CHECKING:
    from recollect.bench.linked_project import Quality
    from recollect.retrieval.search import Strategy


class QualityRow(TypedDict):
    """How well one kind of question is answered."""

    questions: int
    ndcg: float
    recall: float


class SkillsRow(TypedDict):
    """What a folder of skills became, and how long reading it took at the median."""

    pages: int
    nodes: int
    edges: int
    broken: int
    build_ms: float


class BenchGraphOutput(TypedDict):
    """`recollect bench graph`: the budgets, and how well linked memories are found, by ranking and kind."""

    results: list[SpeedRow]
    skills: SkillsRow
    quality: dict[str, dict[str, QualityRow]]


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
    """Measure the graph against its budgets, and whether links improve search.

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

    read = measure_skills(folder=skills)
    rows = speed_rows(chain(measure(memories, links), read.rows), digits=3, quiet=as_json)
    qualities: dict[str, dict[str, Quality]] = {}
    strategies: list[tuple[str, Strategy]] = [("lexical", "fts5_bm25")]
    strategies += [("hybrid", "hybrid")] if has_model() else []
    for name, strategy in strategies:
        qualities[name] = measure_quality(searching(strategy, graph=False))
        qualities[f"{name} + graph"] = measure_quality(searching(strategy, graph=True))
        qualities[f"{name} + graph, MMR"] = measure_quality(
            searching(strategy, graph=True, diverse=True)
        )
        qualities[f"{name} + graph, authority"] = measure_quality(
            searching(strategy, graph=True, authority=True)
        )
        qualities[f"{name} + rank"] = measure_quality(with_rank(strategy))
    out: BenchGraphOutput = {
        "results": rows,
        "skills": {
            "pages": read.pages,
            "nodes": read.nodes,
            "edges": read.edges,
            "broken": read.broken,
            "build_ms": round(read.build_p50_ms, 2),
        },
        "quality": {
            name: {kind: _quality_row(quality) for kind, quality in kinds.items()}
            for name, kinds in qualities.items()
        },
    }
    if as_json:
        print_json(out)
    else:
        _show(out)
    fail_missed(rows)


def _quality_row(quality: "Quality") -> QualityRow:
    return {
        "questions": quality.questions,
        "ndcg": round(quality.ndcg, 4),
        "recall": round(quality.recall, 4),
    }


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
