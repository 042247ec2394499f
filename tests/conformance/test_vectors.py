"""Documents by meaning: which have vectors, and which are nearest."""

import numpy as np
import pytest
from tests.conformance.indexes import ListedFiles
from tests.conformance.vectors import VECTORS, EmptyVectors, MakeVectors
from tests.retrieval.corpora import BagOfWords, doc

from recollect.retrieval.index import Filters

ALL = Filters()
TITLES = {"a": "ledger shard", "b": "refund webhook", "c": "ledger quota"}


@pytest.fixture
def model() -> BagOfWords:
    return BagOfWords()


@pytest.fixture(params=VECTORS, ids=lambda make: make.__name__)
def filled(request: pytest.FixtureRequest, model: BagOfWords) -> EmptyVectors:
    """Vectors of an index of three documents, none embedded yet."""
    make: MakeVectors = request.param
    empty = make(model)
    empty.writer.fill([doc(id, title) for id, title in TITLES.items()])
    return empty


def ids(filled: EmptyVectors, text: str, filters: Filters = ALL, limit: int = 10) -> list[str]:
    ranking = filled.vectors.nearest(text, filled.index, filters, limit)
    facts = filled.index.facts([key for key, _ in ranking])
    return [facts[key].id.removeprefix("mem:") for key, _ in ranking]


def test_what_is_missing_is_embedded_once(filled: EmptyVectors, model: BagOfWords) -> None:
    reports: list[tuple[int, int]] = []
    assert filled.vectors.missing() == 3
    assert filled.vectors.embed(stop=lambda: len(model.read) == 2) == 2
    assert filled.vectors.missing() == 1
    assert filled.vectors.embed(lambda done, of: reports.append((done, of))) == 1
    assert (filled.vectors.missing(), filled.vectors.embed(), reports) == (0, 0, [(1, 1)])
    assert len(model.read) == 3


def test_the_nearest_come_first_by_the_exact_cosine(filled: EmptyVectors, model: BagOfWords) -> None:
    filled.vectors.embed()
    ranking = filled.vectors.nearest("ledger shard", filled.index, Filters(), 10)

    query = model.query("ledger shard").astype(np.float64)
    cosines = {id: float(model.query(title).astype(np.float64) @ query) for id, title in TITLES.items()}
    assert ids(filled, "ledger shard") == sorted(cosines, key=lambda id: (-cosines[id], id))
    assert [cosine for _, cosine in ranking] == pytest.approx(sorted(cosines.values())[::-1])
    assert ids(filled, "ledger shard", limit=1) == ["a"]


def test_filters_hold_and_documents_without_vectors_are_not_found(
    filled: EmptyVectors, model: BagOfWords
) -> None:
    assert ids(filled, "ledger") == []
    filled.vectors.embed(stop=lambda: len(model.read) == 2)
    assert len(ids(filled, "ledger")) == 2
    assert ids(filled, "ledger", Filters(categories=frozenset({"runbook"}))) == []


@pytest.mark.parametrize("make", VECTORS, ids=lambda make: make.__name__)
def test_a_document_that_is_gone_takes_its_vectors_with_it(make: MakeVectors) -> None:
    empty, files = make(BagOfWords()), ListedFiles()
    for id, title in TITLES.items():
        files.put(id, doc(id, title))
    empty.writer.synchronise(files, 10**12)
    empty.vectors.embed()
    del files.rows["a"]
    empty.writer.synchronise(files, 10**12)

    assert set(ids(empty, "ledger shard")) == {"b", "c"}
    assert empty.vectors.missing() == 0
