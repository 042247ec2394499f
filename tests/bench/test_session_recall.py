"""Finding earlier sessions, with and without what the ones before had in mind."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from recollect.bench.data_sets import load
from recollect.bench.session_recall import EditedFiles, measure, read_edited_files


def rows(path: Path, *told: dict[str, Any]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in told)


def session(number: int, text: str, *edited: str) -> dict[str, Any]:
    return {"id": f"2026-01-0{number}", "title": text, "text": text, "edited": list(edited)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four sessions, and a question after them that the second answers."""
    rows(
        tmp_path / "corpus.jsonl.gz",
        session(1, "rename the cart column", "cart.py"),
        session(2, "rename the login column", "login.py"),
        session(3, "sort the list", "login.py"),
        session(4, "write the release notes", "notes.md"),
    )
    question = {"id": "q1", "text": "rename the column again", "before": "2026-01-05"}
    rows(tmp_path / "queries.jsonl.gz", question)
    rows(tmp_path / "qrels.jsonl.gz", {"query": "q1", "doc": "2026-01-02", "grade": 1})
    return tmp_path


def test_attention_comes_from_the_sessions_before_and_never_from_the_one_that_asks(
    folder: Path,
) -> None:
    known = read_edited_files(folder)
    assert known is not None

    found = known.attention("2026-01-04").levels

    assert found == {
        "2026-01-01": pytest.approx(0.5 * 0.85**2),
        "2026-01-02": 0.5,
        "2026-01-03": 0.5,
    }
    assert EditedFiles({}).attention("2026-01-04").levels == {}


def test_each_way_is_measured_and_the_gain_of_the_boost_is_told(folder: Path) -> None:
    found = measure(load(folder), read_edited_files(folder))

    assert found["recency"]["ndcg@10"] == pytest.approx(0.5)  # third of four: 1 / log2(4)
    plain, boosted = found["lexical"], found["lexical with session boost"]
    assert boosted["ndcg@10"] >= plain["ndcg@10"]
    assert boosted["gain"] == pytest.approx(boosted["ndcg@10"] - plain["ndcg@10"], abs=2e-4)


def test_a_set_that_does_not_tell_what_was_edited_is_measured_without_the_boost(folder: Path) -> None:
    rows(folder / "corpus.jsonl.gz", {"id": "2026-01-02", "title": "t", "text": "rename the column"})

    assert read_edited_files(folder) is None
    assert list(measure(load(folder), None))[:2] == ["recency", "lexical"]
