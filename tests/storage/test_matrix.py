"""The kept vectors: exact, only ever appended to, and never another model's."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.conformance.indexes import ListedFiles
from tests.requirements import requirement
from tests.retrieval.corpora import BagOfWords, corpora, doc

from recollect.retrieval.index import Document, Filters
from recollect.retrieval.index_writer import Changes
from recollect.retrieval.vectors import head, passages
from recollect.storage.matrix import MatrixVectors
from recollect.storage.models.embedder import CachingEmbedder, Embedder
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.index import SqliteIndex
from recollect.storage.sqlite.passages import PassageTable
from recollect.storage.sqlite.writer import SqliteIndexWriter

REPOSITORY = Path(__file__).parents[2]
ALL = Filters()


class Shelf:
    """An index in a folder, with vectors beside it."""

    def __init__(self, folder: Path | None, model: Embedder | None = None) -> None:
        self.db = (
            index_file.memory()
            if folder is None
            else index_file.open_index(str(folder / "index.db")).connection
        )
        self.index = SqliteIndex(self.db)
        self.model = model or BagOfWords()
        self.vectors = MatrixVectors(PassageTable(self.db), folder, self.model)
        self.documents: dict[str, Document] = {}

    def hold(self, *documents: Document) -> Changes:
        """Make the index hold these and nothing else."""
        files = ListedFiles()
        for one in documents:
            files.put(one.path, one, modified=hash(repr(one)) % 10**9)
        return SqliteIndexWriter(self.db).synchronise(files, 10**18)

    def nearest(self, text: str, filters: Filters = ALL, limit: int = 100) -> list[tuple[str, float]]:
        found = self.vectors.nearest(text, self.index, filters, limit)
        facts = self.index.facts([key for key, _ in found])
        return [(facts[key].id.removeprefix("mem:"), cosine) for key, cosine in found]

    def ids(self, text: str) -> set[str]:
        return {id for id, _ in self.nearest(text)}


def brute(documents: Sequence[Document], text: str, model: Embedder) -> list[tuple[str, float]]:
    asked = model.query(text).astype(np.float64)
    best = {
        one: max(
            float(vector.astype(np.float64) @ asked)
            for vector in model.passages(passages(head(one.title, one.body)))
        )
        for one in documents
    }
    ranked = sorted(documents, key=lambda one: (-round(best[one], 9), one.priority, one.id))
    return [(one.path, best[one]) for one in ranked]


@requirement("retrieval:vectors:exact")
@given(corpora(), st.sampled_from(["ledger shard", "quota", "", "x"]), st.integers(1, 5))
def test_the_nearest_are_those_that_comparing_one_by_one_finds(
    documents: list[Document], text: str, limit: int
) -> None:
    shelf = Shelf(None)
    SqliteIndexWriter(shelf.db).fill(documents)
    shelf.vectors.embed()

    found = shelf.nearest(text, limit=limit)

    expected = brute(documents, text, BagOfWords())[:limit]
    assert [cosine for _, cosine in found] == pytest.approx([c for _, c in expected], abs=1e-6)
    assert [id for id, _ in found] == [id for id, _ in expected]
    shelf.db.close()


@requirement("retrieval:vectors:exact")
def test_a_long_document_is_as_near_as_its_best_passage(tmp_path: Path) -> None:
    long = doc("long", "x", "\n".join(["ledger " * 140, "quota " * 160, "shard " * 160]))
    shelf = Shelf(tmp_path)
    shelf.hold(long, doc("short", "Quota"))
    shelf.vectors.embed()

    assert dict(shelf.nearest("shard"))["long"] == pytest.approx(1, abs=1e-3)
    assert [id for id, _ in shelf.nearest("shard")] == ["long", "short"]


def test_what_is_new_is_appended_and_what_is_there_is_not_read_again(tmp_path: Path) -> None:
    model = BagOfWords()
    shelf = Shelf(tmp_path, model)
    shelf.hold(doc("a", "Ledger"))
    assert (shelf.vectors.missing(), shelf.vectors.embed(), shelf.vectors.missing()) == (1, 1, 0)
    assert shelf.ids("x") == {"a"}

    shelf.hold(doc("a", "Ledger"), doc("b", "Quota"))
    assert shelf.ids("x") == {"a"}
    shelf.vectors.embed()

    assert shelf.ids("x") == {"a", "b"}
    assert [text.strip() for text in model.read] == ["Ledger", "Quota"]


@requirement("retrieval:vectors:resumed")
def test_embedding_that_is_stopped_keeps_what_is_done_and_goes_on_from_there(tmp_path: Path) -> None:
    """A document of several passages counts once all of them are there."""
    model = BagOfWords()
    shelf = Shelf(tmp_path, CachingEmbedder(model.version, lambda: model, tmp_path / "cache"))
    long = "\n".join(f"{number} " + "word " * 150 for number in range(4))
    shelf.hold(doc("long", "Shard", long), *(doc(f"d{number}", "Ledger") for number in range(9)))
    reports: list[tuple[int, int]] = []

    def embed(texts: int) -> int:
        end = len(model.read) + texts
        return shelf.vectors.embed(
            lambda *numbers: reports.append(numbers), lambda: len(model.read) >= end
        )

    assert [embed(1), embed(2), embed(2), embed(20)] == [1, 8, 0, 1], "short documents come first"
    assert reports == [(1, 10), (8, 9), (1, 1)]
    assert shelf.vectors.missing() == 0
    assert len(model.read) == len(set(model.read)), "each passage is read once"


def test_what_was_deleted_or_changed_never_comes_back(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.hold(doc("a", "Ledger"), doc("b", "Quota"), doc("c", "Shard"))
    shelf.vectors.embed()
    assert dict(shelf.nearest("ledger"))["a"] > 0.99

    shelf.hold(doc("a", "Refund"), doc("c", "Shard"))
    assert shelf.ids("ledger") == {"c"}, "at once, before anything is embedded"
    shelf.vectors.embed()

    assert shelf.ids("ledger") == {"a", "c"}
    assert dict(shelf.nearest("ledger"))["a"] < 0.99
    assert dict(shelf.nearest("refund"))["a"] > 0.99


@pytest.mark.parametrize("kept_in_file", [True, False])
def test_a_matrix_half_dead_is_written_anew_with_what_lives(tmp_path: Path, kept_in_file: bool) -> None:
    shelf = Shelf(tmp_path if kept_in_file else None)
    long = "\n".join(f"gateway {'x' * 980}" for _ in range(60))
    alive = [doc(f"a{number}", "Ledger", f"quota {number}") for number in range(3)]
    shelf.hold(alive[0], *(doc(f"z{number}", "Zebra", long) for number in range(20)), *alive[1:])
    shelf.vectors.embed()
    before = shelf.nearest("ledger quota", limit=3)
    (rows,) = shelf.db.execute("SELECT value FROM meta WHERE key = 'rows'").fetchone()
    assert int(rows) > 1200

    shelf.hold(*alive, doc("new", "Refund"))
    shelf.vectors.embed()

    assert shelf.db.execute("SELECT value FROM meta WHERE key = 'rows'").fetchone() == ("4",)
    assert shelf.nearest("ledger quota", limit=3) == before
    assert shelf.ids("x") == {"a0", "a1", "a2", "new"}
    sizes = sorted(path.stat().st_size for path in tmp_path.glob("vectors-*"))
    assert sizes[:1] == ([4 * 16 * 4] if kept_in_file else [])


@requirement("retrieval:vectors:changed-model")
def test_a_changed_model_starts_anew_and_never_mixes(tmp_path: Path) -> None:
    rows = [doc("a", "Ledger"), doc("b", "Quota")]
    old = Shelf(tmp_path, BagOfWords("old@1", 16))
    old.hold(*rows)
    old.vectors.embed()
    wide = Shelf(tmp_path, BagOfWords("new@2", 24))

    assert wide.nearest("ledger") == [], "nothing of its own yet"
    assert wide.vectors.missing() == 2
    assert wide.vectors.embed() == 2
    assert wide.ids("ledger") == {"a", "b"}
    assert old.nearest("ledger") == [], "the matrix is another's now"
    assert old.vectors.missing() == 2


def test_a_writer_whose_matrix_was_begun_anew_meanwhile_adds_nothing_to_it(tmp_path: Path) -> None:
    """Two processes with different models: the vectors that one is making are not for the other."""
    other = Shelf(tmp_path, BagOfWords("other@1", 24))

    class Interrupted(BagOfWords):
        def passages(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
            other.vectors.embed(stop=lambda: True)
            yield from super().passages(texts)

    shelf = Shelf(tmp_path, Interrupted("mine@1", 16))
    shelf.hold(doc("a", "Ledger"))

    shelf.vectors.embed()

    assert shelf.db.execute("SELECT count(*) FROM passage").fetchone() == (0,)
    assert other.vectors.embed() == 1
    assert other.ids("x") == {"a"}
    assert shelf.nearest("x") == []


def test_two_who_embed_the_same_documents_give_each_its_vectors_once(tmp_path: Path) -> None:
    other = Shelf(tmp_path)

    class Overtaken(BagOfWords):
        def passages(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
            other.vectors.embed()
            other.hold(doc("a", "Ledger"))  # and `b` is gone
            yield from super().passages(texts)

    shelf = Shelf(tmp_path, Overtaken())
    shelf.hold(doc("a", "Ledger"), doc("b", "Quota"))

    shelf.vectors.embed()

    assert [id for id, _ in shelf.nearest("x")] == ["a"]
    assert shelf.db.execute("SELECT count(*) FROM passage").fetchone() == (1,)


def test_another_process_sees_new_vectors_and_not_deleted_ones(tmp_path: Path) -> None:
    one, other = Shelf(tmp_path), Shelf(tmp_path)
    one.hold(doc("a", "Ledger"), doc("b", "Quota"))
    one.vectors.embed()
    assert other.ids("x") == {"a", "b"}

    one.hold(doc("b", "Quota"), doc("c", "Shard"))
    one.vectors.embed()

    assert other.ids("x") == {"b", "c"}


@requirement("retrieval:vectors:mended")
@pytest.mark.parametrize("harm", ["gone", "short", "empty"])
def test_a_matrix_that_was_lost_is_made_again(tmp_path: Path, harm: str) -> None:
    shelf = Shelf(tmp_path)
    shelf.hold(doc("a", "Ledger"), doc("b", "Quota"))
    shelf.vectors.embed()
    before = shelf.nearest("ledger")
    (path,) = tmp_path.glob("vectors-*")
    if harm == "gone":
        path.unlink()
    else:
        os.truncate(path, 5 if harm == "short" else 0)
    again = Shelf(tmp_path)

    assert again.vectors.missing() == 2
    assert again.nearest("ledger") == []
    again.vectors.embed()

    assert again.nearest("ledger") == before


def dies() -> None:
    """Embed one document, and be killed between the writing of its row and the commit."""
    shelf = Shelf(Path(sys.argv[1]))
    shelf.hold(doc("a", "Ledger"), doc("b", "Quota"))
    statements: list[str] = []

    def watch(sql: str) -> None:
        statements.append(sql)
        if sql.startswith("INSERT INTO passage"):
            os.kill(os.getpid(), signal.SIGKILL)

    shelf.db.set_trace_callback(watch)
    shelf.vectors.embed()


@requirement("retrieval:index:ours")
def test_a_link_in_place_of_a_matrix_is_not_written_through(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.hold(doc("a", "Ledger"))
    shelf.vectors.embed()
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (matrix,) = tmp_path.glob("vectors-*.f32")
    matrix.unlink()
    matrix.symlink_to(precious)
    shelf.db.execute("DELETE FROM passage")
    shelf.db.execute("UPDATE meta SET value = 0 WHERE key = 'rows'")

    shelf.vectors.embed()

    assert precious.read_text() == "mine"
    assert shelf.ids("ledger") == {"a"}


def test_a_link_to_a_file_that_could_be_the_matrix_is_neither_read_nor_written(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.hold(doc("a", "Ledger"))
    shelf.vectors.embed()
    precious = tmp_path / "precious"
    (matrix,) = tmp_path.glob("vectors-*.f32")
    matrix.rename(precious)
    matrix.symlink_to(precious)
    before = precious.read_bytes()
    shelf.hold(doc("a", "Ledger"), doc("b", "Ledger of the shop"))

    shelf.vectors.embed()

    assert precious.read_bytes() == before
    assert shelf.ids("ledger") == {"a", "b"}


def test_a_kill_between_the_file_and_the_commit_leaves_what_was_there(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.hold(doc("a", "Ledger"))
    shelf.vectors.embed()
    before = shelf.nearest("x")
    (path,) = tmp_path.glob("vectors-*")
    size = path.stat().st_size

    code = "from tests.storage.test_matrix import dies; dies()"
    done = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=REPOSITORY, check=False)

    assert done.returncode == -signal.SIGKILL
    assert path.stat().st_size > size, "the row was written"
    assert Shelf(tmp_path).nearest("x") == before
    again = Shelf(tmp_path)
    again.vectors.embed()
    assert again.ids("x") == {"a", "b"}
    assert dict(again.nearest("quota"))["b"] > 0.99
    assert path.stat().st_size == 2 * size


def test_equal_texts_are_equally_near_wherever_their_rows_are(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, BagOfWords(width=67))
    shelf.hold(*(doc(f"d{number:03}", "Ledger of the shard") for number in range(101)))
    shelf.vectors.embed()

    found = shelf.nearest("ledger quota", limit=60)

    assert len({cosine for _, cosine in found}) == 1
    assert [id for id, _ in found] == [f"d{number:03}" for number in range(60)]


def test_filters_are_kept(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.hold(
        doc("a", "Ledger", category="x"), doc("b", "Ledger", status="retired"), doc("c", "Quota")
    )
    shelf.vectors.embed()

    assert shelf.ids("ledger") == {"a", "c"}
    assert shelf.nearest("ledger", Filters(categories=frozenset({"none"}))) == []
    assert Shelf(None).nearest("anything") == []
