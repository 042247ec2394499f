"""Is the best hit worth interrupting for?"""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.retrieval.corpora import BagOfWords, corpora, corpus, doc, texts

from recollect.retrieval.gate import (
    ENOUGH,
    HYBRID,
    LEXICAL,
    PAIRS,
    WINDOW,
    Calibration,
    Signals,
    best_stretch,
    judge,
    probability,
)
from recollect.retrieval.index import Document
from recollect.retrieval.query import KEPT_WHOLE
from recollect.retrieval.request import Request
from recollect.values import replaced

UNIT = st.floats(0, 1)
SIGNALS = st.builds(Signals, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT)


def seen(text: str, *documents: Document) -> Signals:
    """What the gate sees of the best hit of these."""
    verdict = corpus(*documents).find(Request(text, mode="auto")).answer.verdict
    assert verdict is not None
    assert verdict.signals is not None
    return verdict.signals


def others(count: int) -> list[Document]:
    return [doc(f"other{number}", "Zebra stripes", "gnu herds wander") for number in range(count)]


@requirement("retrieval:gate:signals")
def test_a_hit_that_has_the_whole_query_is_covered_whole() -> None:
    found = seen("ledger shard quota", doc("a", "Ledger shard", "the quota"), *others(5))

    assert found.coverage == pytest.approx(1)
    assert found.together == pytest.approx(3 / ENOUGH)
    assert found.telling == pytest.approx(1)
    assert found.everyday == 0
    assert found.cosine is None


@requirement("retrieval:gate:signals")
def test_a_rarer_word_covers_more_of_the_query() -> None:
    """`ledger` is in one document, `zebra` in six."""
    rare = seen("ledger zebra quagga", doc("a", "Ledger"), *others(5))
    common = seen("zebra quagga", *others(6))

    assert 0 < common.coverage < 0.5 < rare.coverage + 0.2 < 1.2


@requirement("retrieval:gate:signals")
def test_words_that_follow_each_other_as_in_the_query_are_counted() -> None:
    together = seen("dead letter queue", doc("a", "x", "drain the dead letter queue"))
    apart = seen("dead letter queue", doc("a", "x", "letter of queue and then a dead"))

    assert together.phrase > apart.phrase


@requirement("retrieval:gate:signals")
def test_words_about_any_work_are_told_from_a_subject() -> None:
    work = seen("please run the tests again", doc("a", "Tests", "run the tests"), *others(5))
    subject = seen("ledger shard quota", doc("a", "Ledger shard", "the quota"), *others(5))

    assert work.everyday > 0.5 > subject.everyday
    assert work.telling < subject.telling


def test_few_that_stand_out_are_ahead_and_few_of_many_alike_are_not() -> None:
    alone = seen("ledger", doc("a", "Ledger"), *others(3))
    crowded = seen("ledger", *(doc(f"l{number}", "Ledger") for number in range(6)), *others(3))

    assert alone.ahead == 1
    assert crowded.ahead == pytest.approx(3 / 6)


def test_with_a_model_the_cosines_tell_who_is_ahead_too() -> None:
    documents = [doc(f"l{number}", "Ledger") for number in range(9)]
    near = [doc("a", "Ledger shard"), doc("b", "Ledger shard"), doc("c", "Ledger shard")]

    def ahead(*found: Document) -> float:
        request = Request("ledger shard", mode="auto", strategy="hybrid")
        verdict = corpus(*found, model=BagOfWords()).find(request).answer.verdict
        assert verdict is not None
        assert verdict.signals is not None
        return verdict.signals.ahead

    assert ahead(*near, *documents) > ahead(*documents) + 0.3


def test_words_far_apart_in_a_long_text_are_not_found_together() -> None:
    gap = "gnu " * 200

    near = seen("ledger shard", doc("a", "x", f"ledger shard {gap}"), *others(5))
    far = seen("ledger shard", doc("a", "x", f"ledger {gap} shard"), *others(5))

    assert far.coverage == pytest.approx(near.coverage / 2)


def test_with_a_model_the_cosine_of_the_best_counts() -> None:
    finder = corpus(doc("a", "Ledger shard"), doc("b", "Zebra"), model=BagOfWords())

    verdict = finder.find(Request("ledger shard", mode="auto", strategy="hybrid")).answer.verdict

    assert verdict is not None
    assert verdict.signals is not None
    assert verdict.signals.cosine == pytest.approx(1, abs=1e-3)
    assert verdict.threshold == HYBRID.threshold


