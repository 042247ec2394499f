"""Labelled sets in the plain layout."""

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from recollect.bench.corpora import corpora
from recollect.bench.data_sets import DataSet, load
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

ROWS: dict[str, list[dict[str, Any]]] = {"corpus": CORPUS, "queries": QUERIES, "qrels": QRELS}


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


def test_a_set_has_the_name_of_its_folder_its_texts_and_its_graded_questions(ledgers: DataSet) -> None:
    assert ledgers.name == "ledgers"
    assert [text.title for text in ledgers.texts] == ["Ledger", "", "Ledger"]
    assert [question.grades for question in ledgers.questions] == [{"2026-01": 2}, {"2026-02": 1}, {}]
    assert ledgers.questions[0].before == "2026-02"
    assert ledgers.timed


def test_a_query_searches_only_its_own_group(ledgers: DataSet) -> None:
    assert sorted(ids(ledgers, 1)) == ["2026-01", "2026-02"]
    assert ids(ledgers, 2) == ["2026-01b"]


def test_before_hides_documents_whose_id_sorts_at_or_after_it(ledgers: DataSet) -> None:
    assert ids(ledgers, 0) == ["2026-01"]


def test_a_set_without_groups_is_one_corpus_whose_queries_look_at_everything(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "title": "Vault", "text": "ledger"},
        {"id": "b", "title": "Roof", "text": "ledger"},
    ]
    data = load(write(tmp_path / "s", corpus=rows, queries=[{"id": "q", "text": "ledger"}], qrels=[]))

    assert not data.timed
    assert list(corpora(data)) == [""]
    assert sorted(ids(data, 0)) == ["a", "b"]


def test_an_empty_group_is_none(tmp_path: Path) -> None:
    groups: list[Any] = ["", None]
    rows = [{"id": str(n), "group": group, "text": "t"} for n, group in enumerate(groups)]
    asked = [{"id": "q", "text": "t", "before": ""}]

    data = load(write(tmp_path / "s", corpus=rows, queries=asked, qrels=[]))

    assert [text.group for text in data.texts] == ["", ""]
    assert data.questions[0].before is None


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


def test_a_missing_file_is_named_and_so_is_the_option_that_points_there(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"qrels\.jsonl\.gz.*--data"):
        load(tmp_path)


def test_a_line_that_is_no_json_is_named_with_its_file_and_number(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", corpus=CORPUS, queries=QUERIES, qrels=QRELS)
    broken = json.dumps(QUERIES[0]) + "\n{not json}\n"
    (folder / "queries.jsonl.gz").write_bytes(gzip.compress(broken.encode()))

    with pytest.raises(InvalidError, match=r"queries\.jsonl\.gz', line 2"):
        load(folder)


def test_a_file_that_is_not_compressed_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", corpus=CORPUS, queries=QUERIES, qrels=QRELS)
    (folder / "corpus.jsonl.gz").write_text("{}")

    with pytest.raises(InvalidError, match=r"corpus\.jsonl\.gz' cannot be read.*Create it again"):
        load(folder)


def packed(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode("utf-8", "surrogateescape")))


def refusal(folder: Path) -> str:
    with pytest.raises(InvalidError) as refused:
        load(folder)
    return str(refused.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "s", corpus=CORPUS, queries=QUERIES, qrels=QRELS)


@pytest.mark.parametrize("name", ["corpus", "queries", "qrels"])
def test_a_file_that_was_cut_off_or_damaged_is_named(folder: Path, name: str) -> None:
    path = folder / f"{name}.jsonl.gz"
    whole = path.read_bytes()
    for data in (whole[:-12], whole[: len(whole) // 2], whole[:15] + b"\0\xff" * 9 + whole[33:]):
        path.write_bytes(data)
        assert f"{name}.jsonl.gz' cannot be read" in refusal(folder)


def test_how_far_a_damaged_file_could_be_read_is_told(folder: Path) -> None:
    noise = random.Random(1)
    rows = [{"id": str(n), "text": noise.randbytes(400).hex()} for n in range(2000)]
    write(folder, corpus=rows)
    path = folder / "corpus.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-2000])

    found = re.search(r"cannot be read after line (\d+): .*Create it again", refusal(folder))

    assert found
    assert 1900 < int(found[1]) < 2000


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("corpus", '{"id": "a", "text": "caf\udce9"}', "is not UTF-8"),
        ("corpus", "[1, 2]", "is [1, 2], not an object"),
        ("queries", "null", "is None, not an object"),
        ("qrels", "[" * 100_000, "is nested too deeply"),
        ("corpus", "", "is not valid JSON"),
        ("corpus", '{"text": "t"}', "'id' is missing; it must be an id"),
        ("corpus", '{"id": "", "text": "t"}', "'id' is ''; make it an id"),
        ("corpus", '{"id": true, "text": "t"}', "'id' is True; make it an id"),
        ("corpus", '{"id": 1.5, "text": "t"}', "'id' is 1.5; make it an id"),
        ("corpus", r'{"id": "\ud800", "text": "t"}', r"'id' is '\ud800'; make it an id"),
        ("corpus", '{"id": "a"}', "'text' is missing; it must be a text"),
        ("corpus", '{"id": "a", "text": null}', "'text' is None; make it a text"),
        ("corpus", '{"id": "a", "text": "t", "title": 7}', "'title' is 7; make it a text"),
        ("corpus", '{"id": "a", "text": "t", "group": []}', "'group' is []; make it an id"),
        ("queries", '{"id": "q"}', "'text' is missing; it must be a text"),
        ("queries", '{"text": "t"}', "'id' is missing; it must be an id"),
        ("queries", '{"id": "q", "text": "t", "before": {}}', "'before' is {}; make it an id"),
        ("qrels", '{"doc": "a", "grade": 1}', "'query' is missing"),
        ("qrels", '{"query": "q1", "grade": 1}', "'doc' is missing"),
        ("qrels", '{"query": "q1", "doc": "2026-01"}', "'grade' is missing; it must be a grade"),
    ],
)
def test_a_row_that_lacks_something_is_named_with_what_it_lacks(
    folder: Path, name: str, line: str, said: str
) -> None:
    rows = ROWS[name]
    packed(folder, name, f"{json.dumps(rows[0])}\n{line}\n")

    told = refusal(folder)

    assert f"{name}.jsonl.gz', line 2" in told
    assert said in told


