from itertools import combinations

import pytest
from tests.records.near_pairs import NEAR, Said
from tests.records.related_pairs import RELATED
from tests.requirements import requirement
from tests.samples import CONTENT, document

from recollect.records.categories import Category
from recollect.records.duplicates import SKETCH_SIZE, Likeness, Sketch, find_duplicate, jaccard, sketch
from recollect.records.record import Memory


def said(words: Said, id: str = "a") -> Sketch:
    title, context, decision, reason = words
    content = {"status": "accepted", "context": context, "decision": decision, "rationale": [reason]}
    return sketch(Memory.parse(document(id=id, title=title, content=content)))


def titled(title: str, id: str, decision: str) -> Sketch:
    return said((title, "Somebody asked.", decision, "It works."), id)


@requirement("records:duplicates:exact")
def test_the_same_text_is_an_exact_duplicate_whatever_its_case_and_punctuation() -> None:
    words = ("Sign a JWT", "The API must scale.", "Sign a JWT at login.", "No store.")
    again = ("SIGN a jwt!", "the api must scale", "Sign a JWT, at login;", "No store...")

    assert find_duplicate(said(again, "new"), [said(words, "old")]) == Likeness("old", 1.0, exact=True)  # type: ignore[arg-type]


@requirement("records:duplicates:near")
@pytest.mark.parametrize("pair", NEAR, ids=lambda pair: pair[0][0])
def test_the_same_thing_in_slightly_other_words_is_a_near_duplicate(pair: tuple[Said, Said]) -> None:
    found = find_duplicate(said(pair[1], "new"), [said(pair[0], "old")])

    assert found is not None
    assert found.similarity >= 0.55


@requirement("records:duplicates:related-differ")
@pytest.mark.parametrize("pair", RELATED, ids=lambda pair: f"{pair[0][0]} / {pair[1][0]}")
def test_a_related_subject_or_another_number_or_name_is_no_duplicate(pair: tuple[Said, Said]) -> None:
    assert find_duplicate(said(pair[1], "new"), [said(pair[0], "old")]) is None


def test_none_of_the_pairs_is_taken_for_another() -> None:
    """Forty subjects of one product: nothing but the pairs themselves is alike."""
    subjects = [pair[0] for pair in NEAR] + [words for pair in RELATED for words in pair]
    different = {words[0]: said(words) for words in subjects}

    alike = [
        (one.title, two.title)
        for one, two in combinations(different.values(), 2)
        if find_duplicate(one, [two]) is not None
    ]

    assert alike == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Orders may be cancelled", "Invoices may be cancelled"),
        ("Alice takes road 0", "Bob takes road 0"),
        ("Worker a wrote memory 3", "Worker b wrote memory 3"),
        ("Memory 0 of process 1", "Memory 1 of process 0"),
    ],
)
def test_the_same_sentence_about_another_subject_is_no_duplicate(one: str, other: str) -> None:
    assert find_duplicate(titled(one, "new", f"{one}."), [titled(other, "old", f"{other}.")]) is None


def test_two_hundred_memories_that_differ_in_a_number_are_two_hundred_facts() -> None:
    made = [
        titled(
            f"Service {n} listens on its own port", f"s{n}", f"Service {n} listens on port {8000 + n}."
        )
        for n in range(200)
    ]

    assert [find_duplicate(new, made[:index]) for index, new in enumerate(made)] == [None] * 200


def test_the_case_of_an_acronym_is_no_difference_in_fact() -> None:
    old = titled("Sign a JWT at login", "old", "Sign a JWT at login and check it on every request.")
    new = titled("Sign a jwt at login", "new", "Sign a jwt at login and check it on each request.")

    assert find_duplicate(new, [old]) is not None


def test_the_same_title_is_offered_even_when_the_text_is_another() -> None:
    old = titled("Sign a JWT at login", "old", "Cookies are too hard to scale.")
    new = titled("Sign a JWT at login!", "new", "Every request carries proof of who sent it.")

    found = find_duplicate(new, [old])

    assert found is not None
    assert not found.exact


def test_titles_without_a_word_in_them_are_not_the_same_title() -> None:
    assert (
        find_duplicate(titled("???", "new", "Use tabs."), [titled("!!!", "old", "Sort imports.")])
        is None
    )


def test_another_category_is_never_a_duplicate() -> None:
    content = CONTENT[Category.DECISION] | CONTENT[Category.RUNBOOK]
    one = sketch(Memory.parse(document(Category.DECISION, title="Same", content=content)))
    two = sketch(Memory.parse(document(Category.RUNBOOK, title="Same", content=content)))

    assert find_duplicate(one, [two]) is None


def test_the_likest_of_several_is_found_and_equals_are_told_apart_by_id() -> None:
    new = said(NEAR[0][0], "new")
    near, further = said(NEAR[0][1], "b"), said((NEAR[0][0][0], "Else.", "Another.", "Why."), "z")
    twin = said(NEAR[0][1], "a")

    best = find_duplicate(new, [further, near, twin])

    assert best is not None
    assert best.id == "a"


def test_the_estimate_for_long_texts_is_near_the_truth() -> None:
    """A text past the size of a sketch: half of 2,000 words replaced leaves a third in common."""
    words = [f"word{n}x" for n in range(3000)]
    one = titled("Long", "a", " ".join(words[:2000]))
    two = titled("Long", "b", " ".join(words[1000:]))

    assert len(one.hashes) == SKETCH_SIZE
    assert jaccard(one, two) == pytest.approx(1 / 3, abs=0.15)
    assert jaccard(one, one) == 1.0


def test_nothing_is_like_an_empty_shelf() -> None:
    assert find_duplicate(said(NEAR[0][0]), []) is None
