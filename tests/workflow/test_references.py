"""References in arguments stand for values in outputs, and conditions compare them."""

import pytest

from recollect.errors import NotFoundError, RefusedError
from recollect.records.json_format import Json
from recollect.workflow.conditions import parse_condition
from recollect.workflow.references import read_from, references, resolved

OUTPUTS: dict[str, Json] = {
    "search": {"items": [{"id": 7, "name": "a b"}, {"id": 9, "name": "c"}], "total": 2, "next": None},
    "text": "hello",
}
read = read_from(OUTPUTS)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${search.items[0].id}", 7),
        ("${search.items[*].id}", [7, 9]),
        ("${search.items[-1]}", {"id": 9, "name": "c"}),
        ("${search.next}", None),
        ("${ text }", "hello"),
        ("${text}!", "hello!"),
        ("ids ${search.items[*].id} of ${search.total}", "ids [7, 9] of 2"),
        ("$${text} costs $5 {x}", "${text} costs $5 {x}"),
        ({"deep": ["${search.total}", 1]}, {"deep": [2, 1]}),
        (True, True),
    ],
)
def test_a_reference_alone_keeps_its_type_and_within_a_text_becomes_text(
    value: Json, expected: Json
) -> None:
    assert resolved(value, read) == expected


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("${search.item}", "there is no item at the top; its keys are items, total, next"),
        ("${search.items[5].id}", "a list of 2"),
        ("${nothing.x}", "no output of 'nothing'"),
    ],
)
def test_a_place_that_is_not_there_is_named_with_what_is(value: str, said: str) -> None:
    with pytest.raises(NotFoundError) as raised:
        resolved(value, read)

    assert said in str(raised.value)
    assert value[2:-1] in str(raised.value)


@pytest.mark.parametrize("text", ["${}", "${1a}", "${a b}", "${a.[}", "${a[x]}"])
def test_what_is_no_reference_is_refused(text: str) -> None:
    with pytest.raises(RefusedError):
        references(text)


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("${search.total} > 1", True),
        ("${search.total} >= 3", False),
        ("not ${search.total} == 2", False),
        ("${search.items}", True),
        ("not ${search.next}", True),
        ("${search.missing}", False),
        ("${search.missing} == null", True),
        ('${text} in ["hello", "x"]', True),
        ('${text} contains "ell"', True),
        ("${text} < 3", False),
        ('${text}=="hello"', True),
    ],
)
def test_conditions_compare_a_value_with_a_constant(condition: str, holds: bool) -> None:
    parsed = parse_condition(condition)

    assert parsed.holds(read) is holds
    assert parse_condition(str(parsed)) == parsed


@pytest.mark.parametrize("text", ["", "x > 1", "${a} ~ 1", "${a} == hello", "${a} > 1 and ${b}"])
def test_what_is_no_condition_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(RefusedError, match=r"tests\.failed|JSON value"):
        parse_condition(text)
