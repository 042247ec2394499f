import copy
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.records.test_record import OLD_DECISION, OLD_PREFERENCE
from tests.requirements import requirement
from tests.samples import document

from recollect.errors import InvalidMemoryError
from recollect.records.categories import SHAPES, Category
from recollect.records.json_format import JsonObject, parse
from recollect.records.record import FIELDS, Memory
from recollect.records.schema import schema

VALIDATOR = jsonschema.Draft202012Validator(schema())
# What only the checks can say is not drawn here: dates out of the calendar, targets, spans; nor a
# whole number written as 1.0, which JSON Schema calls an integer.
JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    0.5,
    7,
    "",
    " ",
    "word",
    "2026-11-15",
    "1.0",
    "2.0",
    [],
    [""],
    [None],
    {},
]
JUNK += [["word"], {"a": 1}, [{"a": 1}], "x" * 121, ["word"] * 51, ["accepted"], "accepted", "user"]


def accepted(found: JsonObject) -> bool:
    try:
        Memory.parse(found)
    except InvalidMemoryError:
        return False
    return True


def whole(category: Category) -> JsonObject:
    return document(
        category,
        confidence=0.5,
        related_files=["a.py"],
        changes=[{"date": "2026-11-15", "summary": "s"}],
        times_updated=1,
        links=[{"type": "caused", "target": "mem:x"}],
        anchors=[{"path": "a.py", "digest": "d"}],
        source={"kind": "user"},
        valid_from="2026-11-15",
    )


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("category", Category)
def test_every_sample_is_valid(category: Category) -> None:
    VALIDATOR.validate(document(category))
    VALIDATOR.validate(whole(category))


@pytest.mark.parametrize("data", [OLD_DECISION, OLD_PREFERENCE])
def test_files_of_the_old_format_are_valid(data: bytes) -> None:
    VALIDATOR.validate(parse(data, "x"))


def test_a_preference_needs_a_reason_from_1_1_on() -> None:
    newer = parse(OLD_PREFERENCE, "x") | {"schema_version": "1.1"}

    assert not VALIDATOR.is_valid(newer)
    assert not accepted(newer)


@st.composite
def mutated(draw: st.DrawFn) -> JsonObject:
    """A whole memory with some fields, at the top, in rows or in the content, replaced or removed."""
    category = draw(st.sampled_from(Category))
    found: Any = copy.deepcopy(whole(category))
    found["schema_version"] = draw(st.sampled_from(["1.0", "1.1"]))
    tops = [field.name for field in FIELDS]
    inner = [field.name for field in SHAPES[category].fields]
    places = [(found, tops), (found["content"], inner)]
    places += [(found["changes"][0], ["date", "summary"]), (found["source"], ["kind", "session"])]
    places += [(found["links"][0], ["type", "evidence"]), (found["anchors"][0], ["path", "digest"])]
    for _ in range(draw(st.integers(1, 3))):
        place, names = draw(st.sampled_from(places))
        name = draw(st.sampled_from(names))
        if draw(st.booleans()):
            place[name] = draw(st.sampled_from(JUNK))
        else:
            place.pop(name, None)
    return dict(found)


@requirement("records:schema:agrees-with-checks")
@given(mutated())
def test_the_schema_and_the_checks_agree_on_documents_that_were_changed(
    found: JsonObject,
) -> None:
    assert VALIDATOR.is_valid(found) == accepted(found), list(VALIDATOR.iter_errors(found))


def test_every_field_is_described() -> None:
    properties: Any = schema()["properties"]

    assert all(row["description"] for row in properties.values())
    assert list(properties) == [field.name for field in FIELDS]
