"""The pipeline as a whole, over small corpora."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.retrieval.corpora import WORDS, BagOfWords, corpora, corpus, doc, texts

from recollect.app.finder import Finder
from recollect.ids import UnifiedId
from recollect.retrieval import query
from recollect.retrieval.boosts import Attention
from recollect.retrieval.index import Document, Filters, Index, Key
from recollect.retrieval.query import Query, Term
from recollect.retrieval.request import Request
from recollect.retrieval.search import (
    MOST_PAIRS,
    MOST_READ,
    Hit,
    Settings,
    Strategy,
    ranked,
)
from recollect.retrieval.search_terms import search_terms
from recollect.storage.sqlite import index_file
from recollect.storage.sqlite.index import SqliteIndex
from recollect.values import replaced


def ids(finder: Finder, text: str, **request: Any) -> list[str]:
    hits = finder.find(Request(text, **request)).answer.hits
    return [hit.document.id.removeprefix("mem:") for hit in hits]


def told(hits: tuple[Hit, ...]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(hit.document.id, hit.explanation.as_json()) for hit in hits]


@requirement("retrieval:lexical:fields")
def test_the_title_counts_more_than_tags_and_tags_more_than_text() -> None:
    finder = corpus(
        doc("body", "one two three", "ledger and more", tags=["four", "five"]),
        doc("tag", "one two three", "other and more", tags=["ledger", "five"]),
        doc("title", "one ledger three", "other and more", tags=["four", "five"]),
    )

    assert ids(finder, "ledger") == ["title", "tag", "body"]


@pytest.mark.parametrize("query", ["user_id", "userId", "user-id", "user.id", "user id", "USER ID"])
@pytest.mark.parametrize("text", ["the user_id column", "the userId field", "its user id", "user.id"])
def test_compounds_and_their_parts_find_each_other(query: str, text: str) -> None:
    assert ids(corpus(doc("a", "x", text), doc("b", "y", "nothing")), query) == ["a"]


@requirement("retrieval:lexical:stems")
def test_a_word_is_found_in_its_other_forms_and_by_its_start() -> None:
    finder = corpus(doc("a", "Retries of the deadlocked worker"))

    assert ids(finder, "retry") == ids(finder, "deadlocks") == ids(finder, "deadl") == ["a"]
    assert ids(finder, "de") == []


@requirement("retrieval:files:channel")
def test_a_file_that_is_named_or_touched_finds_what_is_about_it() -> None:
    finder = corpus(
        doc("exact", "One", files=("src/auth/login.py",)),
        doc("pattern", "Two", files=("src/auth/*.py",)),
        doc("name", "Three", files=("login.py",)),
        doc("other", "Four", files=("src/pay.py",)),
    )

    assert ids(finder, "src/auth/login.py is slow") == ["exact", "name", "pattern"]
    touched = Request("is slow", mode="auto", files=("src/pay.py",), threshold=0.0)
    assert [hit.document.id for hit in finder.find(touched).answer.hits] == ["mem:other"]


def test_a_file_deep_in_a_trace_meets_its_shorter_name_and_no_namesake_elsewhere() -> None:
    finder = corpus(
        doc("a", "One", files=("src/auth/__init__.py",)),
        doc("b", "Two", files=("src/pay/__init__.py",)),
        doc("c", "Three", files=("__init__.py",)),
    )

    hits = finder.find(Request('File "/venv/site-packages/auth/__init__.py", line 3')).answer.hits

    assert [(hit.document.id, hit.explanation.fused.parts[0].raw) for hit in hits] == [
        ("mem:a", 2.0),
        ("mem:c", 1.0),
    ]


def test_words_that_follow_each_other_as_in_the_query_lift_a_document_unless_a_model_reads_it() -> None:
    others = [doc(f"other{number}", "x", "quota shard") for number in range(5)]
    row, apart = doc("row", "x", "slow refund queue"), doc("apart", "x", "queue slow refund")
    finder = corpus(row, apart, *others, model=BagOfWords())

    def lead(text: str, strategy: Strategy) -> float:
        """Of the one that has `refund queue` over the other."""
        hits = finder.find(Request(text, strategy=strategy)).answer.hits
        words = {hit.document.id: hit.explanation.fused.parts[0].raw for hit in hits}
        return words[row.id] - words[apart.id]

    assert lead("refund queue", "fts5_bm25") > 0
    assert lead("why is the refund-queue broken", "fts5_bm25") > 0, (
        "the parts of a compound are in a row"
    )
    assert lead("queue slow", "fts5_bm25") < 0
    assert lead("refund of the queue", "fts5_bm25") == 0
    assert lead("refund queue", "hybrid") == 0


def test_of_many_pairs_the_rarest_lift() -> None:
    common = " ".join(WORDS)
    row, apart = doc("row", "x", "zebra gnu"), doc("apart", "x", "gnu zebra")
    others = [doc(f"other{number}", "x", common) for number in range(5)]
    finder = corpus(apart, row, *others, *(doc(f"empty{number}", "y") for number in range(20)))
    text = f"{common} {' '.join(reversed(WORDS))} zebra gnu"

    answer = finder.find(Request(text, strategy="fts5_bm25", limit=50)).answer

    assert len(answer.query.pairs) > MOST_PAIRS
    order = [hit.document.id for hit in answer.hits]
    assert order.index(row.id) < order.index(apart.id)


def test_a_piece_of_a_thread_is_found_by_its_neighbours_words() -> None:
    thread = [doc(f"t{number}", "x", f"piece {word}", day=number, thread="s") for number, word in
              enumerate(["ledger", "gap", "gap", "gap"])]  # fmt: skip

    found = ids(corpus(*thread, doc("alone", "x", "piece")), "ledger")

    assert found == ["t0", "t1", "t2"], "two neighbours on each side, and no further"


@pytest.mark.parametrize("silent", [{"status": "retired"}, {"source": "tool"}])
def test_a_neighbour_that_no_longer_holds_or_that_a_tool_wrote_lends_no_words(
    silent: dict[str, str],
) -> None:
    thread = [
        doc("one", "x", "piece ledger", day=0, thread="s", **silent),
        doc("two", "x", "piece gap", day=1, thread="s"),
    ]

    assert ids(corpus(*thread), "ledger", filters=Filters(only_trusted=True)) == []


@requirement("retrieval:ranking:ties")
def test_equals_are_ordered_by_priority_then_id() -> None:
    same = [
        doc("b", "Ledger", priority=2),
        doc("c", "Ledger", priority=1),
        doc("a", "Ledger", priority=2),
    ]

    for strategy in ("fts5_bm25", "hybrid", "title_tags"):
        for order in (same, same[::-1]):
            finder = corpus(*order, model=BagOfWords())
            assert ids(finder, "ledger", strategy=strategy) == ["c", "a", "b"]


@dataclass(frozen=True, slots=True)
class OneNear:
    """Vectors of which one alone is near."""

    near: Key
    model: str = "one"

    def nearest(
        self, text: str, index: Index, filters: Filters, limit: int, *, feedback: float = 0.0
    ) -> Sequence[tuple[Key, float]]:
        return [(self.near, 0.9)]


@requirement("retrieval:ranking:ties")
def test_equals_of_different_channels_are_ordered_by_priority_too() -> None:
    index = corpus(doc("word", "Ledger", priority=2), doc("near", "Quota", priority=1)).index.update()
    (near,) = (key for key, title, _ in index.titles(Filters()) if title == "Quota")

    _, found = ranked("ledger", index, Filters(), Settings("hybrid", "rank", OneNear(near)))

    assert found[0].score == found[1].score
    assert [one.fact.id for one in found] == ["mem:near", "mem:word"]


@requirement("retrieval:ranking:ties")
def test_equals_beyond_what_a_channel_gives_are_cut_by_priority_and_id_too() -> None:
    same = [doc(f"{number:04}", "Ledger") for number in range(700)]

    for strategy in ("fts5_bm25", "hybrid"):
        found = corpus(*same[::-1], model=BagOfWords()).find(
            Request("ledger", strategy=strategy, limit=5)
        )
        assert [hit.document.path for hit in found.answer.hits] == [f"{n:04}" for n in range(5)]


@given(corpora(), texts, st.randoms(), st.sampled_from(["fts5_bm25", "hybrid", "title_tags"]))
def test_the_order_in_which_documents_came_changes_no_bit(
    documents: list[Document], text: str, chance: Any, strategy: Any
) -> None:
    shuffled = documents[:]
    chance.shuffle(shuffled)
    request = Request(f"{text} a.md src/x.ts", strategy=strategy, limit=50)

    one, other = (
        corpus(*some, model=BagOfWords()).find(request).answer for some in (documents, shuffled)
    )

    assert told(one.hits) == told(other.hits)


@requirement("retrieval:boosts:off")
@given(corpora(), texts)
def test_no_attention_is_the_baseline_to_the_bit(documents: list[Document], text: str) -> None:
    finder = corpus(*documents)
    request = Request(text, limit=50)

    plain = finder.find(request).answer.hits
    empty = finder.find(replaced(request, attention=Attention({}, {}))).answer.hits

    assert told(plain) == told(empty)


@given(corpora(), texts)
def test_a_boost_lifts_a_score_by_a_fifth_at_most(documents: list[Document], text: str) -> None:
    finder = corpus(*documents)
    everything = Attention({one.id: 1.0 for one in documents}, {one.id: 1 for one in documents})

    plain = {hit.document.id: hit.score for hit in finder.find(Request(text, limit=50)).answer.hits}
    boosted = finder.find(Request(text, limit=50, attention=everything)).answer.hits

    assert {hit.document.id for hit in boosted} == plain.keys(), "a boost finds nothing by itself"
    lifted = {id: score * 1.2 for id, score in plain.items()}
    best = max(lifted.values(), default=1.0)
    for hit in boosted:
        assert hit.explanation.boost.total == pytest.approx(0.2)
        assert hit.score == pytest.approx(lifted[hit.document.id] / max(best, 1.0))


def test_attention_breaks_a_tie() -> None:
    finder = corpus(doc("a", "Ledger"), doc("b", "Ledger"))

    assert ids(finder, "ledger") == ["a", "b"]
    assert ids(finder, "ledger", attention=Attention({UnifiedId("mem:b"): 0.1}, {})) == ["b", "a"]


@requirement("retrieval:episodes:fade")
def test_of_equal_episodes_the_newer_comes_first_and_other_memories_do_not_age() -> None:
    finder = corpus(
        *(doc(f"s{day}", "Ledger", day=day, category="session_summary") for day in (1, 3, 2)),
        doc("old", "Ledger", category="decision"),
    )

    hits = finder.find(Request("ledger")).answer.hits

    assert [hit.document.path for hit in hits] == ["old", "s3", "s2", "s1"]
    assert [round(hit.explanation.faded, 2) for hit in hits][:2] == [0.0, 0.0]
    assert hits[-1].explanation.faded > hits[-2].explanation.faded > 0


def test_pages_follow_one_another_without_gap_or_repetition() -> None:
    finder = corpus(*(doc(f"{n:02}", "Ledger " + "x " * n) for n in range(25)))

    pages = [ids(finder, "ledger", limit=10, offset=offset) for offset in (0, 10, 20)]

    assert [*chain(*pages)] == ids(finder, "ledger", limit=25)
    assert [len(page) for page in pages] == [10, 10, 5]
    assert finder.find(Request("ledger")).answer.total == 25


@requirement("retrieval:diversity:repeats-less")
def test_diversity_reorders_the_page_and_loses_nothing() -> None:
    rows = [
        *(doc(f"same{n}", "Ledger", "retry the queue of the worker") for n in range(4)),
        doc("other", "Ledger", "a quota for each replica and region"),
    ]

    plain, diverse = (ids(corpus(*rows, diverse=flag), "ledger") for flag in (False, True))

    assert plain[-1] == "other"
    assert diverse[1] == "other"
    assert sorted(diverse) == sorted(plain)


def test_a_channel_can_be_left_out() -> None:
    finder = corpus(doc("word", "Auth", "auth"), doc("file", "One", files=("auth.py",)))

    assert sorted(ids(finder, "auth.py")) == ["file", "word"]
    assert ids(finder, "auth.py", channels=frozenset({"files"})) == ["file"]
    assert ids(finder, "auth.py", channels=frozenset({"lexical"})) == ["word"]


@requirement("retrieval:hybrid:meaning")
def test_hybrid_finds_what_shares_no_word_with_the_index_terms_of_the_query() -> None:
    """The stand-in knows no meaning; that a document without the words is ranked at all shows the way."""
    finder = corpus(doc("a", "Ledger"), doc("b", "Quota"), model=BagOfWords())

    assert ids(finder, "ledger", strategy="fts5_bm25") == ["a"]
    assert ids(finder, "ledger", strategy="hybrid") == ["a", "b"]
    assert ids(finder, "  ", strategy="hybrid") == []
    assert ids(finder, "ledger", strategy="hybrid", filters=Filters(categories=frozenset({"x"}))) == []


def test_a_prompt_ranks_no_more_documents_than_it_can_wait_for() -> None:
    """The commonest words are left out first, and one that is known always stays."""
    terms = [Term("rare", 1, 9.0, 2), Term("common", 1, 0.1, 6_000), Term("unknown", 1, 12.0, 0)]
    index = SqliteIndex(index_file.memory())

    def asked(terms: list[Term], most: int | None) -> list[str]:
        return [stem for stem, _ in search_terms(Query("", tuple(terms), 3), index, most)]

    assert asked(terms, None) == ["rare", "common"]
    assert asked(terms, 6_002) == ["rare", "common"]
    assert asked(terms, 6_001) == ["rare"]
    assert asked([terms[1]], 5_000) == ["common"]


def test_words_that_an_unknown_one_stands_for_count_as_documents_too() -> None:
    """The index is asked for the commonest of them."""
    finder = corpus(doc("a", "Ledger"), *(doc(f"b{number}", "Quotation") for number in range(9)))
    index = finder.index.update()
    asked = query.parse("ledger quota", index.frequencies, index.size)

    assert [stem for stem, _ in search_terms(asked, index, 10)] == ["ledger", "quotat"]
    assert [stem for stem, _ in search_terms(asked, index, 9)] == ["ledger"]
    twice = query.parse("quota quotation", index.frequencies, index.size)
    assert search_terms(twice, index) == [("quotat", 1)]


@requirement("retrieval:query:everyday-words-are-complete")
def test_an_everyday_word_is_no_beginning_of_another_beside_known_words() -> None:
    """`stopped` is no `stopgap`, and `insted` finds no memory that merely contains `instead`."""
    finder = corpus(doc("a", "Ledger"), doc("b", "Stopgap", "use a quota instead"), doc("c", "Time"))
    index = finder.index.update()

    def asked(text: str) -> list[str]:
        parsed = query.parse(text, index.frequencies, index.size)
        return [stem for stem, _ in search_terms(parsed, index)]

    assert asked("the ledger stopped") == ["ledger"]
    assert asked("ledger insted") == ["ledger"]
    assert asked("ledger quot") == ["ledger", "quota"]
    assert asked("stopped") == ["stopgap"], "without any known word it is the best there is"


@requirement("retrieval:query:parts")
def test_each_topic_of_a_long_request_finds_its_document() -> None:
    """Documents with a word of many lines are about none of them."""
    letters = "bcdfghkmnp"
    lines = [
        " ".join(f"{first}o{second}u{letters[word]}" for word in range(6))
        for first in "bd"
        for second in letters
    ]
    topics = [doc(f"topic{line}", "Topic", lines[line]) for line in (3, 11)]
    mixed = [
        doc(f"mixed{word}", "Mixed", " ".join(line.split()[word] for line in lines[word::2]))
        for word in range(6)
    ]
    others = [doc(f"other{number}", "Zebra", "gnu herds wander") for number in range(20)]

    assert set(ids(corpus(*topics, *mixed, *others), "\n".join(lines))[:2]) == {"topic3", "topic11"}


def test_of_a_long_prompt_the_model_reads_the_start_of_its_prose_and_of_a_search_all() -> None:
    model = BagOfWords()
    finder = corpus(doc("a", "Ledger"), model=model)
    code = "```\n" + "retry(ledger)\n" * 200 + "```\n"
    long = f"Why is the ledger slow?\n{code}It was fast before. " + "And then? " * MOST_READ

    def read(request: Request) -> str:
        finder.find(request)
        return model.asked[-1]

    prompt = Request(long, mode="auto", strategy="hybrid")
    assert read(prompt) == long.replace(code, "")[:MOST_READ]
    assert read(replaced(prompt, text=code * 2)) == (code * 2)[:MOST_READ], (
        "code is better than nothing"
    )
    short = "Why is the ledger slow?\n    retry(ledger)"
    assert read(replaced(prompt, text=short)) == short
    assert read(Request(long, strategy="hybrid")) == long


def test_a_prompt_leans_towards_meaning_where_a_search_weighs_words_the_same() -> None:
    finder = corpus(doc("a", "Ledger"), doc("b", "Quota"), model=BagOfWords())

    def weight(request: Request) -> float:
        parts = finder.find(request).answer.hits[0].explanation.fused.parts
        of = {part.channel: part.weight for part in parts}
        return of["vector"] / of["lexical"]

    assert weight(Request("ledger", strategy="hybrid")) == 1
    assert weight(Request("ledger", mode="auto", strategy="hybrid", threshold=0.0)) == 1.5