@pytest.mark.parametrize(
    "grade", ['"high"', "null", "0.5", "true", "NaN", "1e999", "31", '"' + "9" * 5000 + '"']
)
def test_a_grade_that_is_no_whole_number_is_refused(folder: Path, grade: str) -> None:
    packed(folder, "qrels", f'{{"query": "q1", "doc": "2026-01", "grade": {grade}}}\n')

    assert re.search(r"qrels\.jsonl\.gz', line 1: 'grade' is .*make it a grade", refusal(folder))


def test_a_document_graded_nothing_or_less_is_no_answer(folder: Path) -> None:
    grades: list[Any] = [1, 2.0, "3", 0, -2]
    documents = [{"id": str(grade), "text": "t"} for grade in grades]
    labels = [{"query": "q1", "doc": str(grade), "grade": grade} for grade in grades]
    labels.append({"query": "q2", "doc": "0", "grade": 0})

    data = load(write(folder, corpus=documents, qrels=labels))

    assert [question.grades for question in data.questions] == [{"1": 1, "2.0": 2, "3": 3}, {}, {}]


@pytest.mark.parametrize("name", ["corpus", "queries"])
def test_an_id_that_comes_twice_is_named_with_both_lines(folder: Path, name: str) -> None:
    rows = ROWS[name]
    write(folder, **{name: [*rows, rows[1]]})

    told = refusal(folder)

    assert f"{name}.jsonl.gz', line 4: the id {rows[1]['id']!r} is also that of line 2;" in told


def test_a_tool_that_comes_twice_is_refused(folder: Path) -> None:
    tool = {"server": "git", "name": "log", "description": "", "input_schema": {}}

    assert "line 2: the id 'git:log' is also that of line 1" in refusal(
        write(folder, tools=[tool, tool])
    )


def test_the_same_id_in_another_group_is_another_document(folder: Path) -> None:
    rows = [{"id": "a", "group": group, "text": "t"} for group in ("one", "two")]

    assert len(load(write(folder, corpus=rows, qrels=[])).texts) == 2


def test_ids_that_are_whole_numbers_are_taken_as_text_in_every_file(folder: Path) -> None:
    write(
        folder,
        corpus=[{"id": 7, "group": 1, "text": "ledger"}, {"id": "8", "group": "1", "text": "vault"}],
        queries=[{"id": 1, "group": 1, "text": "ledger", "before": 9}],
        qrels=[{"query": "1", "doc": 7, "grade": 1}, {"query": 1, "doc": 8, "grade": 1}],
    )

    data = load(folder)

    assert [(text.group, text.id) for text in data.texts] == [("1", "7"), ("1", "8")]
    assert data.questions[0].grades == {"7": 1, "8": 1}
    assert data.questions[0].before == "9"


def test_labels_of_what_the_set_does_not_have_are_counted_and_left_out(folder: Path) -> None:
    strange = [
        {"query": "q9", "doc": "2026-01", "grade": 1},
        {"query": "q1", "doc": "gone", "grade": 1},
    ]
    told: list[str] = []

    data = load(write(folder, qrels=[*QRELS, *strange]), told.append)

    assert [question.grades for question in data.questions] == [{"2026-01": 2}, {"2026-02": 1}, {}]
    assert len(told) == 1
    assert "2 of 4 lines name a query or a document that the set does not have" in told[0]
    assert "the first of them line 3" in told[0]


def test_a_set_whose_labels_are_all_known_is_read_without_a_word(folder: Path) -> None:
    told: list[str] = []

    load(folder, told.append)

    assert told == []
