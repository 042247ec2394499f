"""The linked set: is it what it says, and does measuring it mean something?"""

import pytest
from tests.requirements import requirement

from recollect.app.opening import open_corpus
from recollect.bench import linked_project
from recollect.bench.linked_project import (
    KINDS,
    documents,
    measure,
    memories,
    questions,
    searching,
    with_rank,
)
from recollect.graph.causal import edges_of
from recollect.ids import UnifiedId
from recollect.retrieval import query
from recollect.text.stemming import stems
from recollect.text.tokens import tokens

EDGES = edges_of(memories())
NEAR = {(one, other) for edge in EDGES for one, other in ((edge[0], edge[2]), (edge[2], edge[0]))}


@pytest.mark.parametrize("question", questions(), ids=lambda question: str(question.id))
def test_an_answer_that_links_lead_to_shares_no_word_with_its_question(
    question: linked_project.LinkedQuestion,
) -> None:
    index = open_corpus(documents()).index.reader()
    texts = {one.id: one for one in documents()}
    parsed = query.parse(question.text, index.frequencies, index.size)
    asked = {term.stem for term in parsed.terms}

    for answer in question.answer:
        one = texts[answer]
        told = set(stems(tokens(f"{one.title} {' '.join(one.tags)} {one.body}")))
        assert bool(asked & told) is (question.kind == "direct"), asked & told


def test_links_lead_from_the_context_to_the_answer_in_as_many_hops_as_the_kind_says() -> None:
    for question in questions():
        assert question.kind in KINDS
        for start in question.context:
            one = {there for here, there in NEAR if here == start}
            two = {there for here, there in NEAR if here in one}
            reached = two - one if question.kind == "two_hops" else one
            assert question.answer <= reached, question.id


def test_a_ranking_of_the_best_is_perfect_and_an_empty_one_is_nothing() -> None:
    best = {question.text: question for question in questions()}

    def ideal(text: str) -> list[UnifiedId]:
        question = best[text]
        return [*sorted(question.answer), *sorted(question.context)]

    assert {quality["ndcg"] for quality in measure(ideal).values()} == {1.0}
    assert {quality["recall"] for quality in measure(lambda _: []).values()} == {0.0}


def test_words_alone_answer_direct_questions_and_hardly_any_that_need_a_link() -> None:
    found = measure(searching("fts5_bm25", graph=False))

    assert found["direct"]["recall"] == 1.0
    assert found["one_hop"]["recall"] < 0.2


@requirement("graph:bench:links-help")
def test_links_find_what_words_miss_and_drown_no_plain_answer() -> None:
    plain, joined = (measure(searching("fts5_bm25", graph=graph)) for graph in (False, True))

    assert joined["one_hop"]["ndcg"] > plain["one_hop"]["ndcg"] + 0.3
    assert joined["successor"]["recall"] == 1.0
    assert joined["direct"] == plain["direct"]


def test_rank_from_the_hits_finds_them_too() -> None:
    assert measure(with_rank("fts5_bm25"))["one_hop"]["recall"] > 0.9
