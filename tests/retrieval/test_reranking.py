"""Reranking: what a cross-encoder may change, and what it may not."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.retrieval.corpora import WORDS, BagOfWords, corpora, corpus, doc, texts

from recollect.app.finder import Finder
from recollect.errors import ModelBusyError, ModelError
from recollect.retrieval.fusion import RERANKED
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.request import Request
from recollect.retrieval.reranking import TEXT, reordered
from recollect.retrieval.search import Answer, Candidate, Settings, ranked, recall, search
from recollect.values import replaced

RAW = st.floats(-20, 20)
PROMPT = "why do we keep the ledger in one shard"


@dataclass(slots=True)
class Preferring:
    """Stands for a cross-encoder that prefers texts with one word, whatever the query is."""

    word: str
    read: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.read.append((query, tuple(texts)))
        return [float(self.word in text) for text in texts]


class Failing:
    """A cross-encoder that has not answered in time, or that failed."""

    def __init__(self, error: ModelError) -> None:
        self.error = error

    def scores(self, _query: str, _texts: Sequence[str]) -> list[float]:
        raise self.error


def ask(finder: Finder, text: str, mode: str = "search", **settings: Any) -> Answer:
    index = finder.index.update()
    find = search if mode == "search" else recall
    return find(text, index, Filters(), Settings(**settings))


def ids(answer: Answer) -> list[str]:
    return [hit.document.id.removeprefix("mem:") for hit in answer.hits]


def candidates(documents: list[Document], text: str) -> list[Candidate]:
    return ranked(text, corpus(*documents).index.update(), Filters(), Settings())[1]


@requirement("retrieval:rerank:bounded")
@given(corpora(), texts, st.lists(RAW, max_size=RERANKED))
def test_scores_move_within_the_range_of_the_hits_that_were_read(
    documents: list[Document], text: str, raws: list[float]
) -> None:
    before = candidates(documents, text)
    raws = raws[: len(before)]

    after = reordered(before, raws)

    count = len(raws)
    assert sorted(hit.key for hit in after[:count]) == sorted(hit.key for hit in before[:count])
    assert after[count:] == before[count:], "what was not read keeps its place"
    scores = [hit.score for hit in after]
    assert scores == sorted(scores, reverse=True)
    assert scores == [hit.explanation.score for hit in after]
    if count:
        assert before[count - 1].score <= min(scores[:count])
        assert max(scores[:count]) <= before[0].score
    assert after == reordered(before, raws), "the same numbers make the same order"


def test_numbers_that_are_all_equal_change_nothing() -> None:
    before = candidates([doc("a", "ledger"), doc("b", "x", "ledger")], "ledger")

    assert reordered(before, [3.0, 3.0]) == before
    assert reordered(before, []) == before


def test_where_everything_else_ties_the_reranker_decides_and_then_priority_and_id() -> None:
    documents = [doc(name, "ledger", priority=1) for name in ("a", "b", "c")]
    before = candidates(documents, "ledger")
    assert len({hit.score for hit in before}) == 1

    after = [hit.fact.id for hit in reordered(before, [0.0, 0.0, 1.0])]

    assert after == ["mem:c", "mem:a", "mem:b"]


SHOP = (
    doc("one", "Ledger and shard", "The ledger is in one shard because joins cross no network."),
    doc("two", "Ledger backups", "The ledger is copied every night."),
    doc("three", "Shard names", "A shard is named after its ledger and its quota."),
    doc("four", "Paint the shed", "Green."),
)


@requirement("retrieval:rerank:explained")
def test_a_search_is_reordered_and_every_score_says_what_the_reranker_did() -> None:
    finder = corpus(*SHOP, model=BagOfWords())
    plain = ask(finder, "ledger shard")
    reranker = Preferring("quota")

    answer = ask(finder, "ledger shard", reranker=reranker)

    assert ids(plain)[0] == "one"
    assert ids(answer)[0] == "three"
    assert sorted(ids(answer)) == sorted(ids(plain))
    for hit in answer.hits:
        part = hit.explanation.as_json()["reranked"]
        opinion = part["low"] + part["scaled"] * (part["high"] - part["low"])
        before = replaced(hit.explanation, reranked=None).score
        blend = (1 - part["weight"]) * before + part["weight"] * opinion
        assert hit.score == pytest.approx(blend, abs=1e-12)
    [(query, read)] = reranker.read
    assert query == "ledger shard"
    assert read[0] == "Ledger and shard\nThe ledger is in one shard because joins cross no network."


@requirement("retrieval:rerank:late")
@pytest.mark.parametrize(
    "error", [ModelBusyError("mine", 0.04), ModelError("mine", "it is spoiled", "install it again")]
)
@pytest.mark.parametrize("mode", ["search", "auto"])
def test_a_reranker_that_is_late_or_fails_leaves_the_order_and_the_answer_says_so(
    error: ModelError, mode: str
) -> None:
    finder = corpus(*SHOP, doc("twin", "Ledger and shard", "The ledger is in one shard."))
    plain = ask(finder, PROMPT, mode, threshold=0.0)

    answer = ask(finder, PROMPT, mode, threshold=0.0, reranker=Failing(error))

    assert plain.hits
    assert (answer.hits, answer.verdict, answer.total) == (plain.hits, plain.verdict, plain.total)
    assert answer.not_reranked == f"hits are not reranked: {error}"
    assert plain.not_reranked == ""


@requirement("retrieval:rerank:gate")
@given(corpora(), texts, st.sampled_from(["cache", "queue", "token"]), st.none() | st.floats(0, 1))
def test_a_reranker_says_which_memory_a_prompt_gets_and_never_whether(
    documents: list[Document], text: str, word: str, threshold: float | None
) -> None:
    finder = corpus(*documents)
    plain = ask(finder, text, "auto", threshold=threshold)
    reranker = Preferring(word)

    answer = ask(finder, text, "auto", threshold=threshold, reranker=reranker)

    assert answer.verdict == plain.verdict
    assert len(answer.hits) == len(plain.hits), "nor how many"
    if plain.hits:
        assert plain.verdict is not None
        assert plain.verdict.best in [hit.document.id for hit in answer.hits], "it was judged"
    else:
        assert reranker.read == [], "nobody asks it about a prompt that gets nothing"


def test_a_prompt_can_get_a_memory_that_the_reranker_brought_among_the_first() -> None:
    documents = [
        doc(f"d{number}", "Ledger in a shard", f"ledger shard {number}") for number in range(4)
    ]
    finder = corpus(*documents, doc("e", "Ledger of a shard", "with a quota"))
    plain = ask(finder, PROMPT, "auto", threshold=0.0)

    answer = ask(finder, PROMPT, "auto", threshold=0.0, reranker=Preferring("quota"))

    assert "e" not in ids(plain)
    assert ids(answer)[0] == "e"
    assert ids(plain)[0] in ids(answer)


@requirement("retrieval:rerank:gate")
def test_a_memory_far_behind_the_best_is_not_brought_into_a_prompt() -> None:
    finder = corpus(*SHOP, doc("five", "Quota", "a shard"))
    reranker = Preferring("Quota")
    plain = ask(finder, PROMPT, "auto", threshold=0.0)
    found = ask(finder, PROMPT)

    answer = ask(finder, PROMPT, "auto", threshold=0.0, reranker=reranker)

    [behind] = [hit for hit in found.hits if hit.document.id == "mem:five"]
    assert behind.score < 0.5 * found.hits[0].score
    assert answer.hits
    assert sorted(ids(answer)) == sorted(ids(plain))


def test_a_request_in_several_parts_is_not_reranked() -> None:
    words = [f"{first}{second}" for first in ("lamp", "cup", "wool", "door") for second in WORDS]
    wishes = [f"Somebody looks after the {word} and the un{word}." for word in words]
    text = "\n".join([*wishes, "Keep the ledger in one shard.", "Name the shard after its quota."])
    reranker = Preferring("quota")
    finder = corpus(*SHOP)

    answer = ask(finder, text, reranker=reranker)

    assert answer.query.parts
    assert reranker.read == []
    assert answer.hits == ask(finder, text).hits


def test_only_the_best_are_read_and_of_each_only_the_beginning() -> None:
    documents = [doc(f"d{number:02}", "ledger", "ledger " * 500) for number in range(20)]
    reranker = Preferring("quota")

    answer = ask(corpus(*documents), "ledger", reranker=reranker)

    [(_, read)] = reranker.read
    assert len(read) == RERANKED < len(answer.hits)
    assert max(map(len, read)) == TEXT


@pytest.mark.parametrize("request_", [Request("ledger shard"), Request(PROMPT, mode="auto")])
def test_without_a_reranker_no_answer_has_anything_of_one(request_: Request) -> None:
    answer = corpus(*SHOP).find(request_).answer

    assert all("reranked" not in hit.explanation.as_json() for hit in answer.hits)
    assert answer.not_reranked == ""
