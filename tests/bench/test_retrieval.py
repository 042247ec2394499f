"""How well search finds, worked out by hand on three documents."""

from pathlib import Path

import pytest
from tests.bench.tiny import PETS_SET, data_set, question, text
from tests.requirements import requirement
from tests.storage.models.shared import reranker_model

from recollect.app.models import open_models
from recollect.bench.retrieval import NEED_MODEL, RERANKED, STRATEGIES, USUAL, measure
from recollect.errors import NotFoundError


def means(name: str) -> dict[str, float]:
    measures = measure(PETS_SET, [name])[name].measures
    return {measured: interval.mean for measured, interval in measures.items()}


def test_a_query_that_is_answered_and_one_that_is_not_make_a_half() -> None:
    assert means("lexical") == {"ndcg@10": 0.5, "recall@5": 0.5, "recall@10": 0.5, "mrr@10": 0.5}


def test_a_second_place_counts_less_and_a_missing_document_counts_nothing() -> None:
    texts = [text("best", "ink ink ink"), text("good", "ink and paper"), text("none", "glue")]
    data = data_set(texts, [question("q", "ink", "good", "none")])

    found = measure(data, ["lexical"])["lexical"].measures

    assert found["mrr@10"].mean == 0.5
    assert found["recall@10"].mean == 0.5
    assert found["ndcg@10"].mean == pytest.approx(0.6309 / 1.6309, abs=1e-4)


def test_only_labelled_queries_are_run() -> None:
    data = data_set(PETS_SET.texts, [*PETS_SET.questions, question("q3", "nobody knows")])

    assert measure(data, ["lexical"])["lexical"].measures["mrr@10"].mean == 0.5


def test_every_result_has_its_times() -> None:
    result = measure(PETS_SET, ["lexical"])["lexical"]

    assert 0 < result.p50_ms <= result.p95_ms


def test_progress_is_told_strategy_by_strategy() -> None:
    told: list[tuple[int, int]] = []

    measure(PETS_SET, ["lexical", "title_tags"], lambda done, total: told.append((done, total)))

    assert told == [(1, 2), (2, 2)]


def test_strategies_differ_in_what_they_read() -> None:
    """`purr` is in a text and in no title."""
    assert means("title_tags")["recall@10"] == 0.0


@pytest.mark.parametrize("name", ["hybrid", "hybrid-rank", "vector"])
def test_without_a_model_no_number_is_given_for_a_strategy_that_needs_one(name: str) -> None:
    with pytest.raises(NotFoundError, match=f"'{name}' needs an embedding model"):
        measure(PETS_SET, ["lexical", name])


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("name", sorted(NEED_MODEL - {RERANKED}))
def test_with_a_model_a_word_of_the_same_meaning_is_found(name: str) -> None:
    assert means(name) == {"ndcg@10": 1.0, "recall@5": 1.0, "recall@10": 1.0, "mrr@10": 1.0}


@pytest.mark.usefixtures("model")
def test_a_model_changes_nothing_for_words_alone() -> None:
    assert means("lexical")["recall@10"] == 0.5


@pytest.mark.usefixtures("model")
def test_every_document_has_its_vector_before_the_first_query() -> None:
    """A search embeds a few on its way, and answers without the rest: that must not be measured."""
    others = [text(f"{number:03}", f"note {number}") for number in range(200)]
    dogs = text("zz", "dogs")
    data = data_set([*others, dogs], [question("q", "puppies", "zz")])

    assert measure(data, ["vector"])["vector"].measures["mrr@10"].mean == 1.0


@pytest.mark.usefixtures("model")
def test_hybrid_joins_by_score_and_hybrid_rank_by_rank() -> None:
    texts = [
        text("0", "puppies dogs rope rope"),
        text("1", "cats puppies cats"),
        text("2", "puppies dogs"),
    ]
    data = data_set(texts, [question("q", "puppies cats", "0")])

    one, other = (measure(data, [name])[name] for name in ("hybrid", "hybrid-rank"))

    assert one.measures["mrr@10"] != other.measures["mrr@10"]


@requirement("retrieval:rerank:off")
@pytest.mark.usefixtures("model")
def test_a_reranker_counts_where_it_is_asked_for_and_nowhere_else(tmp_path: Path) -> None:
    texts = [text("0", "puppies dogs puppies"), text("1", "the puppies of the rope, and a rope")]
    data = data_set(texts, [question("q", "the puppies", "1")])
    plain = measure(data, ["hybrid"])["hybrid"].measures
    with pytest.raises(NotFoundError, match=r"'reranked' needs a reranker.*--role reranker"):
        measure(data, [RERANKED])

    open_models().install(role="reranker", folder=reranker_model(tmp_path / "pairs", ["the"]))
    both = measure(data, [RERANKED, "hybrid"])

    assert both["hybrid"].measures == plain
    assert (plain["mrr@10"].mean, both[RERANKED].measures["mrr@10"].mean) == (0.5, 1.0)


def test_every_usual_strategy_is_one() -> None:
    assert set(USUAL) | NEED_MODEL <= STRATEGIES.keys()
    assert set(USUAL) - NEED_MODEL == {"lexical"}
