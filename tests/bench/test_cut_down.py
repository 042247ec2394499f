"""A labelled set cut down to few documents."""

from recollect.bench.cut_down import cut_down
from recollect.bench.data_sets import DataSet, LabelledQuery, LabelledText

TEXTS = tuple(LabelledText(f"d{number}", "g", "", f"text {number}") for number in range(30))
ASKED = tuple(LabelledQuery(f"q{number}", "g", "?", None, {f"d{number}": 1}) for number in range(12))
NEAR_MISS = LabelledQuery("n", "g", "?", None, {}, "near_miss")


def test_each_question_searches_few_documents_with_an_answer_among_them() -> None:
    cut = cut_down(DataSet("set", TEXTS, (*ASKED, NEAR_MISS), timed=False), 5)

    groups = {question.group for question in cut.questions}
    ids = {group: {text.id for text in cut.texts if text.group == group} for group in groups}
    assert all(len(some) == 5 for some in ids.values())
    for question in cut.questions:
        assert question.id == "n" or question.grades.keys() & ids[question.group]
    assert sorted(question.id for question in cut.questions) == sorted(
        question.id for question in (*ASKED, NEAR_MISS)
    )


def test_it_is_the_same_each_time() -> None:
    data = DataSet("set", TEXTS, ASKED, timed=False)

    assert cut_down(data, 10) == cut_down(data, 10) != cut_down(data, 10, seed=2)
