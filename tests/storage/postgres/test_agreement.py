"""Both engines rank alike: the same words, the same scores, whatever the script."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conformance.indexes import EmptyIndex, postgres, sqlite
from tests.postgres import share
from tests.requirements import requirement
from tests.retrieval.corpora import doc
from tests.soak import times

from recollect.retrieval.index import Document, Filters, Index
from recollect.storage.postgres.database import Database
from recollect.text.stemming import stems
from recollect.text.tokens import tokens

TEXTS = (
    "Sign a JWT at login; refresh tokens rotate. The login service signs, the login page does not sign.",
    "Die Größe der Warteschlange wird begrenzt, weil der Dienst sonst überläuft",
    "キューの大きさを制限する 決済サービス",
    "Ограничить размер очереди платёжного сервиса",
    "भुगतान सेवा की कतार का आकार",
    "user_id userId user-id HTTPServer2 v2.3.1 naïve café ﬁle ① ½ Ⅷ 🙂 a🙂b x̱y",
)
WORDS = st.sampled_from(
    [*(word for text in TEXTS for word in text.split()), "𝔘𝔫𝔦", "\ue000x", "ﷺ", "ǆ"]
)
SENTENCES = st.lists(WORDS, max_size=8).map(" ".join)
DOCUMENTS = st.lists(
    st.tuples(SENTENCES, SENTENCES, SENTENCES, st.sampled_from(["", "s"])), min_size=1, max_size=6
)


@pytest.fixture(scope="module", autouse=True)
def engine(postgres_database: Database) -> None:
    share(postgres_database)


def corpus(rows: list[tuple[str, str, str, str]]) -> list[Document]:
    return [
        doc(f"d{number}", title, body, tags=tags.split(), thread=thread, day=number)
        for number, (title, tags, body, thread) in enumerate(rows)
    ]


def ranking(index: Index, terms: list[str]) -> dict[str, float]:
    hits = index.by_words([(term, 1 + place % 2) for place, term in enumerate(terms)], Filters(), 50)
    facts = index.facts([key for key, _ in hits])
    return {facts[key].id: score for key, score in hits}


def pair_scores(index: Index, pairs: list[tuple[str, str]]) -> dict[str, float]:
    scores = index.by_pairs(pairs)
    facts = index.facts(list(scores))
    return {facts[key].id: score for key, score in scores.items()}


def check_agreement(embedded: EmptyIndex, team: EmptyIndex, documents: list[Document]) -> None:
    ours, theirs = embedded.filled(documents), team.filled(documents)
    terms = sorted({stem for each in documents for stem in stems(tokens(f"{each.title} {each.body}"))})
    pairs = [
        pair for each in documents for words in [stems(tokens(each.body))] for pair in pairwise(words)
    ]
    assert dict(ours.frequencies(terms)) == dict(theirs.frequencies(terms))
    for some in (terms[:1], terms[::3], terms):
        assert ranking(theirs, some) == pytest.approx(ranking(ours, some), abs=1e-6)
        assert list(ranking(theirs, some)) == list(ranking(ours, some))
    assert pair_scores(theirs, pairs[:5]) == pytest.approx(pair_scores(ours, pairs[:5]), abs=1e-6)


@settings(max_examples=times(20))
@given(rows=DOCUMENTS)
@requirement("team:postgres:agrees")
def test_scores_and_order_are_those_of_the_embedded_index(
    rows: list[tuple[str, str, str, str]],
) -> None:
    check_agreement(sqlite(), postgres(), corpus(rows))


def test_texts_in_many_scripts_score_alike() -> None:
    rows = [(text[:20], "tag", text, "") for text in TEXTS]

    check_agreement(sqlite(), postgres(), corpus(rows))
