"""Labelled sets small enough to work out by hand, and a model that knows a few words."""

import gzip
import json
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from recollect.app.models import open_models
from recollect.bench.data_sets import DataSet, LabelledQuery, LabelledText

Rows = Iterable[Mapping[str, Any]]

PETS = [
    {"id": "cats", "title": "Cats", "text": "cats purr in the sun"},
    {"id": "dogs", "title": "Dogs", "text": "dogs bark at the postman"},
    {"id": "fish", "title": "Fish", "text": "fish swim in circles"},
]
# The first is answered by a word of its text; for the second one has to know what puppies are.
ASKED = [{"id": "q1", "text": "who may purr"}, {"id": "q2", "text": "puppies"}]
GRADED = [{"query": "q1", "doc": "cats", "grade": 1}, {"query": "q2", "doc": "dogs", "grade": 1}]


def write_set(
    folder: Path, corpus: Rows = PETS, queries: Rows = ASKED, qrels: Rows = GRADED, **more: Rows
) -> Path:
    """A set in the plain layout: gzip-compressed JSON lines."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in {"corpus": corpus, "queries": queries, "qrels": qrels, **more}.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return folder


def text(id: str, body: str, *, group: str = "", title: str = "") -> LabelledText:
    return LabelledText(id, group, title, body)


def question(
    id: str, asked: str, *relevant: str, group: str = "", before: str | None = None
) -> LabelledQuery:
    return LabelledQuery(id, group, asked, before, dict.fromkeys(relevant, 1))


def data_set(
    texts: Iterable[LabelledText], questions: Iterable[LabelledQuery], name: str = "tiny"
) -> DataSet:
    asked = tuple(questions)
    return DataSet(name, tuple(texts), asked, any(one.before for one in asked))


PETS_SET = data_set(
    [text(str(row["id"]), str(row["text"]), title=str(row["title"])) for row in PETS],
    [question("q1", "who may purr", "cats"), question("q2", "puppies", "dogs")],
)

MEANINGS = (("cats", "kittens", "purr"), ("dogs", "puppies", "bark"), ("fish", "trout", "swim"))


def install_model(home: Path) -> None:
    """Install a real model for whoever has `home` as RECOLLECT_HOME; it knows MEANINGS and no more."""
    pytest.importorskip("onnxruntime")
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {"[UNK]": 0}
    table = [[0.0] * len(MEANINGS)]
    for place, words in enumerate(MEANINGS):
        for word in words:
            vocabulary[word] = len(vocabulary)
            table.append([float(place == other) for other in range(len(MEANINGS))])
    folder = home / "made"
    folder.mkdir(parents=True)
    reads = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, "[UNK]"))
    reads.normalizer = tokenizers.normalizers.Lowercase()
    reads.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    reads.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(_mean_of_rows(table))
    models = open_models({"RECOLLECT_HOME": str(home)})
    models.folder.install("meanings", folder=folder)
    models.use("meanings")


def _mean_of_rows(table: list[list[float]]) -> bytes:
    """An ONNX model: token ids in, the mean of their rows of `table` out."""
    rows, width = len(table), len(table[0])
    floats = struct.pack(f"<{rows * width}f", *(number for row in table for number in row))
    tensor = _int(1, rows) + _int(1, width) + _int(2, 1) + _text(8, "table") + _bytes(9, floats)
    axes = _text(1, "axes") + _int(8, 1) + _int(20, 7)
    flat = _text(1, "keepdims") + _int(3, 0) + _int(20, 2)
    gather = _text(1, "table") + _text(1, "input_ids") + _text(2, "words") + _text(4, "Gather")
    mean = _text(1, "words") + _text(2, "mean") + _text(4, "ReduceMean")
    mean += _bytes(5, axes) + _bytes(5, flat)
    graph = _bytes(1, gather) + _bytes(1, mean) + _text(2, "tiny") + _bytes(5, tensor)
    graph += _bytes(11, _value("input_ids", 7)) + _bytes(12, _value("mean", 1))
    return _int(1, 8) + _bytes(7, graph) + _bytes(8, _int(2, 13))


def _value(name: str, kind: int) -> bytes:
    shape = b"".join(_bytes(1, _text(2, side)) for side in (f"{name}-rows", f"{name}-columns"))
    return _text(1, name) + _bytes(2, _bytes(1, _int(1, kind) + _bytes(2, shape)))


def _varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


def _int(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())
