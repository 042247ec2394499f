import pytest
from tests.requirements import requirement
from tests.samples import CONTENT, document

from recollect.errors import InvalidMemoryError
from recollect.records.categories import FOLDERS, SHAPES, Category
from recollect.records.json_format import JsonObject
from recollect.records.record import Memory

REQUIRED = [
    (category, field.name)
    for category in Category
    for field in SHAPES[category].fields
    if field.required
]


def test_there_are_six_categories_with_a_folder_and_a_priority_each() -> None:
    assert {
        category.value: (category.folder, shape.priority) for category, shape in SHAPES.items()
    } == {
        "decision": ("decisions", 1),
        "constraint": ("constraints", 2),
        "preference": ("preferences", 3),
        "runbook": ("runbooks", 4),
        "tech_debt": ("tech-debt", 5),
        "session_summary": ("sessions", 6),
    }
    assert {folder: category for category, (folder) in zip(SHAPES, FOLDERS, strict=True)} == FOLDERS


@requirement("records:categories:minimal-is-valid")
@pytest.mark.parametrize("category", Category)
def test_the_required_fields_alone_make_a_memory(category: Category) -> None:
    required = {field.name for field in SHAPES[category].fields if field.required}
    assert set(CONTENT[category]) == required

    assert Memory.parse(document(category)).category is category


@requirement("records:categories:required-fields")
@pytest.mark.parametrize(("category", "name"), REQUIRED)
def test_a_missing_required_field_is_reported_by_its_path(category: Category, name: str) -> None:
    content = {key: value for key, value in CONTENT[category].items() if key != name}

    with pytest.raises(InvalidMemoryError) as caught:
        Memory.parse(document(category, content=content))

    assert [problem.field for problem in caught.value.problems] == [f"content.{name}"]


OPTIONAL: dict[Category, JsonObject] = {
    Category.DECISION: {
        "alternatives": [{"option": "Cookies", "rejected_reason": "No."}],
        "consequences": ["Keys rotate."],
    },
    Category.CONSTRAINT: {"workarounds": ["Split it."], "expires": "2027-01-01"},
    Category.PREFERENCE: {"examples": {"prefer": ["a"], "avoid": ["b"]}},
    Category.RUNBOOK: {"symptoms": ["Silence."], "root_cause": "A lock.", "environment": "production"},
    Category.TECH_DEBT: {
        "impact": ["Slow."],
        "suggested_fix": ["One."],
        "acceptance_criteria": ["Done."],
    },
    Category.SESSION_SUMMARY: {"in_progress": ["a"], "blockers": ["b"], "key_changes": ["c"]},
}


@pytest.mark.parametrize("category", Category)
def test_the_optional_fields_of_a_category_are_the_documented_ones_and_are_checked(
    category: Category,
) -> None:
    optional = {field.name for field in SHAPES[category].fields if not field.required}
    assert set(OPTIONAL[category]) == optional

    Memory.parse(document(category, content=CONTENT[category] | OPTIONAL[category]))
    for name in optional:
        with pytest.raises(InvalidMemoryError, match=rf"content\.{name}"):
            Memory.parse(document(category, content=CONTENT[category] | {name: 5}))


def test_an_alternative_says_why_it_was_rejected() -> None:
    content = CONTENT[Category.DECISION] | {"alternatives": [{"option": "Cookies"}]}

    with pytest.raises(InvalidMemoryError, match=r"alternatives\[0\]\.rejected_reason"):
        Memory.parse(document(content=content))
