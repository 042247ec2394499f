"""Searching: any string, the same answer each time, what the strategies are, what is said beside."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.embedded import embedded
from tests.requirements import requirement
from tests.retrieval.corpora import BagOfWords, corpora, corpus, doc, loading, texts
from tests.samples import draft
from tests.storage.models.shared import installed_models, tiny_model

from recollect.app.bounded_model import BoundedEmbedder
from recollect.app.finder import FEW_MISSING, SERVER_SLICE_SECONDS, Finder, embedder_of
from recollect.app.library import memory_index
from recollect.app.project import Recollect
from recollect.errors import ModelError
from recollect.records.categories import Category
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.request import Request, SearchResult
from recollect.retrieval.snippet import snippet
from recollect.storage.models.installed import ModelFolder

GENEROUS = 20.0  # seconds: that is a hang, whatever machine it is

ANY = st.text(st.characters(), max_size=300)
MARKS = [*"\"'()*^:-+\\%_;/\0\ud800\u202e", "NEAR", "AND", "OR", "NOT", "NEAR(a b, 5)", "{a}", "title:"]
OPERATORS = st.lists(st.sampled_from([*MARKS, "ledger", "--", "数据", "a" * 70]), max_size=15)
QUERIES = ANY | OPERATORS.map(" ".join) | OPERATORS.map("".join)
HUGE = [
    "ledger " * 150_000,
    "x" * 1_000_000,
    '"' * 1_000_000,
    "a@" * 500_000,
    "NEAR(" * 200_000,
    "锁" * 1_000_000,
    "aB3_." * 200_000,
    "\0" * 1_000_000,
    "\n" * 1_000_000,
]


def everything(found: SearchResult) -> list[object]:
    return [(hit.document, hit.explanation.as_json()) for hit in found.answer.hits]


@pytest.fixture(scope="module")
def asked() -> Finder:
    return corpus(
        doc("a", "Ledger of quotas", "数据库锁 a b title NEAR", tags=["x"], files=("src/a.py",)),
        doc("b", "Retry the queue", '"quoted" (text) * and -more', category="session_summary"),
        model=BagOfWords(),
    )


@requirement("retrieval:query:any-string")
@given(text=QUERIES, mode=st.sampled_from(["search", "auto"]), strategy=st.sampled_from(
    ["fts5_bm25", "hybrid", "title_tags"]))  # fmt: skip
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@example(text='" OR 1 --', mode="search", strategy="hybrid")
@example(text="\0", mode="auto", strategy="hybrid")
@example(text="\ud800\udfff", mode="search", strategy="title_tags")
def test_any_string_is_a_safe_query(asked: Finder, text: str, mode: Any, strategy: Any) -> None:
    found = asked.find(Request(text, mode=mode, strategy=strategy))

    for hit in found.answer.hits:
        assert snippet(hit.document.body, found.matches) == " ".join(hit.document.body.split())
    assert everything(found) == everything(asked.find(Request(text, mode=mode, strategy=strategy)))


@requirement("retrieval:query:any-string")
@pytest.mark.parametrize("text", HUGE, ids=lambda text: repr(text[:8]))
def test_a_megabyte_is_a_safe_query(asked: Finder, text: str) -> None:
    start = time.monotonic()

    for strategy in ("fts5_bm25", "hybrid", "title_tags"):
        asked.find(Request(text, strategy=strategy))
        asked.find(Request(text, mode="auto", strategy=strategy))

    assert time.monotonic() - start < GENEROUS


@requirement("retrieval:ranking:repeatable")
@given(corpora(), texts, st.sampled_from(["fts5_bm25", "hybrid", "title_tags"]))
def test_the_same_query_gives_the_same_answer(
    documents: list[Document], text: str, strategy: Any
) -> None:
    finder = corpus(*documents, model=BagOfWords())
    request = Request(text, strategy=strategy, limit=50)

    assert everything(finder.find(request)) == everything(finder.find(request))


@requirement("retrieval:strategies:default")
def test_the_best_strategy_that_is_installed_is_taken() -> None:
    rows = [doc("a", "Ledger")]
    without, with_model = corpus(*rows), corpus(*rows, model=BagOfWords())
    configured = corpus(*rows, model=BagOfWords(), chosen_strategy="title_tags")

    assert without.find(Request("ledger")).strategy == "fts5_bm25"
    assert with_model.find(Request("ledger")).strategy == "hybrid"
    assert with_model.find(Request("ledger", mode="auto")).strategy == "hybrid"
    assert configured.find(Request("ledger")).strategy == "title_tags"
    assert configured.find(Request("ledger", mode="auto")).strategy == "title_tags"
    assert with_model.find(Request("ledger", strategy="fts5_bm25")).strategy == "fts5_bm25"


@requirement("retrieval:strategies:no-model")
def test_without_a_model_hybrid_goes_by_words_and_says_so() -> None:
    found = corpus(doc("a", "Ledger")).find(Request("ledger", strategy="hybrid"))

    assert [hit.document.path for hit in found.answer.hits] == ["a"]
    assert any("`recollect model install`" in note for note in found.notes)
    assert found.strategy == "fts5_bm25"


@dataclass(slots=True)
class Slow(BagOfWords):
    """A model whose every text takes as long as a search has for vectors."""

    def passages(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        for vector in BagOfWords.passages(self, texts):
            time.sleep(SERVER_SLICE_SECONDS)
            yield vector


@requirement("retrieval:vectors:never-a-wait")
def test_a_search_spends_a_moment_on_missing_vectors_and_says_how_many_are_missing() -> None:
    """With few vectors it goes by words: the best of those few would be taken for the best of all."""
    rows = [doc(f"d{number}", "Ledger") for number in range(8)]
    model = Slow()
    finder = corpus(*rows, model=model, slice_seconds=SERVER_SLICE_SECONDS)

    first = finder.find(Request("ledger"))

    assert (first.strategy, len(model.read)) == ("fts5_bm25", 2), "the first text may load the model"
    assert first.notes == (
        "6 memories have no vectors yet, so search uses words; run `recollect index`",
    )
    assert everything(first) == everything(corpus(*rows).find(Request("ledger")))
    later = [finder.find(Request("ledger")) for _ in range(3)]
    assert [found.strategy for found in later] == ["fts5_bm25", "hybrid", "hybrid"]
    assert "2 memories have no vectors yet; run `recollect index`" in later[1].notes
    assert later[-1].notes == ()


@requirement("retrieval:vectors:never-a-wait")
def test_a_model_is_not_loaded_for_a_search_that_lacks_most_vectors() -> None:
    loads: list[str] = []

    def load() -> BagOfWords:
        loads.append("loaded")
        return BagOfWords()

    rows = [doc(f"d{number}", "Ledger") for number in range(FEW_MISSING + 1)]
    finder = corpus(*rows, model_version=BagOfWords().version)
    finder.embedder = load

    found = finder.find(Request("ledger"))
    assert (found.strategy, loads) == ("fts5_bm25", [])
    assert f"{len(rows)} memories have no vectors yet, so search uses words" in found.notes[0]
    finder.embed()
    assert finder.find(Request("ledger")).strategy == "hybrid"


@requirement("retrieval:vectors:never-a-wait")
@pytest.mark.parametrize("strategy", [None, "hybrid"])
def test_a_model_that_is_being_loaded_is_not_waited_for(strategy: Any) -> None:
    loaded = threading.Event()
    waiting = BoundedEmbedder("bag", BagOfWords().version, lambda: loaded.wait() and BagOfWords(), 0.01)  # type: ignore[arg-type,return-value]
    finder = corpus(doc("a", "Ledger"), model=waiting)

    first = finder.find(Request("ledger", strategy=strategy))
    assert (first.strategy, len(first.answer.hits)) == ("fts5_bm25", 1)
    loaded.set()
    ready = BoundedEmbedder("bag", BagOfWords().version, BagOfWords, GENEROUS)
    assert corpus(doc("a", "Ledger"), model=ready).find(Request("ledger")).strategy == "hybrid"


@dataclass(slots=True)
class Damaged(BagOfWords):
    """A model whose files are spoiled."""

    def passages(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        raise ModelError("bag", "spoiled", "`recollect model install bag` mends it")


def test_a_model_that_cannot_be_run_costs_no_answer_but_the_one_that_asked_for_it() -> None:
    finder = corpus(doc("a", "Ledger"), model=Damaged())
    plain = finder.find(Request("ledger"))
    prompt = finder.find(Request("ledger", mode="auto", strategy="hybrid", threshold=0.0))

    for found in (plain, prompt):
        assert [hit.document.path for hit in found.answer.hits] == ["a"]
        assert found.strategy == "fts5_bm25"
        (note,) = found.notes
        assert "'bag' cannot be run (spoiled); `recollect model install bag` mends it" in note
    words = corpus(doc("a", "Ledger")).find(Request("ledger"))
    assert everything(plain) == everything(words), "as if there were no model"
    with pytest.raises(ModelError):
        finder.find(Request("ledger", strategy="hybrid"))


def test_a_missing_model_is_named_wherever_it_would_have_read() -> None:
    finder = corpus(doc("a", "Ledger"), missing="the model 'bag' is gone")

    assert finder.find(Request("ledger")).notes == ("the model 'bag' is gone",)
    assert finder.find(Request("ledger", strategy="hybrid")).notes == ("the model 'bag' is gone",)
    for unread in (Request("ledger", strategy="fts5_bm25"), Request("ledger", mode="auto")):
        assert finder.find(unread).notes == ()


class FullDisk(BagOfWords):
    """A model beside a disk that takes nothing more."""

    def passages(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        raise OSError(28, "No space left on device")


def test_vectors_that_cannot_be_kept_cost_no_answer() -> None:
    found = corpus(doc("a", "Ledger"), model=FullDisk()).find(Request("ledger", strategy="hybrid"))

    assert [hit.document.path for hit in found.answer.hits] == ["a"]
    assert any("No space left" in note for note in found.notes)


def test_a_word_found_by_its_start_is_shown_as_a_match() -> None:
    found = corpus(doc("a", "Deadlocks"), doc("b", "数据库锁")).find(Request("deadl 锁 retries"))

    assert [found.matches(word) for word in ("deadlock", "库锁", "retry", "other")] == [
        True,
        True,
        True,
        False,
    ]


def library(project: Recollect, model: BagOfWords) -> Finder:
    """The project's finder, with a stand-in for the model."""
    return Finder(memory_index([project.space.store]), loading(model))


