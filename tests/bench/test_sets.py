"""Labelled sets in the plain layout."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.requirements import requirement

from recollect.bench.corpora import corpora
from recollect.bench.sets import DataSet, load
from recollect.errors import InvalidError, NotFoundError
from recollect.retrieval.request import Request

CORPUS = [
    {"id": "2026-01", "group": "one", "title": "Ledger", "text": "the ledger is kept in the vault"},
    {"id": "2026-02", "group": "one", "title": "", "text": "the ledger moved to the cellar"},
    {"id": "2026-01b", "group": "two", "title": "Ledger", "text": "another ledger of another house"},
]
QUERIES = [
    {"id": "q1", "group": "one", "text": "where is the ledger?", "before": "2026-02"},
    {"id": "q2", "group": "one", "text": "where is the ledger?"},
    {"id": "q3", "group": "two", "text": "which ledger?"},
]
QRELS = [
    {"query": "q1", "doc": "2026-01", "grade": 2},
    {"query": "q2", "doc": "2026-02", "grade": 1},
]


def write(folder: Path, **files: list[dict[str, Any]]) -> Path:
    """A set of these files, each a list of rows."""
    folder.mkdir(exist_ok=True)
    for name, rows in files.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return folder


@pytest.fixture
def ledgers(tmp_path: Path) -> DataSet:
    return load(write(tmp_path / "ledgers", corpus=CORPUS, queries=QUERIES, qrels=QRELS))


def ids(data: DataSet, number: int) -> list[str]:
    question = data.questions[number]
    found = corpora(data)[question.group].find(question, Request("", strategy="fts5_bm25"))
    return [str(hit.document.id) for hit in found.answer.hits]


@requirement("bench:sets:plain-layout")
def test_a_set_has_the_name_of_its_folder_its_texts_and_its_graded_questions(ledgers: DataSet) -> None:
    assert ledgers.name == "ledgers"
    assert [text.title for text in ledgers.texts] == ["Ledger", "", "Ledger"]
    assert [question.grades for question in ledgers.questions] == [{"2026-01": 2}, {"2026-02": 1}, {}]
    assert ledgers.questions[0].before == "2026-02"
    assert ledgers.timed


@requirement("bench:sets:groups")
def test_a_query_searches_only_its_own_group(ledgers: DataSet) -> None:
    assert sorted(ids(ledgers, 1)) == ["2026-01", "2026-02"]
    assert ids(ledgers, 2) == ["2026-01b"]


@requirement("bench:sets:before")
def test_before_hides_documents_whose_id_sorts_at_or_after_it(ledgers: DataSet) -> None:
    assert ids(ledgers, 0) == ["2026-01"]


@requirement("bench:sets:plain-layout")
def test_a_set_without_groups_is_one_corpus_whose_queries_look_at_everything(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "title": "Vault", "text": "ledger"},
        {"id": "b", "title": "Roof", "text": "ledger"},
    ]
    data = load(write(tmp_path / "s", corpus=rows, queries=[{"id": "q", "text": "ledger"}], qrels=[]))

    assert not data.timed
    assert list(corpora(data)) == [""]
    assert sorted(ids(data, 0)) == ["a", "b"]


@requirement("bench:sets:tools")
def test_a_tool_is_named_by_server_and_name_and_read_with_its_parameters(tmp_path: Path) -> None:
    tool = {
        "server": "git",
        "name": "log",
        "description": "Show commits.",
        "input_schema": {"properties": {"since": {"description": "a date"}, "max": {}}},
    }
    other = {"server": "disk", "name": "free", "description": None, "input_schema": None}
    data = load(write(tmp_path / "tools", tools=[tool, other], queries=[], qrels=[]))

    assert data.texts[0].id == "git:log"
    assert data.texts[0].title == "git log"
    assert data.texts[0].text == "Show commits.\nsince: a date\nmax: "
    assert data.texts[1].text == ""


def test_the_server_of_a_tool_is_left_out_where_there_is_only_one(tmp_path: Path) -> None:
    tool = {"server": "only", "name": "log", "description": "", "input_schema": {}}

    data = load(write(tmp_path / "tools", tools=[tool], queries=[], qrels=[]))

    assert data.texts[0].title == "log"


@requirement("bench:sets:errors")
def test_a_missing_file_is_named_and_so_is_the_option_that_points_there(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"qrels\.jsonl\.gz.*--data"):
        load(tmp_path)


@requirement("bench:sets:errors")
def test_a_line_that_is_no_json_is_named_with_its_file_and_number(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", corpus=CORPUS, queries=QUERIES, qrels=QRELS)
    broken = json.dumps(QUERIES[0]) + "\n{not json}\n"
    (folder / "queries.jsonl.gz").write_bytes(gzip.compress(broken.encode()))

    with pytest.raises(InvalidError, match=r"queries\.jsonl\.gz', line 2"):
        load(folder)


@requirement("bench:sets:errors")
def test_a_file_that_is_not_compressed_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", corpus=CORPUS, queries=QUERIES, qrels=QRELS)
    (folder / "corpus.jsonl.gz").write_text("{}")

    with pytest.raises(InvalidError, match=r"corpus\.jsonl\.gz' cannot be read"):
        load(folder)
