"""A labelled set as something to search."""

from pathlib import Path

import pytest
from tests.bench.tiny import PETS, data_set, question, text, write_set
from tests.requirements import requirement

from recollect.bench.corpora import corpora, has_model, labelled, need_model
from recollect.bench.data_sets import DataSet, LabelledQuery, load
from recollect.errors import InvalidError, NotFoundError
from recollect.retrieval.request import Request
from recollect.retrieval.search import Hit
from recollect.values import replaced

LEXICAL = Request("", strategy="fts5_bm25")
DIARY = [text(f"2026-0{month}", f"the boiler was repaired, visit {month}") for month in (3, 1, 2)]


def hits(data: DataSet, asked: LabelledQuery) -> tuple[Hit, ...]:
    return corpora(data)[asked.group].find(asked, LEXICAL).answer.hits


def found(data: DataSet, asked: LabelledQuery) -> set[str]:
    return {str(hit.document.id) for hit in hits(data, asked)}


def test_a_question_is_put_to_the_documents_of_its_own_group() -> None:
    texts = [text("a", "an oak by the house", group="one"), text("b", "an oak far away", group="two")]
    asked = [question("q", "oak", "a", group="one"), question("r", "oak", "b", group="two")]
    data = data_set(texts, asked)

    assert [found(data, one) for one in asked] == [{"a"}, {"b"}]


@pytest.mark.parametrize(
    ("before", "seen"),
    [
        ("2026-01", set()),
        ("2026-02", {"2026-01"}),
        ("2026-02-15", {"2026-01", "2026-02"}),
        ("2027", {"2026-01", "2026-02", "2026-03"}),
    ],
)
def test_a_question_that_looks_back_sees_what_sorts_before_it(before: str, seen: set[str]) -> None:
    asked = question("q", "boiler", "2026-01", before=before)

    assert found(data_set(DIARY, [asked]), asked) == seen


def test_of_a_set_that_looks_back_the_newer_of_equals_comes_first() -> None:
    """Its documents are episodes in the order of their ids, whatever order the file has."""
    asked = question("q", "boiler repaired", "2026-01", before="2027")
    plain = question("q", "boiler repaired", "2026-01")

    assert [hit.document.id for hit in hits(data_set(DIARY, [asked]), asked)] == [
        "2026-03",
        "2026-02",
        "2026-01",
    ]
    assert [hit.document.id for hit in hits(data_set(DIARY, [plain]), plain)] == [
        "2026-01",
        "2026-02",
        "2026-03",
    ]


def test_a_title_that_the_text_does_not_repeat_names_a_thread() -> None:
    """What stands around a document is searched with it then, as in a conversation."""
    talk = [
        text("1", "shall we paint the fence", title="a walk"),
        text("2", "yes, green please", title="a walk"),
    ]
    alone = [text(one.id, f"{one.title} {one.text}", title="a walk") for one in talk]
    asked = question("q", "fence", "2")

    assert found(data_set(talk, [asked]), asked) == {"1", "2"}
    assert found(data_set(alone, [asked]), asked) == {"1"}


def test_a_title_that_is_a_path_says_which_file_a_text_is_about() -> None:
    texts = [
        text("file", "def sign(): ...", title="src/auth/login.py"),
        text("prose", "sign here", title="What src/auth/login.py does"),
    ]
    asked = question("q", 'File "/venv/auth/login.py", line 3', "file")

    channels = {
        str(hit.document.id): {part.channel for part in hit.explanation.fused.parts}
        for hit in hits(data_set(texts, [asked]), asked)
    }

    assert channels == {"file": {"files", "lexical"}, "prose": {"lexical"}}


def test_a_set_without_a_labelled_query_is_refused() -> None:
    with pytest.raises(InvalidError, match="'tiny' has no labelled query"):
        labelled(data_set([text("a", "oak")], [question("q", "oak")]))


def test_a_labelled_query_of_a_group_without_documents_is_refused_by_name() -> None:
    asked = question("lost", "oak", "a", group="nowhere")

    with pytest.raises(InvalidError, match="query 'lost' of 'tiny' searches the group 'nowhere'"):
        labelled(data_set([text("a", "oak")], [question("q", "oak", "a"), asked]))


def test_a_query_without_a_label_measures_nothing_and_may_be_of_any_group() -> None:
    known, stray = question("q", "oak", "a"), question("stray", "oak", group="nowhere")

    assert labelled(data_set([text("a", "oak")], [known, stray])) == [known]


def test_without_a_model_what_needs_one_is_refused_with_the_way_to_get_one() -> None:
    assert not has_model()
    with pytest.raises(NotFoundError, match=r"'hybrid' needs an .* `recollect model install`"):
        need_model("hybrid")


@pytest.mark.usefixtures("model")
def test_with_a_model_nothing_is_refused() -> None:
    assert has_model()
    need_model("hybrid")


@requirement("bench:sets:in-force")
def test_a_prompt_is_given_no_document_whose_label_says_that_it_is_not_in_force(
    tmp_path: Path,
) -> None:
    stale = {"id": "old", "text": "cats purr in the sun", "status": "Superseded", "in_force": False}
    data = load(write_set(tmp_path / "set", [*PETS, stale]))
    asked = data.questions[0]
    auto = replaced(LEXICAL, mode="auto", threshold=0.0)

    given = corpora(data)[""].find(asked, auto).answer.hits

    assert [str(hit.document.id) for hit in given] == ["cats"]
    assert "old" in found(data, asked)
