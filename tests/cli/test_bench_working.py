"""`bench working`."""

import pytest
from tests.bench.tiny import write_set
from tests.cli.running import Cli, Run
from tests.cli.shapes import mismatches

from recollect.views.benches import BenchWorkingOutput


def measured(bare: Cli, *more: str) -> Run:
    """A short run. On a busy machine a budget may really be missed."""
    done = bare("bench", "working", "--rounds", "3", *more)
    assert done.exit_code == (9 if "missed:" in done.err else 0), done
    return done


def test_bench_working_prints_its_shape_and_what_was_found(bare: Cli) -> None:
    corpus = [
        {"id": f"2026-01-0{day}", "title": "t", "text": text, "edited": [f"{day}.py"]}
        for day, text in enumerate(("rename the column", "sort the list"), start=1)
    ]
    asked = [{"id": "q1", "text": "rename the column again", "before": "2026-01-03"}]
    graded = [{"query": "q1", "doc": "2026-01-01", "grade": 1}]
    data = str(write_set(bare.folder / "data", corpus, asked, graded))

    told = measured(bare, "--data", data, "--json").json()

    assert mismatches(told, BenchWorkingOutput) == []
    assert told["found"]["lexical"]["ndcg@10"] == 1.0
    assert told["found"]["recency"]["ndcg@10"] == pytest.approx(0.6309, abs=1e-4)
    assert "gain" in told["found"]["lexical with session boost"]


def test_bench_working_shows_people_a_table(bare: Cli) -> None:
    shown = measured(bare).out

    assert "redaction of 2 KB" in shown
    assert "hook: failing tests" in shown
