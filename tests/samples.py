"""Small, valid things to test with."""

from datetime import UTC, datetime
from typing import Any

from recollect.records.categories import Category
from recollect.records.draft import Draft
from recollect.records.json_format import Json, JsonObject

NOW = datetime(2026, 11, 15, 10, 0, tzinfo=UTC)

CONTENT: dict[Category, JsonObject] = {
    Category.DECISION: {
        "status": "accepted",
        "context": "The API needs to know who is calling.",
        "decision": "Sign a JWT at login.",
        "rationale": ["No session store to run."],
    },
    Category.CONSTRAINT: {
        "kind": "technical",
        "rule": "Uploads may not exceed 5 MB.",
        "impact": ["Large reports must be split."],
        "severity": "high",
        "active": True,
    },
    Category.PREFERENCE: {
        "topic": "testing",
        "value": "Write the failing test first.",
        "reason": "It proves that the test can fail.",
        "strength": "strong",
    },
    Category.RUNBOOK: {
        "trigger": "The queue stops draining.",
        "steps": ["Restart the worker.", "Look at the dead letters."],
        "verification": "The queue length falls.",
    },
    Category.TECH_DEBT: {
        "status": "open",
        "priority": "medium",
        "description": "The parser is written twice.",
        "reason_deferred": "The release came first.",
    },
    Category.SESSION_SUMMARY: {
        "goal": "Move the parser.",
        "outcome": "partial",
        "completed": ["Wrote the tests."],
        "next_actions": ["Delete the old parser."],
    },
}


def document(category: Category = Category.DECISION, **fields: Any) -> JsonObject:
    """A whole record of a category, with some fields changed."""
    base: JsonObject = {
        "schema_version": "1.1",
        "category": category.value,
        "id": f"a-{category.value.replace('_', '-')}",
        "title": f"A {category.value.replace('_', ' ')} to test with",
        "created_at": "2026-11-15T10:00:00Z",
        "updated_at": "2026-11-15T10:00:00Z",
        "tags": ["test"],
        "record_status": "active",
        "content": dict(CONTENT[category]),
    }
    return base | fields


def draft(
    title: str = "Sign a JWT at login",
    category: Category = Category.DECISION,
    *,
    content: dict[str, Json] | None = None,
    **fields: Any,
) -> Draft:
    """Something to save; `content` changes some of the category's fields."""
    return Draft(
        {
            "category": category.value,
            "title": title,
            "tags": ["auth"],
            "content": {**CONTENT[category], **(content or {})},
            **fields,
        }
    )
