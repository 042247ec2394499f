"""A sentence becomes a record: the right category, and no word of anybody else's."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.sentence.rule_sentences import HELD_OUT, TUNED
from tests.requirements import requirement
from tests.samples import NOW

from recollect.errors import RefusedError
from recollect.records.categories import SHAPES, Category
from recollect.records.draft import Draft
from recollect.records.fields import Choice
from recollect.records.json_format import Json
from recollect.records.sentence.derivation import MOST_CHARACTERS, NOT_STATED, Derived, derive

CATEGORIES = [category for category in Category if category is not Category.SESSION_SUMMARY]
SENTENCES = [sentence for sentence, _ in (*TUNED, *HELD_OUT)]


@requirement("records:sentence:category")
@pytest.mark.parametrize("rules", [TUNED, HELD_OUT], ids=["tuned", "held out"])
def test_four_in_five_rules_get_the_category_that_a_careful_reader_chooses(
    rules: tuple[tuple[str, Category], ...],
) -> None:
    right = [sentence for sentence, category in rules if derive(sentence).category is category]

    assert len(right) >= 0.8 * len(rules)


def texts(value: Json) -> Iterator[str]:
    """Every text in a value."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from texts(item)
        case dict():
            for item in value.values():
                yield from texts(item)


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.lower()))


def choices(category: Category) -> set[str]:
    kinds = (field.kind for field in SHAPES[category].fields)
    return {
        word
        for kind in kinds
        if isinstance(kind, Choice)
        for value in kind.values
        for word in words(value)
    }


def invented(derived: Derived) -> set[str]:
    """Words of a record that neither its sentence nor a declared default has."""
    allowed = words(derived.sentence) | words(NOT_STATED) | choices(derived.category)
    allowed |= words(derived.category.value)
    return {word for text in texts(derived.document) for word in words(text)} - allowed


@requirement("records:sentence:nothing-invented")
@pytest.mark.parametrize("category", [None, *CATEGORIES])
def test_every_word_of_every_field_is_the_sentences_own_or_a_stated_default(
    category: Category | None,
) -> None:
    assert [sentence for sentence in SENTENCES if invented(derive(sentence, category))] == []


@given(
    st.lists(st.sampled_from(" ".join(SENTENCES).split()), min_size=1, max_size=40),
    st.sampled_from(CATEGORIES),
)
def test_words_in_any_order_make_a_valid_record_with_nothing_invented(
    some: list[str], category: Category
) -> None:
    derived = derive(" ".join(some) + " rule", category)

    assert invented(derived) == set()
    assert (
        Draft(derived.document).as_memory(Draft(derived.document).proposed_id(), NOW).category
        is category
    )


@given(st.text(max_size=200))
def test_any_text_is_derived_or_refused(text: str) -> None:
    try:
        derived = derive(text)
    except RefusedError:
        assert not any(letter.isalnum() for letter in text)
    else:
        assert invented(derived) == set()


def test_a_reason_goes_where_the_category_has_a_place_for_it() -> None:
    rule = derive("We deploy on Tuesdays only, because support is thin on Fridays")
    choice = derive("We chose PostgreSQL over MySQL because we need partial indexes.")
    habit = derive("Use early returns to avoid deep nesting.")

    assert rule.document["title"] == "We deploy on Tuesdays only"
    assert rule.document["content"]["rule"] == rule.sentence  # type: ignore[index,call-overload]
    assert choice.document["content"]["rationale"] == ["we need partial indexes"]  # type: ignore[index,call-overload]
    assert choice.document["content"]["alternatives"] == [  # type: ignore[index,call-overload]
        {"option": "MySQL", "rejected_reason": NOT_STATED}
    ]
    assert habit.document["content"]["reason"] == "to avoid deep nesting"  # type: ignore[index,call-overload]


def test_a_runbook_has_its_trigger_and_its_steps_in_order() -> None:
    derived = derive(
        "When a job is stuck, check `pg_locks`, end the blocking session, then run it again."
    )

    assert derived.document["content"] == {
        "trigger": "a job is stuck",
        "steps": ["check `pg_locks`", "end the blocking session", "run it again"],
        "verification": NOT_STATED,
    }


def test_what_a_sentence_does_not_answer_is_said_to_be_not_stated() -> None:
    content = derive("Use tabs.").document["content"]

    assert content == {
        "topic": "tabs",
        "value": "Use tabs",
        "reason": NOT_STATED,
        "strength": "default",
    }


def test_files_that_are_named_in_code_are_related_files() -> None:
    derived = derive(
        "Never edit `src/generated/` or `schema.sql` by hand, see https://example.org/a/b."
    )

    assert derived.document["related_files"] == ["src/generated/", "schema.sql"]


def test_a_lead_such_as_remember_that_is_left_out() -> None:
    assert derive("Remember that we use tabs").document["title"] == "We use tabs"


def test_a_chosen_category_gets_its_own_fields() -> None:
    derived = derive("Use tabs.", Category.CONSTRAINT)

    assert derived.category is Category.CONSTRAINT
    assert derived.signals == ()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "write one sentence"),
        (" ?! ", "write one sentence"),
        ("word " * MOST_CHARACTERS, "`recollect save` takes longer texts"),
    ],
)
def test_what_is_no_sentence_is_refused_with_advice(text: str, hint: str) -> None:
    with pytest.raises(RefusedError, match=hint):
        derive(text)


def test_one_sentence_is_no_session_summary() -> None:
    with pytest.raises(RefusedError, match="session summary"):
        derive("We got the tests to pass.", Category.SESSION_SUMMARY)