@requirement("retrieval:gate:silent")
def test_nothing_found_is_nothing_worth_saying() -> None:
    assert not judge(None).passed
    assert not judge(None, threshold=0.0).passed
    answer = corpus(doc("a", "Ledger")).find(Request("unrelated zebra", mode="auto")).answer
    assert answer.hits == ()
    assert answer.verdict is not None
    assert not answer.verdict.passed
    assert corpus().find(Request("anything", mode="auto")).answer.hits == ()


@requirement("retrieval:gate:threshold")
@given(SIGNALS, UNIT)
def test_the_gate_opens_from_the_threshold_on(found: Signals, threshold: float) -> None:
    verdict = judge(found, threshold)

    assert verdict.passed == (verdict.probability >= threshold)
    assert judge(found).threshold == HYBRID.threshold
    assert judge(replaced(found, cosine=None)).threshold == LEXICAL.threshold


@pytest.mark.parametrize("used", [LEXICAL, HYBRID])
@pytest.mark.parametrize(
    "name", ["coverage", "together", "phrase", "telling", "named", "ahead", "cosine"]
)
@given(found=SIGNALS, one=UNIT, two=UNIT)
def test_more_of_the_query_found_never_makes_a_hit_less_probable(
    used: Calibration, name: str, found: Signals, one: float, two: float
) -> None:
    less, more = (probability(replaced(found, **{name: value}), used) for value in sorted([one, two]))

    assert 0 < less <= more < 1


SURE = Signals(1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, None)


@pytest.mark.parametrize(
    ("found", "passed"),
    [
        (SURE, True),
        (replaced(SURE, coverage=0.1, together=0.1, phrase=0.0, everyday=1.0), False),
        (replaced(SURE, telling=0.1, ahead=0.03), False),
        (replaced(SURE, cosine=0.9), True),
        (replaced(SURE, cosine=0.3, coverage=0.1, together=0.1, phrase=0.0), False),
        (replaced(SURE, cosine=0.9, telling=0.1, ahead=0.03), False),
    ],
    ids=["both", "not about it", "one of many", "both, near", "not near", "near, one of many"],
)
def test_the_gate_asks_whether_it_is_known_here_and_whether_it_is_given(
    found: Signals, passed: bool
) -> None:
    assert judge(found).passed == passed


QUEUE = doc("a", "Redis queue for exports", "exports wait in a redis queue, one worker drains it")


@requirement("retrieval:gate:near-misses")
@pytest.mark.parametrize(
    ("choosing", "mending"),
    [
        ("should the new redis exports share our queue", "the redis queue exports tooltip has a typo"),
        ("we want another worker for the redis queue", "wrong colour of the redis queue worker badge"),
        (
            "move exports from the redis queue or keep them",
            "bump redis, the exports queue prints a warning",
        ),
        (
            "where do i put the worker of the redis queue",
            "command that shows the redis queue in the console",
        ),
        ("drop the redis queue of the exports", "hide the redis queue in the toolbar"),
    ],
)
@pytest.mark.parametrize("used", [LEXICAL, HYBRID])
def test_who_chooses_needs_a_memory_rather_than_who_mends_a_detail(
    choosing: str, mending: str, used: Calibration
) -> None:
    """Both share the memory's words; all other signals are set equal."""
    evidence = replaced(SURE, cosine=0.6, telling=0.5)
    needs, details = (
        probability(replaced(evidence, choice=signals.choice, repair=signals.repair), used)
        for signals in (seen(text, QUEUE, *others(5)) for text in (choosing, mending))
    )

    assert needs > probability(evidence, used) > details


@requirement("retrieval:gate:near-misses")
def test_a_file_that_a_memory_is_about_is_wanted_for_any_work_on_it() -> None:
    about = replaced(QUEUE, files=("jobs/exports.py",))

    named = seen("fix the typo in jobs/exports.py", about, *others(5))

    assert (named.named, named.repair) == (1, 0)
    assert seen("fix the typo in the redis exports", about, *others(5)).repair > 0


def doubts(text: str, *documents: Document) -> Signals:
    request = Request(text, mode="auto", strategy="hybrid", threshold=0.0)
    verdict = corpus(*documents, model=BagOfWords()).find(request).answer.verdict
    assert verdict is not None
    assert verdict.signals is not None
    return verdict.signals