@requirement("retrieval:index:deleted")
def test_deleting_the_index_changes_no_answer_of_hybrid_either(
    project: Recollect, folder: Path
) -> None:
    """After a history of edits, which has the rows of the matrix in another order."""
    for number in range(12):
        project.memories.save(draft(f"Ledger {number}", content={"decision": f"Shard {number % 3}."}))
    lived = library(project, BagOfWords())
    lived.find(Request("ledger"))
    for number in (3, 7, 0):
        stored = project.get(f"ledger-{number}")
        project.memories.replace(stored, lambda _: {"title": "Ledger again"}, "Edited")
        lived.find(Request("ledger"))
    path = folder / ".claude/memory/decisions/ledger-5.json"
    path.unlink()
    request = Request("ledger shard 1", limit=50)
    before = everything(lived.find(request))

    for kept in (folder / ".claude/memory/.recollect").glob("[iv]*"):
        kept.unlink()
    fresh = library(project, BagOfWords())

    assert len(before) == 11
    assert everything(fresh.find(request)) == before


@requirement("retrieval:vectors:changed-model")
def test_a_changed_model_embeds_anew(project: Recollect) -> None:
    for title in ("Ledger", "Quota", "Shard"):
        project.memories.save(draft(title, content={"decision": f"Keep the {title}."}))
    old, new = BagOfWords("old@1", 16), BagOfWords("new@1", 40)
    request = Request("ledger", mode="auto", strategy="hybrid", threshold=0.0)

    library(project, old).find(request)
    found = library(project, new).find(request)

    assert len(old.read) == len(new.read) == 3
    best = found.answer.hits[0]
    cosine = next(part.raw for part in best.explanation.fused.parts if part.channel == "vector")
    (text,) = (text for text in old.read if text.startswith(best.document.title))
    assert cosine == pytest.approx(float(new.query("ledger") @ new.query(text)), abs=1e-6)


