"""Items to test with."""

from typing import Any

from recollect.working.session import Item, Provenance


def item(
    content: str = "1 failed: test_login", base: float = 0.8, last: int = 0, **fields: Any
) -> Item:
    """An item, as a rule would make it at an event."""
    fields.setdefault("provenance", Provenance("Bash", "failing-tests", last))
    return Item(content, base, last, **fields)