@requirement("retrieval:gate:doubt")
def test_a_hit_without_common_words_is_doubted_unless_the_model_is_sure() -> None:
    strange = doubts("quagga herd", QUEUE, *others(5))
    shared = doubts("redis queue for exports, one worker drains it", QUEUE, *others(5))

    assert strange.doubt > 0.5
    assert shared.doubt == 0
    assert seen("redis queue", QUEUE, *others(5)).doubt == 0, "without a model words decide alone"


@requirement("retrieval:gate:doubt")
@given(found=SIGNALS, one=UNIT, two=UNIT)
def test_doubt_never_makes_a_hit_more_probable(found: Signals, one: float, two: float) -> None:
    less, more = sorted([one, two])

    assert probability(replaced(found, doubt=more), HYBRID) <= probability(
        replaced(found, doubt=less), HYBRID
    )


@requirement("retrieval:gate:near-misses")
def test_words_of_other_languages_neither_open_nor_close_the_gate() -> None:
    signals = seen("очередь redis для экспорта", QUEUE, *others(5))

    assert (signals.choice, signals.repair) == (0, 0)


def noise(count: int) -> str:
    """Words that are no compounds and in no document."""
    return " ".join("qu" + "".join("abcdefghij"[int(digit)] for digit in str(n)) for n in range(count))


def test_the_length_of_a_prompt_is_what_it_says_until_it_is_not_looked_for_whole() -> None:
    memory = doc("a", "Redirect loop")

    lengths = [seen(f"redirect loop {noise(count)}", memory).length for count in (0, 30, 62, 500)]

    assert lengths == [2 / KEPT_WHOLE, 32 / KEPT_WHOLE, 1, 1]


@pytest.mark.parametrize("used", [LEXICAL, HYBRID])
@given(found=SIGNALS, one=UNIT, two=UNIT)
def test_the_same_evidence_proves_less_in_a_longer_prompt(
    used: Calibration, found: Signals, one: float, two: float
) -> None:
    longer, shorter = sorted([one, two], reverse=True)

    assert probability(replaced(found, length=longer), used) <= probability(
        replaced(found, length=shorter), used
    )


@requirement("retrieval:gate:signals")
def test_words_in_a_row_are_counted_in_a_prompt_that_is_too_long_to_be_looked_for_whole() -> None:
    """It is judged by its parts, whose terms still stand in the order in which they were said."""
    memory = doc("a", "x", "drain the dead letter queue")

    together = seen(f"{noise(90)}\nthe dead letter queue does not drain", memory, *others(5))
    apart = seen(f"{noise(90)}\nletter drain, queue dead", memory, *others(5))

    assert together.part == apart.part == 1
    assert together.phrase == pytest.approx(2 / PAIRS)
    assert apart.phrase == 0


@given(corpora(), texts)
def test_signals_have_a_scale(documents: list[Document], text: str) -> None:
    verdict = corpus(*documents).find(Request(text, mode="auto")).answer.verdict

    assert verdict is not None
    if (found := verdict.signals) is not None:
        assert 0 <= found.coverage <= 1 + 1e-9
        assert 0 <= found.together <= 1
        assert 0 <= found.phrase <= 1
        assert 0 <= found.telling <= 1
        assert 0 <= found.everyday <= 1
        assert 0 < found.ahead <= 1
        assert 0 < found.length <= 1


def brute(head: Sequence[str], body: Sequence[str], idf: Mapping[str, float]) -> dict[int, float]:
    """Of every stretch of the body, with the head: how many terms, and the most they weigh."""
    windows = [body[start : start + WINDOW] for start in range(max(len(body) - WINDOW + 1, 1))]
    found: dict[int, float] = {}
    for window in windows:
        terms = {stem for stem in (*head, *window) if stem in idf}
        found[len(terms)] = max(sum(idf[stem] for stem in terms), found.get(len(terms), 0.0))
    return found


@given(
    st.lists(st.sampled_from("abcdxyz"), max_size=4),
    st.lists(st.sampled_from("abcdxxxxyyyyzzzz"), max_size=200),
    st.dictionaries(st.sampled_from("abcd"), st.floats(0.1, 5), min_size=1),
)
def test_the_best_stretch_is_the_one_that_trying_all_finds(
    head: list[str], body: list[str], idf: dict[str, float]
) -> None:
    mass, found = best_stretch(head, body, idf)

    tried = brute(head, body, idf)
    assert mass == pytest.approx(max(tried.values()))
    assert tried[len(found)] == pytest.approx(mass)
    assert mass == pytest.approx(sum(idf[stem] for stem in found))
