"""The text of a memory's content, for search and for finding duplicates."""

from collections.abc import Iterator

from recollect.records.categories import SHAPES
from recollect.records.fields import Choice
from recollect.records.json_format import Json
from recollect.records.record import Memory

OTHER_SECTIONS = "other_sections"  # headings and texts of an imported source that fit no field


def body(memory: Memory) -> str:
    """The text fields of the content, in the order of the category, one passage to a line.

    Then what an import found no field for.
    """
    content = memory.content
    names = [field.name for field in SHAPES[memory.category].fields if _has_text(field.kind)]
    names.append(OTHER_SECTIONS)
    return "\n".join(part for name in names for part in passages(content.get(name)))


def _has_text(kind: object) -> bool:
    return not isinstance(kind, Choice)


def passages(value: Json) -> Iterator[str]:
    """Every string inside a value, depth first."""
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, list):
        for item in value:
            yield from passages(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from passages(item)
