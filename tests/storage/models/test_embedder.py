"""An embedder with a cache on disk."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from tests.retrieval.corpora import BagOfWords, loading

from recollect.storage.models.embedder import MOST_AT_ONCE, CachingEmbedder, Embedder, groups
from recollect.storage.sqlite import vector_cache


def never() -> Embedder:
    raise AssertionError("the model is not needed")


def test_a_passage_is_read_once_on_this_machine(tmp_path: Path) -> None:
    model = BagOfWords()
    first = list(CachingEmbedder("m@1", loading(model), tmp_path).passages(["a b", "c", "a b"]))

    again = list(CachingEmbedder("m@1", never, tmp_path).passages(["c", "a b"]))

    assert model.read == ["a b", "c"]
    assert [vector.tobytes() for vector in again] == [first[1].tobytes(), first[0].tobytes()]


def test_another_model_remembers_apart(tmp_path: Path) -> None:
    one, other = BagOfWords("m@1"), BagOfWords("m@2", 8)

    (narrow,) = CachingEmbedder("m@1", loading(one), tmp_path).passages(["a"])
    (wide,) = CachingEmbedder("m@2", loading(other), tmp_path).passages(["a"])

    assert (len(narrow), len(wide)) == (16, 8)


def test_a_query_is_asked_of_the_model_each_time(tmp_path: Path) -> None:
    model = BagOfWords()

    caching = CachingEmbedder("m@1", loading(model), tmp_path)

    assert np.array_equal(caching.query("a"), model.query("a"))
    assert caching.version == "m@1"


@pytest.mark.parametrize("gone_bad", [b"", b"abc", bytes(64), "text", 7])
def test_a_remembered_vector_gone_bad_is_computed_again(tmp_path: Path, gone_bad: object) -> None:
    model = BagOfWords()
    caching = CachingEmbedder("m@1", loading(model), tmp_path)
    (first,) = caching.passages(["a"])
    with sqlite3.connect(tmp_path / "m@1.db", isolation_level=None) as db:
        db.execute("UPDATE vector SET floats = ?", (gone_bad,))
    db.close()

    for _ in range(2):
        (again,) = caching.passages(["a"])
        assert again.tobytes() == first.tobytes()
    assert model.read == ["a", "a"]


@pytest.mark.parametrize("harm", ["folder", "bytes", "table"])
def test_what_cannot_be_remembered_is_computed(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "m@1.db"
    if harm == "folder":
        path.mkdir()
    elif harm == "bytes":
        path.write_bytes(b"no database" * 100)
    else:
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE vector (other)")
        db.close()
    model = BagOfWords()

    (vector,) = CachingEmbedder("m@1", loading(model), tmp_path).passages(["a"])

    assert np.array_equal(vector, model.query("a"))


def test_the_oldest_are_forgotten_when_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_cache, "MAX_VECTORS", 3)
    model = BagOfWords()
    list(CachingEmbedder("m@1", loading(model), tmp_path).passages(list("abcde")))
    model.read.clear()

    list(CachingEmbedder("m@1", loading(model), tmp_path).passages(list("cde")))
    assert model.read == []
    list(CachingEmbedder("m@1", loading(model), tmp_path).passages(["a"]))
    assert model.read == ["a"]


def test_half_a_character_is_remembered_too(tmp_path: Path) -> None:
    model = BagOfWords()

    list(CachingEmbedder("m@1", loading(model), tmp_path).passages(["\ud800", "\ud800"]))

    assert len(model.read) == 1


def test_texts_are_read_two_at_a_time_and_a_long_one_alone() -> None:
    long = "x" * MOST_AT_ONCE

    assert list(groups(["a", "b", "c", long, "d", "e"])) == [["a", "b"], ["c"], [long], ["d", "e"]]
    assert list(groups([])) == []
