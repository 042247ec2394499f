"""How well tools are found, worked out by hand on a tiny set."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from recollect.bench.metrics import auroc
from recollect.bench.tool_baselines import by_bm25, by_names, by_regex
from recollect.bench.tools import graph_gain, load_tool_set, measure, no_tool_auroc, searchable
from recollect.errors import InvalidError
from recollect.gateway.tool import UpstreamTool

TOOLS = [
    {"server": "s", "name": "read_file", "description": "Read a file.", "input_schema": {}},
    {"server": "s", "name": "send_mail", "description": "Send a letter.", "input_schema": {}},
    {"server": "s", "name": "get_time", "description": "The hour.", "input_schema": {}},
]
QUERIES = [
    {"id": "1", "text": "read the file"},
    {"id": "2", "text": "what hour is it and mail it"},
    {"id": "3", "text": "unlabelled"},
]
LABELS = [
    {"query": "1", "doc": "s:read_file", "grade": 1},
    {"query": "2", "doc": "s:get_time", "grade": 1},
    {"query": "2", "doc": "s:send_mail", "grade": 1},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files: dict[str, list[dict[str, Any]]] = {
        "tools": TOOLS,
        "queries": QUERIES,
        "qrels": LABELS,
        "no_tool": [{"id": "x", "text": "sing"}],
    }
    for name, rows in files.items():
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def test_labelled_requests_alone_are_measured(folder: Path) -> None:
    data = load_tool_set(folder)
    strategies = ["lexical", "bm25", "names"]
    scores = measure(data, searchable(data, strategies), strategies)

    assert [question.id for question in data.questions] == ["1", "2"]
    assert scores["lexical"].measures["recall@10"].mean == 1.0
    assert scores["bm25"].measures["recall@10"].mean == 1.0
    assert scores["names"].measures["recall@10"].mean == 0.75  # nothing named `hour`
    assert scores["lexical"].p50_ms > 0


def test_requests_that_no_tool_answers_are_told_apart(folder: Path) -> None:
    data = load_tool_set(folder)

    assert no_tool_auroc(data, searchable(data, [])) == 1.0


def test_the_graph_is_taught_by_other_requests_only(folder: Path) -> None:
    data = load_tool_set(folder)

    without, with_graph, requests = graph_gain(data, searchable(data, []))

    assert requests == 1
    assert with_graph == without  # the only request of several tools has no other to learn from


def test_a_set_without_labels_is_refused(folder: Path) -> None:
    with gzip.open(folder / "qrels.jsonl.gz", "wt"):
        pass

    with pytest.raises(InvalidError, match=r"has no labelled query"):
        load_tool_set(folder)


def test_auroc_is_one_when_apart_a_half_when_alike_and_counts_ties_half() -> None:
    assert auroc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert auroc([0.1], [0.9]) == 0.0
    assert auroc([0.5, 0.5], [0.5]) == 0.5
    assert auroc([0.5, 0.9], [0.5, 0.1]) == pytest.approx(7 / 8)
    assert auroc([], [0.5]) == 0.0


def test_baselines_rank_by_what_they_look_at() -> None:
    tools = [UpstreamTool("s", "mail", "post"), UpstreamTool("s", "post", "post a mail mail mail")]

    assert by_names(tools, 10)("mail") == ["s:mail"]
    assert by_regex(tools, 10)("mail post") == ["s:mail", "s:post"]
    assert by_bm25(tools, 10)("mail")[0] == "s:post"
    assert by_regex(tools, 10)("the") == []
