"""The numbers behind a score add up."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.requirements import requirement
from tests.retrieval.corpora import BagOfWords, corpora, corpus, doc, texts

from recollect.ids import UnifiedId
from recollect.retrieval.boosts import Attention
from recollect.retrieval.fusion import FUSIONS
from recollect.retrieval.index import Document, Filters
from recollect.retrieval.request import Request
from recollect.retrieval.search import Settings, ranked
from recollect.values import replaced

STRATEGIES = ("fts5_bm25", "hybrid", "title_tags")


def recomputed(told: dict[str, Any]) -> float:
    """The score from nothing but the parts of an explanation."""
    total = 0.0
    for part in told["channels"]:
        assert part["share"] == pytest.approx(part["scaled"] * part["weight"], abs=1e-12)
        total += part["share"]
    fused = total * (1 + told["convergence"]) / told["scale"]
    assert told["fused"] == pytest.approx(fused, abs=1e-9)
    boost = min(told["boost"]["session"] + told["boost"]["causal"], 0.20)
    assert told["boost"]["total"] == pytest.approx(boost, abs=1e-12)
    return float(fused * (1 - told["faded"]) * (1 + boost) * (1 + told["authority"]))


@requirement("retrieval:explain:adds-up")
@given(
    documents=corpora(),
    text=texts,
    strategy=st.sampled_from(STRATEGIES),
    fusion=st.sampled_from(sorted(FUSIONS)),
    attended=st.dictionaries(st.integers(0, 5), st.floats(0, 1)),
    hops=st.dictionaries(st.integers(0, 5), st.integers(1, 3)),
    diverse=st.booleans(),
)
def test_the_parts_of_an_explanation_recompute_the_score(
    *,
    documents: list[Document],
    text: str,
    strategy: Any,
    fusion: str,
    attended: dict[int, float],
    hops: dict[int, int],
    diverse: bool,
) -> None:
    session = Attention(
        {UnifiedId(f"mem:d{number}"): value for number, value in attended.items()},
        {UnifiedId(f"mem:d{number}"): value for number, value in hops.items()},
    )
    finder = corpus(*documents, model=BagOfWords(), fusion=fusion, diverse=diverse)

    hits = finder.find(Request(f"{text} src/auth.py", strategy=strategy, attention=session)).answer.hits

    for hit in hits:
        told = hit.explanation.as_json()
        assert recomputed(told) == pytest.approx(told["score"], abs=1e-9)
        assert told["score"] == hit.score
        assert 0 <= hit.score <= 1


@requirement("retrieval:explain:bounded")
@pytest.mark.parametrize("fusion", sorted(FUSIONS))
def test_boosts_and_authority_keep_every_score_in_0_to_1_and_the_order_they_make(fusion: str) -> None:
    documents = [doc(f"d{number}", "session cookie") for number in range(3)]
    plain = Settings(fusion=fusion)
    attention = Attention({documents[2].id: 1.0}, {documents[1].id: 1})
    lifts = replaced(plain, attention=attention, authority={documents[1].id: 0.05})
    index = corpus(*documents).index.update()

    before = ranked("session cookie", index, Filters(), plain)[1]
    after = ranked("session cookie", index, Filters(), lifts)[1]

    assert [hit.fact.id for hit in before] == [document.id for document in documents]
    assert [hit.fact.id for hit in after] == [documents[2].id, documents[1].id, documents[0].id]
    first, second, third = (hit.score for hit in before)
    lifted = [third * 1.15, second * 1.05 * 1.05, first]
    assert [hit.score for hit in after] == pytest.approx([score / lifted[0] for score in lifted])
    assert max(hit.score for hit in after) <= 1


@requirement("retrieval:explain:adds-up")
@given(corpora(), texts, st.floats(0, 0.2))
def test_authority_is_part_of_the_sum(documents: list[Document], text: str, authority: float) -> None:
    index = corpus(*documents).index.update()
    settings = Settings(authority={document.id: authority for document in documents})

    _, found = ranked(text, index, Filters(), settings)

    for one in found:
        assert recomputed(one.explanation.as_json()) == pytest.approx(one.score, abs=1e-9)
        assert one.explanation.authority == authority