def test_an_index_replaced_under_a_finder_takes_its_vectors_with_it(project: Recollect) -> None:
    project.memories.save(draft("Ledger"))
    finder = library(project, BagOfWords())
    before = everything(finder.find(Request("ledger")))
    embedded(finder.index).connection.execute("DROP TABLE tag")
    embedded(finder.index).connection.execute("UPDATE document SET tags = 'x'")

    found = finder.find(Request("ledger"))

    assert any("corrupt" in note for note in found.notes)
    assert everything(found) == before
    assert finder.find(Request("ledger")).notes == ()


@pytest.fixture(scope="module")
def models(request: pytest.FixtureRequest) -> Path:
    return installed_models(request.config)


@requirement("retrieval:hybrid:meaning")
def test_with_the_real_model_a_memory_is_found_by_what_it_means(
    project: Recollect, models: Path, tmp_path: Path
) -> None:
    project.memories.save(draft("Sign session cookies", content={"decision": "Cookies carry a JWT."}))
    project.memories.save(
        draft("Paint", Category.PREFERENCE, content={"topic": "shed", "value": "Green walls."})
    )
    finder = Finder(
        memory_index([project.space.store]),
        embedder_of(ModelFolder(models).get(), tmp_path / "vectors"),
    )

    found = finder.find(Request("authentication of users"))

    assert found.strategy == "hybrid"
    assert found.answer.hits[0].document.title == "Sign session cookies"


