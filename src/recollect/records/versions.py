"""Which version of the format does a document need? Format 1.0 is that of the claude-memory plugin."""

from recollect.records.categories import SHAPES, Category
from recollect.records.fields import Field, Object, is_declared
from recollect.records.json_format import JsonObject

NEW_IN_1_1 = frozenset({"links", "anchors", "source", "valid_from", "valid_to", "pinned_at"})
_NEW_STATUS = "rejected"  # of a decision; new in 1.1 too


def uses_1_1(document: JsonObject) -> bool:
    """Whether a document has a field or a value that format 1.0 does not have."""
    used = {name for name, value in document.items() if value is not None}
    content = document.get("content")
    status = content.get("status") if isinstance(content, dict) else None
    is_decision = document.get("category") == Category.DECISION
    return not NEW_IN_1_1.isdisjoint(used) or (is_decision and status == _NEW_STATUS)


def keeps_to_1_0(document: JsonObject, fields: tuple[Field, ...]) -> bool:
    """Whether format 1.0, which allows no fields beside its own, has every field and value of a document.

    `fields` are those of the newest format.
    """
    own = tuple(field for field in fields if field.name not in NEW_IN_1_1)
    content = Object(SHAPES[Category(str(document["category"]))].fields)
    return (
        not uses_1_1(document)
        and is_declared(Object(own), document | {"content": {}})
        and is_declared(content, document["content"])
    )