def test_a_model_that_is_read_another_way_embeds_anew(project: Recollect, tmp_path: Path) -> None:
    """Deleting the index would not help else: the machine remembers passages beside it."""
    project.memories.save(draft("Ledger", content={"decision": "Keep the ledger."}))
    shelf, given = ModelFolder(tmp_path / "models"), tiny_model(tmp_path / "given", special=1.0)

    def cosine(name: str, pooling: str) -> float:
        installed = shelf.install(name, folder=given, pooling=pooling)
        finder = Finder(
            memory_index([project.space.store]), embedder_of(installed, tmp_path / "vectors")
        )
        (hit,) = finder.find(Request("ledger", channels=frozenset({"vector"}))).answer.hits
        return next(part.raw for part in hit.explanation.fused.parts if part.channel == "vector")

    cosine("mine", "mean")

    assert cosine("mine", "cls") == cosine("only-cls", "cls")


def test_a_model_replaced_under_a_finder_is_not_read_under_the_old_name(
    project: Recollect, tmp_path: Path
) -> None:
    """A server opens a project once, and reads with a model when first asked."""
    project.memories.save(draft("Ledger"))
    shelf, given = ModelFolder(tmp_path / "models"), tiny_model(tmp_path / "given")
    installed = shelf.install("mine", folder=given, pooling="mean")
    finder = Finder(memory_index([project.space.store]), embedder_of(installed, tmp_path / "vectors"))
    shelf.install("mine", folder=given, pooling="cls")

    found = finder.find(Request("ledger"))

    assert (len(found.answer.hits), found.strategy) == (1, "fts5_bm25")
    assert "'mine' cannot be run (it was replaced or removed in the meantime)" in found.notes[0]


@requirement("retrieval:models:wide")
def test_a_model_of_1024_numbers_is_searched_with(project: Recollect, tmp_path: Path) -> None:
    installed = ModelFolder(tmp_path / "models").install(
        "bge-m3", folder=tiny_model(tmp_path / "given")
    )
    for title in ("Ledger", "Quota"):
        project.memories.save(draft(title, content={"decision": f"Keep the {title}."}))
    finder = Finder(memory_index([project.space.store]), embedder_of(installed, tmp_path / "vectors"))

    hits = finder.find(Request("quota", channels=frozenset({"vector"}))).answer.hits

    assert [hit.document.title for hit in hits] == ["Quota", "Ledger"]
    width = "SELECT value FROM meta WHERE key = 'width'"
    assert embedded(finder.index).connection.execute(width).fetchone() == ("1024",)


def test_without_a_model_or_anything_to_run_it_there_is_no_embedder(tmp_path: Path) -> None:
    assert embedder_of(None, tmp_path) is None


@pytest.mark.parametrize("mode", ["search", "auto"])
def test_filters_hold_in_every_mode_and_strategy(mode: Any) -> None:
    finder = corpus(
        doc("a", "Ledger", category="decision"),
        doc("b", "Ledger", category="runbook"),
        model=BagOfWords(),
    )
    only: Callable[[Any], Request] = lambda strategy: Request(  # noqa: E731
        "ledger", mode, Filters(categories=frozenset({"runbook"})), strategy, threshold=0.0
    )

    for strategy in ("fts5_bm25", "hybrid", "title_tags"):
        hits = finder.find(only(strategy)).answer.hits
        assert [hit.document.path for hit in hits] == ["b"]


@requirement("retrieval:languages:english-model")
def test_a_text_in_another_script_is_searched_for_by_words_when_the_model_knows_english_only() -> None:
    rows = [doc("a", "Очередь заданий"), doc("b", "Ledger")]
    english, any_language = (
        corpus(*rows, model=BagOfWords(), latin_only=latin_only) for latin_only in (True, False)
    )

    assert english.find(Request("очередь заданий в Redis")).strategy == "fts5_bm25"
    assert english.find(Request("ledger über 数")).strategy == "hybrid"
    assert english.find(Request("очередь", strategy="hybrid")).strategy == "hybrid", "asked for by name"
    assert any_language.find(Request("очередь заданий")).strategy == "hybrid"


@requirement("retrieval:vectors:never-a-wait")
def test_a_search_that_goes_by_words_anyway_makes_no_vectors() -> None:
    """Some that it could make would not change its answer; an idle server and `index` make all of them."""
    model = BagOfWords()
    rows = [doc(f"d{number}", "Ledger") for number in range(FEW_MISSING + 1)]

    found = corpus(*rows, model=model).find(Request("ledger"))

    assert (found.strategy, model.read, model.asked) == ("fts5_bm25", [], [])
